/** Waits on this machine for the browser to return from the sign-in. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemCode } from '../../../errors.js';
import { SignInError } from './sign-in-error.js';

const HOST = '127.0.0.1';
const PATH = '/callback';
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

/**
 * `preferred` is used if it is free; `required` must be. `returned` receives the query of each request, and returns undefined
 * where it does not belong to the sign-in.
 */
export async function listenForRedirect(
  port: { readonly preferred?: number | undefined; readonly required?: number | undefined },
  returned: (query: URLSearchParams) => Promise<ReturnPage | undefined>,
): Promise<RedirectListener> {
  const server = createServer({ maxHeaderSize: LONGEST_URL }, (request, response) => {
    const own = `${HOST}:${portOf(server)}`;
    const { pathname, searchParams } = new URL(request.url ?? '/', `http://${own}`);
    const send = ({ status, text, title }: ReturnPage) => {
      response.writeHead(status, { ...PAGE_HEADERS, connection: 'close' });
      response.end(pageOf(title, text));
    };
    // A page of another site that resolves its name to this machine sends its own name.
    if (request.method !== 'GET' || pathname !== PATH || request.headers.host !== own) return send(NOT_FOUND);
    returned(searchParams).then(
      (page) => send(page ?? NOT_FOUND),
      () => send(FAILED),
    );
  });
  server.requestTimeout = 10_000;
  server.maxConnections = 16;
  await bind(server, port);
  server.unref();
  return {
    port: portOf(server),
    url: `http://${HOST}:${portOf(server)}${PATH}`,
    close() {
      server.close();
      server.closeIdleConnections();
    },
  };
}

async function bind(
  server: Server,
  { preferred, required }: { preferred?: number | undefined; required?: number | undefined },
): Promise<void> {
  try {
    await listen(server, required ?? preferred ?? 0);
  } catch (cause) {
    if (required !== undefined)
      throw new SignInError(
        `Port ${required}, to which the browser should return, cannot be used (${systemCode(cause) ?? 'unknown reason'}). End the program that uses it, or set another "redirectPort".`,
      );
    await listen(server, 0);
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
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
