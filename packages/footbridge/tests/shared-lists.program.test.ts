/** Replicas share the lists of their upstream servers. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@redis/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Catalog } from '../src/catalog/catalog.js';
import { createLog, silentLog } from '../src/log.js';
import { redisState } from '../src/serve/http/shared/redis.js';
import { ownContext } from '../src/sources/context.js';
import { upstreams } from '../src/sources/upstream/index.js';
import type { UpstreamServer } from '../src/sources/upstream/options.js';
import type { SharedLists } from '../src/sources/upstream/shared-lists.js';
import type { Json } from './support/client.js';
import { createWorld } from './support/folders.js';
import { startRedis } from './support/redis.js';
import { describeWith } from './support/requirements.js';
import { startsIn, toOrder } from './support/to-order.js';

const soon = { timeout: 10_000, interval: 20 };

/** A server at a URL that counts what it is asked, and whose tools can change. */
async function startCounting(tools: string[]) {
  const asked: string[] = [];
  const streams = new Set<ServerResponse>();
  const answers: Record<string, () => Json> = {
    initialize: () => ({
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'counting', version: '1' },
      capabilities: { tools: { listChanged: true } },
    }),
    'tools/list': () => ({ tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) }),
    'tools/call': () => ({ content: [{ type: 'text', text: 'called' }] }),
  };
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      streams.add(response);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      return;
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, method } = JSON.parse(body === '' ? '{}' : body);
    if (id === undefined) return void response.writeHead(202).end();
    asked.push(method);
    const result = answers[method]?.();
    const answer = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    count: (method: string) => asked.filter((each) => each === method).length,
    change(next: string) {
      tools.push(next);
      for (const stream of streams) stream.write('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n');
    },
    isListening: () => streams.size > 0,
  };
}

async function replica(server: UpstreamServer, sharedLists: SharedLists) {
  const source = upstreams({ servers: { one: server }, sharedLists, log: createLog('silent') });
  onTestFinished(() => source.end());
  const catalog = await Catalog.open([source]);
  return { catalog, source, tools: () => catalog.snapshot.tools.map(({ entry }) => entry.name) };
}

describeWith('redis-server', 'replicas on Redis', (path) => {
  async function stores(count: number) {
    const redis = await startRedis(path);
    const states = Array.from({ length: count }, () => redisState(redis.url, silentLog));
    onTestFinished(async () => void (await Promise.all(states.map((state) => state.close()))));
    // A replica that does not reach the others in time asks the server itself.
    for (const { values } of states) await vi.waitFor(() => values.get('reached'), soon);
    return { redis, values: states.map(({ values }) => values) };
  }

  async function several(server: UpstreamServer, count = 3) {
    const { redis, values } = await stores(count);
    const replicas = await Promise.all(values.map((each) => replica(server, each)));
    await Promise.all(replicas.map(({ source }) => source.listed()));
    return { redis, replicas };
  }

  it('request the lists of a URL once, and all list its tools', async () => {
    const server = await startCounting(['first']);
    const { replicas } = await several({ url: server.url });
    for (const { tools } of replicas) expect(tools()).toEqual(['first']);
    expect([server.count('initialize'), server.count('tools/list')]).toEqual([1, 1]);
  });

  it('list a change reported to one of them, without another request', async () => {
    const server = await startCounting(['first']);
    const { replicas } = await several({ url: server.url });
    await vi.waitFor(() => expect(server.isListening()).toBe(true), soon);
    server.change('second');
    for (const { tools } of replicas) await vi.waitFor(() => expect(tools()).toEqual(['first', 'second']), soon);
    expect([server.count('initialize'), server.count('tools/list')]).toEqual([1, 2]);
  });

  it('start a command that runs on demand once', async () => {
    const world = createWorld();
    const starts = world.path('outside/starts');
    const order = { ...toOrder({ name: 'one', toolNames: ['first'], starts }), idle: 600 };
    const { replicas } = await several(order);
    for (const { tools } of replicas) expect(tools()).toContain('first');
    expect(startsIn(starts)).toHaveLength(1);
  });

  it('connect for a call, without listing again', async () => {
    const server = await startCounting(['first']);
    const { replicas } = await several({ url: server.url });
    for (const { catalog } of replicas) {
      const [upstream] = catalog.snapshot.upstreams;
      await upstream?.forward('tools/call', { name: 'first', arguments: {} }, ownContext());
    }
    expect([server.count('tools/call'), server.count('tools/list')]).toEqual([3, 1]);
  });

  it('share nothing of a server with a connection for each caller', async () => {
    const server = await startCounting(['first']);
    const { replicas } = await several({ url: server.url, isolation: 'caller' }, 2);
    for (const { tools } of replicas) expect(tools()).toEqual(['first']);
    expect(server.count('tools/list')).toBe(2);
  });

  it('store no header', async () => {
    const server = await startCounting(['first']);
    const { redis } = await several({ url: server.url, headers: { 'X-Key': 'do-not-store-me' } }, 1);
    const client = createClient({ url: redis.url });
    await client.connect();
    onTestFinished(() => client.destroy());
    const keysOfLists = async () => (await client.keys('*')).filter((key) => key.includes('upstream:') && !key.endsWith(':asking'));
    await vi.waitFor(async () => expect(await keysOfLists()).toHaveLength(1), soon);
    const keys = await keysOfLists();
    const stored = await Promise.all(keys.map((key) => client.get(key)));
    expect(stored.join()).toContain('first');
    expect(JSON.stringify([keys, stored])).not.toContain('do-not-store-me');
  });

  it('request the lists themselves while Redis is down', async () => {
    const server = await startCounting(['first']);
    const { redis, values } = await stores(2);
    await redis.stop();
    const replicas = await Promise.all(values.map((each) => replica({ url: server.url }, each)));
    await Promise.all(replicas.map(({ source }) => source.listed()));
    for (const { tools } of replicas) expect(tools()).toEqual(['first']);
    expect(server.count('tools/list')).toBe(2);
  });
});

describe('what is stored', () => {
  const handshake = { serverInfo: {}, capabilities: { tools: {} }, result: {} };
  it.each([
    ['no JSON', '{'],
    ['no lists', '{"handshake":1,"era":"modern"}'],
    ['another era', JSON.stringify({ handshake, era: 'ancient', tools: [] })],
    ['very deep', `${'['.repeat(5000)}${']'.repeat(5000)}`],
    ['a large handshake', JSON.stringify({ handshake: { ...handshake, instructions: 'x'.repeat(2_000_000) }, era: 'modern' })],
  ])('is ignored: %s', async (_, text) => {
    const server = await startCounting(['first']);
    const { source, tools } = await replica({ url: server.url }, stub(text));
    await source.listed();
    expect(tools()).toEqual(['first']);
  });

  it('is used without invalid and overlong entries', async () => {
    const server = await startCounting(['first']);
    const capabilities = { tools: { listChanged: true } };
    const tools = [{ name: 'good', inputSchema: { type: 'object' } }, { title: 'no name' }, { name: 'x'.repeat(5000) }, 7];
    const shared = stub(JSON.stringify({ handshake: { ...handshake, capabilities }, era: 'legacy', tools, skills: [{ uri: 1 }] }));
    const one = await replica({ url: server.url }, shared);
    await one.source.listed();
    expect(one.tools()).toEqual(['good']);
    expect(server.count('tools/list')).toBe(0);
  });

  function stub(text: string): SharedLists {
    return {
      get: async () => text,
      set: async () => {},
      lock: async () => async () => {},
      announce: () => {},
      onAnnounced: () => () => {},
    };
  }
});
