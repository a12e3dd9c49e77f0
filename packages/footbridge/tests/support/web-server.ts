/** An HTTP server in this process whose handler a test defines. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Json } from './client.js';

export interface IncomingCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The body as JSON; undefined if it is empty. */
  readonly message: Json;
}

export interface WebServer {
  readonly url: string;
  /** All received requests, in order. */
  readonly calls: readonly IncomingCall[];
  /** Closes it and all its connections. */
  stop(): Promise<void>;
}

/** Serves on a free port until the test ends; `reads` is false for handlers that read bodies themselves. */
export async function serveWeb(answer: (call: IncomingCall) => unknown, { reads = true, path = '/mcp' } = {}): Promise<WebServer> {
  const calls: IncomingCall[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    if (reads) for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const call = { request, response, message: body === '' ? undefined : JSON.parse(body) };
    calls.push(call);
    await answer(call);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(stop);
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}${path}`, calls, stop };
}

export function sendJson(response: ServerResponse, status: number, body: Json, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
}

/** One event of a stream. */
export function event(message: Json, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`;
}
