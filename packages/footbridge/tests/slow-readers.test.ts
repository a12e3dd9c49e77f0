/** On shutdown, accepted requests are answered to clients that read slowly. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { Catalog, defineResource, defineResources } from 'footbridge';
import { expect, it, onTestFinished } from 'vitest';
import { serveHttp } from '../src/serve/http/index.js';
import { serveStdio } from '../src/serve/stdio.js';
import { createRequestLog } from '../src/serve/telemetry/request-log.js';
import { MODERN_VERSION } from './support/client.js';
import { post, until } from './support/http-server.js';

/** More than the buffers of a connection hold. */
const SIZE = 15 * 1024 * 1024;
const URI = 'large://text';
const READ = { jsonrpc: '2.0', id: 7, method: 'resources/read', params: { uri: URI } };
const CLIENT = { name: 'slow', version: '1' };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT },
};
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

async function start(delayMs: number) {
  let answered = false;
  const large = defineResource({
    uri: URI,
    name: 'large',
    mimeType: 'text/plain',
    read: async () => {
      await setTimeout(delayMs);
      setImmediate(() => {
        answered = true;
      });
      return 'x'.repeat(SIZE);
    },
  });
  const server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    sources: [defineResources([large])],
    log: createRequestLog('silent'),
  });
  const { port } = new URL(server.endpoint);
  return { endpoint: server.endpoint, port: Number(port), close: () => server.close(), answered: () => answered };
}

/** A client that reads nothing until its socket is resumed. */
async function slowReader(port: number) {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.pause();
  return {
    send: (method: string, path: string, headers: Record<string, string>, body = '') => send(socket, method, path, headers, body),
    /** What comes first, until it contains some text. */
    async beginning(text: string): Promise<string> {
      let received = '';
      while (!received.includes(text)) received += String((await once(socket.resume(), 'data'))[0]);
      socket.pause();
      return received;
    },
    /** All that comes until the connection ends. */
    async rest(): Promise<string> {
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk)).resume();
      await new Promise<void>((resolve) => socket.once('close', () => resolve()).once('error', () => resolve()));
      return Buffer.concat(chunks).toString('latin1');
    },
  };
}

function send(socket: Socket, method: string, path: string, headers: Record<string, string>, body: string): void {
  const all = { host: '127.0.0.1', 'content-length': String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

it.each(['JSON in 2026-07-28', 'JSON in a session', 'events in a session', 'events of the 2024 transport'])(
  'a slow reader gets a large answer although the server is stopping: %s',
  async (kind) => {
    const server = await start(kind === 'events in a session' ? 200 : 0);
    const reader = await slowReader(server.port);
    if (kind === 'JSON in 2026-07-28') {
      const headers = { 'mcp-protocol-version': MODERN_VERSION, 'mcp-method': READ.method, 'mcp-name': URI };
      reader.send('POST', '/mcp', { ...JSON_HEADERS, ...headers }, JSON.stringify({ ...READ, params: { uri: URI, _meta: ENVELOPE } }));
    } else if (kind === 'events of the 2024 transport') {
      reader.send('GET', '/sse', { accept: 'text/event-stream' });
      const path = /data: (\/messages\S+)/.exec(await reader.beginning('/messages'))?.[1];
      const deliver = (message: object) =>
        fetch(new URL(path ?? '', server.endpoint), { method: 'POST', headers: JSON_HEADERS, body: JSON.stringify(message) });
      await deliver(INITIALIZE);
      await deliver(READ);
    } else {
      const begun = await post(server.endpoint, INITIALIZE);
      const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
      reader.send('POST', '/mcp', { ...JSON_HEADERS, ...session }, JSON.stringify(READ));
    }
    await until(() => server.answered());
    const closed = server.close();
    // Longer than an idle connection is given.
    await setTimeout(500);
    const received = await reader.rest();
    expect(received.length).toBeGreaterThan(SIZE);
    await closed;
  },
);

it('a slow reader gets the answers over stdio although the server is stopping', async () => {
  const text = 'x'.repeat(100_000);
  const catalog = await Catalog.open([defineResources([defineResource({ uri: URI, name: 'large', read: () => text })])]);
  onTestFinished(() => catalog.close());
  const [stdin, stdout] = [new PassThrough(), new PassThrough({ highWaterMark: 1024 })];
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const served = serveStdio({ catalog, stdin, stdout, stopped: () => stopped });
  for (let id = 1; id <= 50; id++) stdin.write(`${JSON.stringify({ ...READ, id })}\n`);
  await once(stdout, 'readable');
  stop();
  await setTimeout(100);
  let received = '';
  stdout.on('data', (chunk) => {
    received += chunk;
  });
  await served;
  const ids = received
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).id);
  expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
});
