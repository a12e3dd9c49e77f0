/** Several replicas with one Redis: clients of each learn of events on the others. */
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createClient } from '@redis/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../support/client.js';
import { createWorld, type World } from '../support/folders.js';
import { type HttpProcess, post, postModern, startHttp, until } from '../support/http-server.js';
import { type Redis, startRedis } from '../support/redis.js';
import { describeWith } from '../support/requirements.js';

/** A replica with a folder of its own, so that only Redis can tell it of the other's changes. */
async function replica(redis: Redis, setup: (world: World) => unknown = () => {}): Promise<HttpProcess & { readonly world: World }> {
  const world = createWorld();
  setup(world);
  return { ...(await startHttp(world, { args: ['--redis', redis.url] })), world };
}

/** Two that hear of each other. */
async function two(redis: Redis, setup: (world: World) => unknown = () => {}) {
  const [one, other] = await Promise.all([replica(redis, setup), replica(redis, setup)]);
  await until(async () => (await isConnected(one)) && (await isConnected(other)));
  return [one, other] as const;
}

/** Begins a session; gives the header that names it. */
async function begin({ endpoint }: HttpProcess): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const { headers } = await post(endpoint, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
}

interface Listener {
  reported: number;
  call(): Promise<Json>;
}

async function listen(transport: StreamableHTTPClientTransport | SSEClientTransport, mode: 'legacy' | 'auto'): Promise<Listener> {
  const client = new Client({ name: 'listener', version: '1' }, { versionNegotiation: { mode } });
  const listener: Listener = { reported: 0, call: () => client.callTool({ name: 'list_skills', arguments: {} }) };
  client.setNotificationHandler('notifications/tools/list_changed', () => void listener.reported++);
  await client.connect(transport);
  onTestFinished(() => client.close());
  if (mode === 'auto') await client.listen({ toolsListChanged: true });
  return listener;
}

/** A client of each age. */
function listeners({ endpoint, origin }: HttpProcess): Promise<Listener[]> {
  return Promise.all([
    listen(new StreamableHTTPClientTransport(new URL(endpoint)), 'auto'),
    listen(new StreamableHTTPClientTransport(new URL(endpoint)), 'legacy'),
    listen(new SSEClientTransport(new URL('/sse', origin)), 'legacy'),
  ]);
}

async function isConnected({ origin }: HttpProcess): Promise<boolean> {
  const answer: Json = await (await fetch(`${origin}/readyz`)).json();
  return answer.shared === 'connected';
}

/** Sends a call each few milliseconds until it is stopped; resolves with what was not answered. */
function keepCalling({ endpoint }: HttpProcess) {
  let going = true;
  let answered = 0;
  const failures: unknown[] = [];
  const calling = (async () => {
    while (going) {
      const answer = await postModern(endpoint, 'tools/call', { name: 'list_skills', arguments: {} }).catch((cause: unknown) => cause);
      if (answer instanceof Error || (answer as { status: number }).status !== 200) failures.push(answer);
      else answered++;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  return {
    async stop() {
      going = false;
      await calling;
      return { answered, failures };
    },
  };
}

describeWith('redis-server', 'two replicas on one Redis', (path) => {
  it('announce a skill that was added on one to the listeners of the other', async () => {
    const redis = await startRedis(path);
    const [one, other] = await two(redis);
    const clients = await listeners(other);
    one.world.skill('project/.agents/skills/new');
    for (const client of clients) await until(() => client.reported > 0);
  });

  it('count the uses of skills together, and those of an outage after it', async () => {
    const redis = await startRedis(path);
    const replicas = await two(redis, (world) => world.skill('project/.agents/skills/git'));
    const usesAt = async ({ origin }: HttpProcess): Promise<Json> => {
      const { counted, skills }: Json = await (await fetch(`${origin}/api/insight`)).json();
      return [counted, skills[0].uses];
    };
    const load = async ({ endpoint }: HttpProcess, times: number) => {
      for (let time = 0; time < times; time++) await postModern(endpoint, 'tools/call', { name: 'skill', arguments: { name: 'git' } });
    };
    const [one, other] = replicas;
    await load(one, 2);
    await load(other, 1);
    for (const each of replicas) await expect.poll(() => usesAt(each)).toEqual(['counted', 3]);

    const client = createClient({ url: redis.url });
    client.on('error', () => {});
    await client.connect();
    onTestFinished(() => client.destroy());
    const [key = ''] = await client.keys('footbridge:uses:*');
    expect(await client.hGetAll(key)).toEqual({ git: '3' });
    expect(await client.ttl(key)).toBeGreaterThan(30 * 24 * 3600);

    await redis.stop();
    await until(async () => !(await isConnected(one)) && !(await isConnected(other)));
    await load(one, 1);
    expect(await usesAt(one)).toEqual(['unavailable', undefined]);
    await redis.restart();
    await until(async () => (await isConnected(one)) && (await isConnected(other)));
    for (const each of replicas) await expect.poll(async () => (await usesAt(one)) && usesAt(each)).toEqual(['counted', 1]);
  });

  it('continue without Redis, and synchronize after a reconnect', async () => {
    const redis = await startRedis(path);
    const [one, other] = await two(redis);
    const clients = await listeners(other);
    const calls = [keepCalling(one), keepCalling(other)];
    await redis.stop();
    await until(async () => !(await isConnected(one)) && !(await isConnected(other)));
    for (const client of clients) expect((await client.call()).content[0].text).toContain('0 skills');
    other.world.skill('project/.agents/skills/local');
    for (const client of clients) await until(() => client.reported > 0);
    await redis.restart();
    await until(async () => (await isConnected(one)) && (await isConnected(other)));
    const before = clients.map(({ reported }) => reported);
    one.world.skill('project/.agents/skills/new');
    for (const [index, client] of clients.entries()) await until(() => client.reported > (before[index] ?? 0));
    for (const each of calls) {
      const { answered, failures } = await each.stop();
      expect(failures).toEqual([]);
      expect(answered).toBeGreaterThan(10);
    }
  });

  it('survive the end of the other', async () => {
    const redis = await startRedis(path);
    const [one, other] = await two(redis);
    const clients = await listeners(other);
    const calls = keepCalling(other);
    await one.stop('SIGKILL');
    for (const client of clients) expect((await client.call()).content[0].text).toContain('0 skills');
    other.world.skill('project/.agents/skills/local');
    for (const client of clients) await until(() => client.reported > 0);
    expect((await calls.stop()).failures).toEqual([]);
  });

  it('take over a session, its subscriptions and its position in the stream', async () => {
    const redis = await startRedis(path);
    const [one, other] = await two(redis, (world) => world.skill('project/.agents/skills/git'));
    const session = await begin(one);
    const uri = 'skill://git/SKILL.md';
    await post(one.endpoint, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } }, session);
    await one.stop('SIGKILL');
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'skill', arguments: { name: 'git' } } };
    expect((await post(other.endpoint, call, session)).message.result.content[0].text).toContain('Instructions of git');
    const controller = new AbortController();
    const stream = await fetch(other.endpoint, { headers: { accept: 'text/event-stream', ...session }, signal: controller.signal });
    let text = '';
    const reading = (async () => {
      for await (const chunk of stream.body ?? []) text += Buffer.from(chunk).toString();
    })().catch(() => {});
    // Changes that the first replica could not announce are unknown, so the client is notified to list again.
    await until(() => text.includes('notifications/tools/list_changed') && text.includes('notifications/resources/updated'));
    text = '';
    other.world.skill('project/.agents/skills/git', { body: 'Other words.' });
    await until(() => text.includes('notifications/resources/updated') && text.includes(uri));
    controller.abort();
    await reading;
    expect((await post(other.endpoint, call, { 'mcp-session-id': crypto.randomUUID() })).status).toBe(404);
  });

  it('share the subscriptions and the end of a session', async () => {
    const redis = await startRedis(path);
    const [one, other] = await two(redis, (world) => world.skill('project/.agents/skills/git'));
    const session = await begin(one);
    const stream = await fetch(one.endpoint, { headers: { accept: 'text/event-stream', ...session } });
    let text = '';
    const reading = (async () => {
      for await (const chunk of stream.body ?? []) text += Buffer.from(chunk).toString();
    })().catch(() => {});
    const uri = 'skill://git/SKILL.md';
    await post(other.endpoint, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } }, session);
    let words = 0;
    await until(() => {
      // Changes are not announced until the first replica has received the subscription.
      one.world.skill('project/.agents/skills/git', { body: `Other words, ${words++}.` });
      return text.includes('notifications/resources/updated');
    });
    expect((await fetch(other.endpoint, { method: 'DELETE', headers: session })).status).toBe(200);
    await reading;
    const list = { jsonrpc: '2.0', id: 2, method: 'resources/list' };
    await until(async () => (await post(one.endpoint, list, session)).status === 404);
  });

  it('do not serve a session right after it was deleted on the other', async () => {
    const redis = await startRedis(path);
    const [one, other] = await two(redis);
    const list = { jsonrpc: '2.0', id: 2, method: 'resources/list' };
    for (let round = 0; round < 25; round++) {
      const session = await begin(one);
      expect((await post(other.endpoint, list, session)).status).toBe(200);
      expect((await fetch(one.endpoint, { method: 'DELETE', headers: session })).status).toBe(200);
      expect((await post(other.endpoint, list, session)).status).toBe(404);
    }
  });

  it('return 503, not 404, for a session they cannot look up', async () => {
    const redis = await startRedis(path);
    const [one, other] = await two(redis);
    const session = await begin(one);
    await redis.stop();
    await until(async () => !(await isConnected(other)));
    const list = { jsonrpc: '2.0', id: 2, method: 'resources/list' };
    const unknown = await post(other.endpoint, list, session);
    expect([unknown.status, unknown.headers.get('retry-after')]).toEqual([503, '2']);
    expect(unknown.message.error.message).toContain('cannot be looked up at the moment');
    expect((await post(one.endpoint, list, session)).status).toBe(200);
  });

  it('forward messages of the SSE transport to the replica with its stream', async () => {
    const redis = await startRedis(path);
    const [one, other] = await two(redis);
    // As a load balancer would: the stream from one, what is posted to the other.
    const client = new Client({ name: 'old', version: '1' });
    await client.connect(
      new SSEClientTransport(new URL('/sse', one.origin), {
        fetch: (url, init) =>
          fetch(init?.method === 'POST' ? new URL(`${new URL(url).pathname}${new URL(url).search}`, other.origin) : url, init),
      }),
    );
    onTestFinished(() => client.close());
    expect((await client.callTool({ name: 'list_skills', arguments: {} })).isError).not.toBe(true);
  });
});

describe('an invalid Redis URL', () => {
  it('is rejected without showing its password', async () => {
    await expect(startHttp(createWorld(), { args: ['--redis', 'http://user:secret-word@127.0.0.1'] })).rejects.toThrow(/redis:\/\//);
    await expect(startHttp(createWorld(), { args: ['--redis', 'http://user:secret-word@127.0.0.1'] })).rejects.not.toThrow(/secret-word/);
  });
});
