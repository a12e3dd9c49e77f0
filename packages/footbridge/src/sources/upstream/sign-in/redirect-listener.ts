/** Listens on this machine for the browser's return from the sign-in. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemCode } from '../../../errors.js';
import { ANNOUNCEMENT, RETURN_HOST, RETURN_PATH, WaitingElsewhere, waitBehind } from './shared-port.js';
import { SignInError } from './sign-in-error.js';

const LONGEST_URL = 16 * 1024;

export interface RedirectListener {
  readonly port: number;
  readonly url: string;
  close(): void;
}

/** The page that the browser shows. */
export interface ReturnPage {
  readonly status: number;
  readonly title: string;
  readonly text: string;
}

type Returned = (query: URLSearchParams) => Promise<ReturnPage | undefined>;

/**
 * `preferred` is used if it is free; `required` is shared with other sign-ins. `returned` receives the query of each request, and
 * returns undefined where it does not belong to the sign-in, which is the one with this `state`.
 */
export async function listenForRedirect(
  { preferred, required }: { readonly preferred?: number | undefined; readonly required?: number | undefined },
  state: string,
  returned: Returned,
): Promise<RedirectListener> {
  const server = serverFor(returned);
  const listenAnywhere = () => listen(server, 0);
  if (required === undefined) {
    await listen(server, preferred ?? 0).catch(listenAnywhere);
    return listenerOf(portOf(server), () => close(server));
  }
  const problem = await failureOf(listen(server, required));
  if (problem === undefined) return listenerOf(required, () => close(server));
  if (problem !== 'EADDRINUSE') throw unusable(required, problem);
  await listenAnywhere();
  const successor = serverFor(returned);
  let isClosed = false;
  const takeOver = async () => {
    const isListening = (await failureOf(listen(successor, required))) === undefined;
    if (isListening && isClosed) close(successor);
    return isListening;
  };
  const shared = await waitBehind(required, { port: portOf(server), state }, takeOver);
  const closeBoth = () => {
    isClosed = true;
    shared?.leave();
    for (const each of [server, successor]) close(each);
  };
  if (shared !== undefined) return listenerOf(required, closeBoth);
  closeBoth();
  throw unusable(required, problem);
}

function listenerOf(port: number, end: () => void): RedirectListener {
  return { port, url: `http://${RETURN_HOST}:${port}${RETURN_PATH}`, close: end };
}

function serverFor(returned: Returned): Server {
  const waiting = new WaitingElsewhere();
  const server = createServer({ maxHeaderSize: LONGEST_URL }, (request, response) => {
    const own = `${RETURN_HOST}:${portOf(server)}`;
    const { pathname, searchParams } = new URL(request.url ?? '/', `http://${own}`);
    const send = ({ status, text, title }: ReturnPage) => {
      response.writeHead(status, { ...PAGE_HEADERS, connection: 'close' });
      response.end(pageOf(title, text));
    };
    // Protects against DNS rebinding: another site that resolves to this machine sends its own name.
    if (pathname !== RETURN_PATH || request.headers.host !== own) return send(NOT_FOUND);
    if (waiting.announced(request.method, request.headers[ANNOUNCEMENT.header], searchParams))
      return void response.writeHead(ANNOUNCEMENT.status, { [ANNOUNCEMENT.header]: '1', connection: 'close' }).end();
    if (request.method !== 'GET') return send(NOT_FOUND);
    const answer = async () => {
      const page = waiting.addressFor(searchParams) === undefined ? await returned(searchParams) : undefined;
      if (page !== undefined) return send(page);
      const location = await waiting.addressSoon(searchParams);
      if (location === undefined) return send(NOT_FOUND);
      response.writeHead(302, { ...PAGE_HEADERS, location, connection: 'close' }).end();
    };
    answer().catch(() => send(FAILED));
  });
  server.on('listening', () => waiting.begin());
  server.requestTimeout = 10_000;
  server.maxConnections = 16;
  return server.unref();
}

function unusable(port: number, problem: string): SignInError {
  return new SignInError(
    `Port ${port}, to which the browser should return, cannot be used (${problem}). End the program that uses it, or set another "redirectPort".`,
  );
}

/** The code of the failure. */
async function failureOf(listening: Promise<void>): Promise<string | undefined> {
  try {
    await listening;
    return undefined;
  } catch (cause) {
    return systemCode(cause) ?? 'unknown reason';
  }
}

function close(server: Server): void {
  server.close();
  server.closeIdleConnections();
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, RETURN_HOST, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo | null)?.port ?? 0;
}

const NOT_FOUND: ReturnPage = { status: 404, title: 'Not found', text: 'This address is only used to finish a sign-in.' };
const FAILED: ReturnPage = { status: 500, title: 'Sign-in failed', text: 'Start it again.' };

export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** `rest` is HTML. */
export function pageOf(title: string, text: string, rest = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:32rem;margin:15vh auto;padding:0 1.5rem}</style></head><body><main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${rest}</main></body></html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
