/** The GET stream for messages that a legacy server sends on its own; reopened when it ends. */
import type { Fields } from '../../../json.js';
import { discard, type HttpClient, mediaType, type SentRequest } from './http-client.js';
import type { LoginHeader } from './http-headers.js';
import { isOutgoingRequest, readStream, withdrawnId } from './http-messages.js';

/** A stream that lasted this long resets the back-off. */
const STEADY_MS = 10_000;
/** How long requests are held: some servers answer with the first message. */
const HOLD_MS = 1000;

export interface ServerStreamOptions {
  readonly client: HttpClient;
  headers(lastEventId: string | undefined): string[];
  receive(message: Fields): void;
  /** Sends a message that was held. */
  release(message: Fields): void;
  readonly login: LoginHeader | undefined;
  /** The session has expired. */
  gone(): void;
}

export interface ServerStream {
  /**
   * Holds a request until the server has answered the first request for the stream, because it drops its own messages while the
   * stream is not open. True if the message must not be sent now.
   */
  hold(message: Fields): boolean;
  /** Returns the requests that are still held. */
  stop(): readonly Fields[];
}

/** Reads until stopped. A server without this stream is not asked again. */
export function openServerStream({ client, headers, receive, release, gone, login }: ServerStreamOptions): ServerStream {
  let sent: SentRequest | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let opened = false;
  /** Since it was open last. */
  let hasRenewed = false;
  let failures = 0;
  let lastEventId: string | undefined;
  let retryMs: number | undefined;

  let held: Map<unknown, Fields> | undefined = new Map();

  const settle = () => {
    const requests = held;
    if (requests === undefined) return;
    held = undefined;
    clearTimeout(holding);
    for (const message of requests.values()) release(message);
  };
  const openLater = () => {
    if (stopped) return;
    settle();
    timer = setTimeout(open, pause(failures++, retryMs)).unref();
  };
  const open = () => {
    const header = login?.header;
    sent = client.send(
      { method: 'GET', headers: headers(lastEventId), silenceMs: 0 },
      {
        answered(response) {
          settle();
          const { statusCode: status = 0 } = response;
          if (status !== 200 || mediaType(response) !== 'text/event-stream') {
            discard(response);
            // An expired login is renewed, unless it has been since. A stream never prompts for a login.
            if (status === 401 && login?.header !== undefined && failures < MAX_FAILURES) {
              if (login.header !== header) openLater();
              // A server may accept the login only for calls.
              else if (!hasRenewed) {
                hasRenewed = true;
                void login.renew().then(openLater);
              }
            } else if (status === 429 || status >= 500) openLater();
            else if (status === 404 && opened) gone();
            return;
          }
          opened = true;
          hasRenewed = false;
          const since = Date.now();
          readStream(response, client.host, {
            message: receive,
            ended(end) {
              lastEventId = end.lastEventId ?? lastEventId;
              retryMs = end.retryMs ?? retryMs;
              if (Date.now() - since > STEADY_MS) failures = 0;
              openLater();
            },
          });
        },
        failed: openLater,
      },
    );
  };
  const holding = setTimeout(settle, HOLD_MS).unref();
  open();
  return {
    hold(message) {
      if (held === undefined) return false;
      if (message['method'] === 'notifications/cancelled') return held.delete(withdrawnId(message));
      if (needsStream(message)) held.set(message['id'], message);
      return needsStream(message);
    },
    stop() {
      const requests = held ?? new Map<unknown, Fields>();
      stopped = true;
      held = undefined;
      clearTimeout(timer);
      clearTimeout(holding);
      sent?.abort();
      return [...requests.values()];
    },
  };
}

/** Whether a server may send requests or notifications because of a message. */
function needsStream(message: Fields): boolean {
  const { method } = message;
  return isOutgoingRequest(message) && method !== 'ping' && !String(method).endsWith('/list');
}

/** Consecutive failures before a call gives up. */
export const MAX_FAILURES = 5;

const FIRST_MS = 500;
const LONGEST_MS = 30_000;
/** Lower bound for the server's `retry`. */
const SHORTEST_MS = 50;

/** The server's delay or ours, doubled with each failure. */
export function pause(failures: number, retryMs: number | undefined): number {
  const wished = Math.max(retryMs ?? FIRST_MS, SHORTEST_MS);
  return Math.min(wished * 2 ** Math.min(failures, 10), LONGEST_MS);
}
