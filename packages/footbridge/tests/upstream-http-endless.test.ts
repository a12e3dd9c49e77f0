/** A server over HTTP whose responses are large or do not end: calls are answered, and connections do not pile up. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { silentLog } from '../src/log.js';
import { httpTransport } from '../src/sources/upstream/transports/index.js';
import { onTransport } from './support/on-transport.js';
import { serveWeb } from './support/web-server.js';

const HANDSHAKE = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'endless', version: '1' } };
const connect = (url: string) => onTransport(httpTransport({ url }, { log: silentLog }));

it('fails a call whose error response never ends', async () => {
  const web = await serveWeb(async ({ response, message }) => {
    if (message?.method === 'initialize')
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(answerTo(message.id, HANDSHAKE));
    response.writeHead(503, { 'content-type': 'application/json' });
    while (!response.destroyed) {
      response.write(' ');
      await wait(50);
    }
  });
  const near = await connect(web.url);
  await near.initialize();
  expect((await near.request('tools/call', { name: 'x' })).error.message).toMatch(/failed \(HTTP 503\)/);
});

it.each([
  ['of few values', 'x'.repeat(500_000), /^too much$/],
  ['of very many keys', Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`key-${index}`, index])), /rejected the message/],
])('answers a call with a large error response %s', async (_, data, expected) => {
  const web = await serveWeb(({ response, message }) => {
    if (message?.method === 'initialize')
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(answerTo(message.id, HANDSHAKE));
    const error = { code: -32000, message: 'too much', data };
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: message?.id, error }));
  });
  const near = await connect(web.url);
  await near.initialize();
  expect((await near.request('tools/call', { name: 'x' })).error.message).toMatch(expected);
});

it('drops answers to a server that takes none', async () => {
  let open = 0;
  const web = await serveWeb(async ({ response, message }) => {
    if (message?.id !== undefined && message.method === 'initialize')
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(answerTo(message.id, HANDSHAKE));
    if (message?.method !== undefined) return void response.writeHead(202).end();
    if (message !== undefined) open++;
    else response.writeHead(405).end();
  });
  const near = await connect(web.url);
  await near.initialize();
  for (let id = 0; id < 1500; id++) near.transport.send({ jsonrpc: '2.0', id, result: {} });
  // With the notification that it is initialized, if that is still on its way.
  await expect.poll(() => open).toBeGreaterThanOrEqual(1023);
  await wait(200);
  expect(open).toBeLessThanOrEqual(1024);
});

it('closes a connection whose response to a notification never ends', async () => {
  let ended = 0;
  const web = await serveWeb(async ({ response, message }) => {
    if (message?.method === 'initialize')
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(answerTo(message.id, HANDSHAKE));
    if (message?.method !== 'notifications/roots/list_changed') return void response.writeHead(202).end();
    response.once('close', () => ended++);
    response.writeHead(202);
    while (!response.destroyed) {
      response.write(' ');
      await wait(50);
    }
  });
  const near = await connect(web.url);
  await near.initialize();
  for (let count = 0; count < 10; count++) near.notify('notifications/roots/list_changed');
  await expect.poll(() => ended).toBe(10);
});

function answerTo(id: unknown, result: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}
