/** Injected failures of the registry. */
import type { ServerResponse } from 'node:http';

/** With `times`, it ends after that many requests. */
export type RegistryMisbehaviour = { readonly times?: number } & (
  | { readonly kind: 'html' | 'hang' | 'reset' | 'not-json' | 'huge' }
  /** To the login page of this server, or elsewhere. */
  | { readonly kind: 'redirect'; readonly to?: string }
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number | string }
  /** With status 200 a GraphQL error, otherwise an HTTP error. */
  | { readonly kind: 'echo-token'; readonly status?: number }
);

const LOGIN_PAGE = '<!doctype html><html><head><title>Sign in</title></head><body><form action="/login">Sign in</form></body></html>';

export function answerBadly(how: RegistryMisbehaviour, bearer: string, response: ServerResponse): void {
  switch (how.kind) {
    case 'html':
      sendLoginPage(response);
      return;
    case 'redirect':
      response.writeHead(302, { Location: how.to ?? '/login' });
      response.end();
      return;
    case 'status': {
      const later: Record<string, string> = how.retryAfter === undefined ? {} : { 'Retry-After': String(how.retryAfter) };
      sendJson(response, how.status, { message: `The registry answers ${how.status}.` }, later);
      return;
    }
    case 'hang':
      return;
    case 'reset':
      response.destroy();
      return;
    case 'not-json':
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end('{"data": {"me": ');
      return;
    case 'huge':
      sendWithoutEnd(response);
      return;
    case 'echo-token': {
      const { status = 401 } = how;
      const message = `The token ${bearer} is not valid`;
      sendJson(response, status, status === 200 ? { data: null, errors: [{ message }] } : { message });
    }
  }
}

export function sendLoginPage(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
  response.end(LOGIN_PAGE);
}

export function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** Endless, until the client disconnects. */
function sendWithoutEnd(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.write('{"data": {"me": {"name": "');
  const piece = 'a'.repeat(64 * 1024);
  const send = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', send);
  send();
}
