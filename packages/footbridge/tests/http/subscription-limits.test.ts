/** Subscriptions take memory, so they are limited in number and length, per caller and in total. */
import { defineResource, defineResources } from 'footbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveHttp } from '../../src/serve/http/index.js';
import { createRequestLog } from '../../src/serve/telemetry/request-log.js';
import { RawClient } from '../support/client.js';
import { createWorld } from '../support/folders.js';
import { ENVELOPE, post, postModern, until } from '../support/http-server.js';
import { openSse } from '../support/sse.js';
import { bearer, tokensOf } from '../support/tokens.js';

const MANY = 5000;

async function start() {
  const note = defineResource({ uri: 'note://{id}', name: 'note', read: async ({ id }: { id: string }) => id });
  const access = { tokens: tokensOf(...Array.from({ length: 6 }, (_, number) => `caller-${number}`)), limits: { burst: 5000 } };
  const sources = [defineResources([note])];
  const server = await serveHttp({ host: '127.0.0.1', port: 0, sources, access, log: createRequestLog('silent') });
  onTestFinished(() => server.close());
  return { endpoint: server.endpoint, origin: new URL(server.endpoint).origin };
}

const uris = (count: number, length = 20) => Array.from({ length: count }, (_, index) => `note://${index}-`.padEnd(length, 'x'));
const filter = (resourceSubscriptions: unknown, more: object = {}) => ({ notifications: { resourceSubscriptions, ...more } });
const OPENING = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

/** Opens a subscription that stays open; resolves with the first event. */
async function listen(endpoint: string, name: string, params: object): Promise<string> {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const response = await fetch(endpoint, {
    method: 'POST',
    signal: controller.signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
      ...bearer(name),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { ...params, _meta: ENVELOPE } }),
  });
  const chunk = await response.body?.getReader().read();
  return new TextDecoder().decode(chunk?.value);
}

describe('subscriptions/listen', () => {
  it('is rejected with too many, too long or too large URIs', async () => {
    const { endpoint } = await start();
    const refused = async (params: object) =>
      (await postModern(endpoint, 'subscriptions/listen', { ...params }, { headers: bearer('caller-0') })).message.error;
    expect(await refused(filter(uris(MANY)))).toEqual({
      code: -32602,
      message: `subscriptions/listen may name 1024 resources; this one names ${MANY}. Name fewer.`,
    });
    expect((await refused(filter(uris(1, 9000)))).message).toBe('A URI has at most 8192 characters. This one has 9000.');
    expect((await refused(filter(uris(1000, 2000)))).message).toContain('subscriptions/listen may take 1048576 bytes.');
    // What is not a URI is kept as well.
    expect((await refused(filter([], { padding: Array(120_000).fill({ a: 'xxxx' }) }))).message).toContain('may take 1048576 bytes');
    expect((await refused({ ...filter([]), padding: 'x'.repeat(2_000_000) })).message).toContain('may take 1048576 bytes');
    expect(await listen(endpoint, 'caller-0', filter(uris(1024)))).toContain('acknowledged');
  });

  it('is limited per caller and in total, and releases its share at the end', async () => {
    const { endpoint } = await start();
    const large = filter(uris(900, 1000));
    for (const name of ['caller-0', 'caller-1', 'caller-2', 'caller-3']) {
      for (let count = 0; count < 4; count++) expect(await listen(endpoint, name, large)).toContain('acknowledged');
      expect(await listen(endpoint, name, large)).toContain('Your subscriptions would take more than 4194304 bytes. Unsubscribe');
    }
    let answer = '';
    for (let count = 0; count < 4 && !answer.includes('error'); count++) answer = await listen(endpoint, 'caller-4', large);
    expect(answer).toMatch(/The subscriptions of all callers take \d+ of 16777216 bytes. Try again later./);
  });
});

describe('resources/subscribe', () => {
  it.each(['session', 'sse'] as const)('is limited in bytes per connection and caller: %s', async (kind) => {
    const { endpoint, origin } = await start();
    const connect = async () => {
      if (kind === 'sse') {
        const stream = await openSse(origin, bearer('caller-0'));
        await stream.request(OPENING);
        return { request: (message: { id: number; [field: string]: unknown }) => stream.request(message), end: async () => stream.close() };
      }
      const { headers } = await post(endpoint, OPENING, bearer('caller-0'));
      const session = { ...bearer('caller-0'), 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
      const end = () => fetch(endpoint, { method: 'DELETE', headers: session });
      return { request: async (message: object) => (await post(endpoint, message, session)).message, end };
    };
    const subscribe = (uri: string, id: number) => ({ jsonrpc: '2.0', id, method: 'resources/subscribe', params: { uri } });
    /** Subscribes until that is refused; gives the reason. */
    const fill = async ({ request }: Awaited<ReturnType<typeof connect>>) => {
      for (let id = 1; ; id += 32) {
        const some = Array.from({ length: 32 }, (_, index) => request(subscribe(`note://${id + index}-`.padEnd(8192, 'x'), id + index)));
        const refused = (await Promise.all(some)).find(({ error }) => error !== undefined);
        if (refused !== undefined) return refused.error.message;
      }
    };
    const [first, second, third, fourth, last] = [await connect(), await connect(), await connect(), await connect(), await connect()];
    const long = await first.request(subscribe('x'.repeat(9000), 1));
    expect(long.error.message).toBe('A URI has at most 8192 characters. This one has 9000.');
    for (const each of [first, second, third, fourth])
      expect(await fill(each)).toContain('The subscriptions of a connection may take 1048576 bytes.');
    expect(await fill(last)).toContain('Your subscriptions would take more than 4194304 bytes.');
    // Ended connections give back what they took.
    await first.end();
    const again = async (id: number) => (await last.request(subscribe('note://again'.padEnd(8000, 'x'), id))).error;
    let id = 9000;
    await until(async () => (await again(id++)) === undefined);
  });
});

describe('client info', () => {
  const heavy = { experimental: { padding: { list: Array(100_000).fill([]) } } };

  it('has a size limit on every transport', async () => {
    const { endpoint, origin } = await start();
    const opening = { ...OPENING, params: { ...OPENING.params, capabilities: heavy } };
    expect((await post(endpoint, opening, bearer('caller-0'))).status).toBe(413);
    const stream = await openSse(origin, bearer('caller-0'));
    expect((await stream.request(opening)).error.message).toBe('initialize may take 65536 bytes. Send less client information.');
    const _meta = { ...ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': heavy };
    const modern = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: { _meta } };
    expect((await stream.request(modern)).error.message).toBe('_meta may take 65536 bytes. Send less client information.');
  });

  it('and subscriptions are limited over stdio', async () => {
    const world = createWorld();
    const client = await RawClient.start({ home: world.home, workingFolder: world.project, version: '2026-07-28' });
    const subscribed = await client.request('subscriptions/listen', { ...filter(uris(MANY)), _meta: ENVELOPE });
    expect(subscribed.error?.message).toContain('may name 1024 resources');
  });
});
