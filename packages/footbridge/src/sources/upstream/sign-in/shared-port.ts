/**
 * One port for all sign-ins of a machine that must return to it. The process that listens there redirects the browser to the one
 * that waits for it; when it exits, another one listens.
 */
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a process is remembered after its last announcement. */
const FORGOTTEN_MS = 5000;
const AGAIN_MS = 500;
/** Within this time after its start, a listener receives the announcements of all waiting processes. */
const SETTLE_MS = 3 * AGAIN_MS;
const LOOK_AGAIN_MS = 50;
const ANSWER_MS = 2000;
const MAX_WAITING = 256;
/** A web page cannot send it without a CORS preflight. */
const HEADER = 'footbridge-sign-in';
export const RETURN_HOST = '127.0.0.1';
export const RETURN_PATH = '/callback';

/** The sign-ins of other listeners that return to the port of this one. */
export class WaitingElsewhere {
  readonly #ports = new Map<string, { readonly port: number; readonly until: number }>();
  #settled = 0;

  /** The listener has just started. */
  begin(): void {
    this.#settled = Date.now() + SETTLE_MS;
  }

  /** Whether a request announced a sign-in. A web page cannot send such a request. */
  announced(method: string | undefined, header: string | string[] | undefined, query: URLSearchParams): boolean {
    const [digest, port] = [query.get('digest') ?? '', Number(query.get('port'))];
    if (method !== 'PUT' || header !== '1' || !/^[0-9a-f]{64}$/.test(digest) || !(Number.isInteger(port) && port > 0 && port < 65_536))
      return false;
    for (const [each, { until }] of this.#ports) if (until < Date.now()) this.#ports.delete(each);
    if (this.#ports.size >= MAX_WAITING && !this.#ports.has(digest)) return false;
    this.#ports.set(digest, { port, until: Date.now() + FORGOTTEN_MS });
    return true;
  }

  /** The URL to redirect the browser to. */
  addressFor(query: URLSearchParams): string | undefined {
    const found = this.#ports.get(digestOf(query.get('state') ?? ''));
    return found === undefined || found.until < Date.now() ? undefined : `http://${RETURN_HOST}:${found.port}${RETURN_PATH}?${query}`;
  }

  /** Like `addressFor`, but waits if the listener has just started and the announcement may not have arrived yet. */
  async addressSoon(query: URLSearchParams): Promise<string | undefined> {
    for (;;) {
      const address = this.addressFor(query);
      if (address !== undefined || Date.now() > this.#settled) return address;
      await sleep(LOOK_AGAIN_MS, undefined, { ref: false });
    }
  }
}

export interface SharedPort {
  leave(): void;
}

/**
 * Waits behind the process that listens on `port`, and tries to `takeOver` when it ends. Undefined where something else listens
 * there.
 */
export async function waitBehind(
  port: number,
  own: { readonly port: number; readonly state: string },
  takeOver: () => Promise<boolean>,
): Promise<SharedPort | undefined> {
  const announce = () => announceTo(port, own);
  if (!(await announce())) return undefined;
  let timer: NodeJS.Timeout | undefined;
  let hasLeft = false;
  const again = () => {
    timer = setTimeout(async () => {
      if ((await takeOver()) || hasLeft) return;
      await announce();
      if (!hasLeft) again();
    }, AGAIN_MS).unref();
  };
  again();
  return {
    leave() {
      hasLeft = true;
      clearTimeout(timer);
    },
  };
}

/** Without a proxy. */
function announceTo(port: number, own: { readonly port: number; readonly state: string }): Promise<boolean> {
  const query = new URLSearchParams({ digest: digestOf(own.state), port: String(own.port) });
  return new Promise((resolve) => {
    const asking = request(
      { host: RETURN_HOST, port, method: 'PUT', path: `${RETURN_PATH}?${query}`, headers: { [HEADER]: '1' }, agent: false },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode === 204 && answer.headers[HEADER] === '1');
      },
    );
    asking.setTimeout(ANSWER_MS, () => asking.destroy());
    asking.on('error', () => resolve(false)).on('close', () => resolve(false));
    asking.end();
  });
}

/** The answer to an announcement, and its header. */
export const ANNOUNCEMENT = { header: HEADER, status: 204 } as const;

function digestOf(state: string): string {
  return createHash('sha256').update(state).digest('hex');
}
