/** A scripted server for the pages, with their real CSP. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { connection, type Fields, JIRA, type Scripted } from './scripted.js';

export const PAGES = join(import.meta.dirname, '..', '..', 'bundle', 'page');

export interface ApiAnswer {
  readonly status: number;
  readonly body: Fields;
}

export interface ScriptedServer {
  readonly url: string;
  /** Bodies sent to the API and the intake page, by path. */
  readonly posts: { readonly path: string; readonly body: Fields }[];
  /** Method and URL of each request. */
  readonly requests: string[];
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly token?: string;
  /** Handles a submitted token. Default: accepts it. */
  readonly intake?: (body: Fields) => ApiAnswer;
  /** Null for a link that is used, expired or invented. */
  readonly invitation?: Fields | null;
  /** Other files to serve, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

export const ACCEPTED: ApiAnswer = { status: 201, body: { ...connection('active'), text: `Connected to ${JIRA}.` } };

export function policyOf(page: string): string {
  const policies: Record<string, { script: string; style: string }> = JSON.parse(readFileSync(join(PAGES, 'policies.json'), 'utf8'));
  const { script, style } = policies[page] ?? { script: '', style: '' };
  return [
    "default-src 'none'",
    `script-src '${script}'`,
    `style-src '${style}'`,
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

export async function startScriptedServer(script: Scripted, options: ServerOptions = {}): Promise<ScriptedServer> {
  const posts: ScriptedServer['posts'] = [];
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    serve(request, response).catch(() => response.destroy());
  });
  const { intake = () => ACCEPTED } = options;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    if (request.method === 'GET') return sendPage(path, response);
    if (options.token !== undefined && !path.includes('/connect/') && request.headers.authorization !== `Bearer ${options.token}`) {
      response.setHeader('www-authenticate', 'Bearer');
      return sendJson(response, 401, { error: 'invalid_token', message: 'Unknown token.' });
    }
    const body = await bodyOf(request);
    if (path === '/mcp') return callTool(request, body, response);
    posts.push({ path, body });
    const { status, body: answered } = path === '/api/engage/consent-tokens' ? consent() : intake(body);
    sendJson(response, status, answered);
  }

  function consent(): ApiAnswer {
    return { status: 201, body: { consent_token: 'consent-1', expires_at: '2026-11-15T10:02:00Z' } };
  }

  async function callTool(request: IncomingMessage, message: Fields, response: ServerResponse): Promise<void> {
    const params = message['params'] as { name: string; arguments: Fields; _meta: Fields };
    const { progressToken } = params._meta;
    const faithful =
      request.headers['mcp-method'] === message['method'] &&
      request.headers['mcp-name'] === params.name &&
      request.headers['mcp-protocol-version'] === params._meta['io.modelcontextprotocol/protocolVersion'];
    if (!faithful) return sendJson(response, 400, { jsonrpc: '2.0', error: { code: -32600, message: 'Headers and body differ.' } });
    const send = (event: Fields) => response.write(`event: message\r\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...event })}\r\n\r\n`);
    if (progressToken !== undefined) response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': here\n\n');
    const result = await script.call(params.name, params.arguments, (progress) => {
      if (progressToken !== undefined) send({ method: 'notifications/progress', params: { progressToken, ...progress } });
    });
    const { id } = message;
    if (progressToken === undefined) return sendJson(response, 200, { jsonrpc: '2.0', id, result: { ...result, content: [] } });
    send({ id, result: { ...result, content: [] } });
    response.end();
  }

  function sendPage(path: string, response: ServerResponse): void {
    const file = options.files?.[path];
    if (file !== undefined) return void response.writeHead(200, { 'content-type': 'text/html' }).end(file);
    const page = path === '/engage' ? 'app.html' : path.startsWith('/engage/connect/') ? 'connect.html' : path.slice(1);
    if (!page.endsWith('.html')) return void response.writeHead(404).end();
    const html = readFileSync(join(PAGES, page), 'utf8').replace('__INVITATION__', () =>
      JSON.stringify(options.invitation === undefined ? {} : options.invitation),
    );
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policyOf(page) }).end(html);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, posts, requests, close };
}

async function bodyOf(request: IncomingMessage): Promise<Fields> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
}

function sendJson(response: ServerResponse, status: number, body: Fields): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
