/** The memory of a call is released however the call ends. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { McpServer } from '@modelcontextprotocol/server';
import { type Source, skillFolders, upstreams } from 'footbridge';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { Catalog } from '../../src/catalog/catalog.js';
import { processMemory } from '../../src/memory-budget.js';
import { serveHttp } from '../../src/serve/http/index.js';
import { serveStdio } from '../../src/serve/stdio.js';
import { createRequestLog } from '../../src/serve/telemetry/request-log.js';
import { createWorld } from '../support/folders.js';
import { post, postModern, until } from '../support/http-server.js';
import { openSse } from '../support/sse.js';

const MEBIBYTE = 1024 * 1024;
const SIZE = 16 * MEBIBYTE;
const URI = 'skill://large/a.txt';
/** What one caller may hold: one file of this size at a time. */
const SHARE = 64 * MEBIBYTE;

/** A source with one skill that has a large file. */
function source() {
  const world = createWorld();
  world.skill('project/skills/large');
  world.write('project/skills/large/a.txt', 'x'.repeat(SIZE));
  return skillFolders({ folders: [`${world.project}/skills`], standardFolders: false, watch: false });
}

async function start(given: Source = source()) {
  const server = await serveHttp({ host: '127.0.0.1', port: 0, sources: [given], log: createRequestLog('silent') });
  onTestFinished(() => server.close());
  const { origin, port } = new URL(server.endpoint);
  return { endpoint: server.endpoint, origin, port: Number(port) };
}

const read = (id: number, uri = URI) => ({ jsonrpc: '2.0', id, method: 'resources/read', params: { uri } });

/** A client that asks, and reads nothing of the answer. */
function unreadPost(port: number, message: object) {
  const body = JSON.stringify(message);
  const socket = connect(port, '127.0.0.1').pause();
  onTestFinished(() => void socket.destroy());
  const headers = ['content-type: application/json', 'accept: application/json, text/event-stream', `content-length: ${body.length}`];
  socket.write(`POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}

afterEach(() => expect(processMemory.held).toBe(0));

it('large files that are requested at once are read one after the other', async () => {
  const { endpoint } = await start();
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, processMemory.held);
  }, 1);
  const answers = await Promise.all([1, 2, 3].map((id) => post(endpoint, read(id))));
  clearInterval(watch);
  expect(answers.map(({ message }) => message.result.contents[0].text.length)).toEqual([SIZE, SIZE, SIZE]);
  expect(most).toBe(SHARE);
  await until(() => processMemory.held === 0);
});

it('an unread answer counts until its client disconnects, and small calls are answered meanwhile', async () => {
  const { endpoint, port } = await start();
  const sockets = [1, 2, 3].map((id) => unreadPost(port, read(id)));
  await until(() => processMemory.held >= SHARE);
  const small = await postModern(endpoint, 'resources/read', { uri: 'skill://large/SKILL.md' });
  expect(small.message.result.contents[0].text).toContain('Instructions of large');
  expect(processMemory.held).toBeLessThan(SHARE + MEBIBYTE);
  for (const socket of sockets) socket.destroy();
  await until(() => processMemory.held === 0);
});

it('a cancelled call that waits for memory reserves nothing', async () => {
  const { origin, port } = await start();
  const socket = unreadPost(port, read(1));
  await until(() => processMemory.held >= SHARE);
  const stream = await openSse(origin);
  await stream.post(read(2));
  await stream.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
  socket.destroy();
  await until(() => processMemory.held === 0);
  expect((await stream.request(read(3))).result.contents[0].text).toHaveLength(SIZE);
  expect(stream.received.map(({ id }) => id)).toEqual([3]);
  await until(() => processMemory.held === 0);
});

it('a failed read reserves nothing', async () => {
  const { endpoint } = await start();
  const uris = Array.from({ length: 5 }, (_, index) => `skill://large/missing-${index}.txt`);
  const { message } = await postModern(endpoint, 'tools/call', { name: 'get_resources', arguments: { uris: [URI, ...uris] } });
  expect(message.result.content).toHaveLength(6);
  await until(() => processMemory.held === 0);
});

it('a large body counts while its call runs', async () => {
  const { endpoint } = await start();
  const { message } = await post(endpoint, { ...read(1), params: { uri: URI, more: 'x'.repeat(3 * MEBIBYTE) } });
  expect(message.result.contents[0].text).toHaveLength(SIZE);
  await until(() => processMemory.held === 0);
});

it('a body with too many values is rejected before it is parsed', async () => {
  const { endpoint } = await start();
  const body = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":[${'[],'.repeat(150_000)}[]]}}`;
  const { status, message } = await post(endpoint, body);
  expect([status, message.error.message]).toEqual([413, 'The body has more than 250000 values.']);
  await until(() => processMemory.held === 0);
});

it('over the SSE transport of 2024 an answer counts until it is read', async () => {
  const { origin, port } = await start();
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (text.includes('sessionId=')) socket.pause();
  });
  socket.write('GET /sse HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
  await until(() => /sessionId=[\w-]+\n/.test(text));
  const address = `${origin}/messages?${/sessionId=[\w-]+/.exec(text)?.[0]}`;
  for (const id of [1, 2, 3, 4])
    await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(read(id)) });
  await until(() => processMemory.held >= SHARE);
  expect(processMemory.held).toBeLessThan(SHARE + MEBIBYTE);
  socket.destroy();
  await until(() => processMemory.held === 0);
});

/** An upstream with a tool that returns a large text. */
function upstreamWithLargeTool() {
  const server = new McpServer({ name: 'object', version: '1' });
  server.registerTool('large', {}, async () => ({ content: [{ type: 'text', text: 'x'.repeat(SIZE) }] }));
  const source = upstreams({ servers: { object: { server } }, oneHost: true });
  onTestFinished(() => source.end());
  return source;
}

it('an answer of an upstream counts until it is read', async () => {
  const { endpoint, port } = await start(upstreamWithLargeTool());
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'large', arguments: {} } };
  const sockets = [unreadPost(port, call), unreadPost(port, call)];
  await until(() => processMemory.held >= SHARE);
  expect((await postModern(endpoint, 'tools/list')).message.result.tools[0].name).toBe('large');
  // The other has come as well, and waits until there is room for it.
  await until(() => processMemory.held >= SHARE + SIZE);
  expect(processMemory.held).toBeLessThan(SHARE + SIZE + MEBIBYTE);
  for (const socket of sockets) socket.destroy();
  await until(() => processMemory.held === 0);
});

it('a call that is rejected for lack of memory can be repeated', async () => {
  const { endpoint } = await start(upstreamWithLargeTool());
  const others = Array.from({ length: 400 }, (_, index) => processMemory.open(`other ${index}`));
  const waiting = others.map((hold) => {
    try {
      return hold.take(1024 * MEBIBYTE);
    } catch (cause) {
      // The queue is full.
      return cause;
    }
  });
  const settled = Promise.allSettled(waiting);
  const call = () => postModern(endpoint, 'tools/call', { name: 'large', arguments: {} });
  const { message, data } = (await call()).message.error;
  for (const hold of others) hold.leave();
  await settled;
  expect(message).toBe('The server is busy. Try again in a moment.');
  expect(data.retryable).toBe(true);
  expect((await call()).message.result.content[0].text).toHaveLength(SIZE);
  await until(() => processMemory.held === 0);
});

it('over stdio an answer counts until the host has read it', async () => {
  const catalog = await Catalog.open([source()]);
  onTestFinished(() => catalog.close());
  const [stdin, stdout] = [new PassThrough(), new PassThrough({ highWaterMark: 1024 })];
  const served = serveStdio({ catalog, stdin, stdout, stopped: () => new Promise(() => {}) });
  for (const id of [1, 2, 3]) stdin.write(`${JSON.stringify(read(id))}\n`);
  await once(stdout, 'readable');
  expect(processMemory.held).toBe(SHARE);
  let length = 0;
  stdout.on('data', (chunk: Buffer) => {
    length += chunk.length;
  });
  await until(() => length > 3 * SIZE);
  await until(() => processMemory.held === 0);
  stdin.end();
  await served;
});
