/** A host over stdio that does not read what it is sent: what waits for it is bounded, by count and by bytes. */
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { Catalog } from 'footbridge';
import { expect, it, onTestFinished } from 'vitest';
import { serveStdio } from '../src/serve/stdio.js';
import type { HostPeer } from '../src/sources/forwarding.js';
import type { Json } from './support/client.js';
import { contributionOf, FakeUpstream, sourceOf } from './support/fake-upstream.js';

const MEBIBYTE = 1024 * 1024;
const INITIALIZE = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo: { name: 'unreading', version: '1' } },
};

/** An upstream whose tool answers when all calls have come, and that knows its host. */
class Talker extends FakeUpstream {
  host: HostPeer | undefined;
  release: () => void = () => {};
  readonly #released = new Promise<void>((resolve) => {
    this.release = resolve;
  });

  constructor(readonly text: string) {
    super('talker', { tools: [{ name: 'talk', inputSchema: { type: 'object' } }] });
  }

  override attach(host?: HostPeer) {
    this.host = host;
    return () => {};
  }

  override async forward(method: string, params: Json) {
    this.asked.push([method, params]);
    await this.#released;
    return { content: [{ type: 'text', text: this.text }] } as Json;
  }
}

/** A server whose host reads nothing until it calls `read`. */
async function start(text = '', isInitialized = true) {
  const upstream = new Talker(text);
  const catalog = await Catalog.open([sourceOf(contributionOf([upstream])).source]);
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const served = serveStdio({ catalog, stdin, stdout, stopped: () => new Promise(() => {}) });
  onTestFinished(async () => {
    stdout.resume();
    stdin.end();
    await served;
    await catalog.close();
  });
  const send = (message: object) => void stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  /** What waits, until a message with this id comes. */
  const read = async (id: number): Promise<{ readonly bytes: number; readonly messages: readonly Json[] }> => {
    let bytes = 0;
    const messages: Json[] = [];
    for await (const line of createInterface({ input: stdout })) {
      bytes += line.length;
      messages.push(JSON.parse(line));
      if (messages.at(-1).id === id) break;
    }
    stdout.pause();
    return { bytes, messages };
  };
  send(INITIALIZE);
  await read(INITIALIZE.id);
  if (isInitialized) {
    send({ method: 'notifications/initialized' });
    send({ id: 1, method: 'ping' });
    await read(1);
  }
  return { upstream, send, read, stdout };
}

it('misses notifications beyond 64 MiB', async () => {
  const { read, send, upstream } = await start();
  const notify = () => upstream.host?.notify('notifications/message', { level: 'error', data: 'x'.repeat(MEBIBYTE) });
  notify();
  await new Promise(setImmediate);
  for (let count = 0; count < 150; count++) notify();
  send({ id: 1, method: 'ping' });
  const { bytes, messages } = await read(1);
  expect(bytes).toBeLessThan(70 * MEBIBYTE);
  expect(messages.at(-1)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
});

it('is asked nothing while 64 MiB wait', async () => {
  const { upstream } = await start();
  const notify = () => upstream.host?.notify('notifications/message', { level: 'error', data: 'x'.repeat(MEBIBYTE) });
  notify();
  await new Promise(setImmediate);
  for (let count = 0; count < 70; count++) notify();
  await expect(upstream.host?.request('roots/list', {}, undefined)).rejects.toThrow('the host does not read its messages');
});

it('gets at most 1 MiB of what was sent before it was initialized', async () => {
  const { read, send, upstream } = await start('', false);
  const data = 'x'.repeat(1000);
  for (let count = 0; count < 10_000; count++) upstream.host?.notify('notifications/message', { level: 'error', data });
  await expect(upstream.host?.request('roots/list', { data: 'x'.repeat(MEBIBYTE) }, undefined)).rejects.toThrow('not initialized');
  send({ method: 'notifications/initialized' });
  send({ id: 1, method: 'ping' });
  const { messages } = await read(1);
  expect(messages.length).toBeGreaterThan(500);
  expect(messages.length).toBeLessThan(1100);
});

it('has one large answer as text, whose size is bounded, while the others wait as objects', async () => {
  const calls = 100;
  const { read, send, stdout, upstream } = await start('x'.repeat(150_000));
  for (let id = 1; id <= calls; id++) send({ id, method: 'tools/call', params: { name: 'talk', arguments: {} } });
  await expect.poll(() => upstream.asked.filter(([method]) => method === 'tools/call').length).toBe(calls);
  upstream.release();
  const given = () => stdout.readableLength + stdout.writableLength;
  await expect.poll(given).toBeGreaterThan(100_000);
  for (let turn = 0; turn < 20 * calls; turn++) await new Promise(setImmediate);
  // One that is written, one that the stream holds back.
  expect(given()).toBeLessThan(400_000);
  expect((await read(calls)).messages).toHaveLength(calls);
});

it('gets errors for the answers beyond 64 MiB, and the next call is answered', async () => {
  const calls = 1000;
  const { read, send, upstream } = await start('x'.repeat(150_000));
  for (let id = 1; id <= calls; id++) send({ id, method: 'tools/call', params: { name: 'talk', arguments: {} } });
  await expect.poll(() => upstream.asked.filter(([method]) => method === 'tools/call').length).toBe(calls);
  upstream.release();
  const { bytes, messages } = await read(calls);
  expect(bytes).toBeLessThan(80 * MEBIBYTE);
  expect(messages.at(-1)).toEqual({
    jsonrpc: '2.0',
    id: calls,
    error: { code: -32000, message: 'The answer was dropped: 64 MiB of answers wait to be read. Read them, then try again.' },
  });
  send({ id: 0, method: 'tools/call', params: { name: 'talk', arguments: {} } });
  expect((await read(0)).messages.at(-1).result.content[0].text).toHaveLength(150_000);
});
