/** The slot of a call is released however the call ends. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveHttp } from '../../src/serve/http/index.js';
import { createRequestLog } from '../../src/serve/telemetry/request-log.js';
import type { InternalSource } from '../../src/sources/source.js';
import { FakeUpstream } from '../support/fake-upstream.js';
import { post, postModern, until } from '../support/http-server.js';
import { openSse } from '../support/sse.js';
import { bearer, tokensOf } from '../support/tokens.js';

/** As many calls as one caller may have at once. */
const PLACES = 2;

/** A server with a tool that never ends, whatever it is told, and a tool of an upstream that never answers. */
async function start() {
  const called: number[] = [];
  const stuck = () => {
    called.push(called.length);
    return new Promise<never>(() => {});
  };
  const upstream = new FakeUpstream('dead', { answer: stuck });
  const entry = (name: string) => ({ name, inputSchema: { type: 'object' as const } });
  const source: InternalSource = {
    name: 'stuck',
    open: async () => ({
      tools: [
        { entry: entry('stuck'), call: stuck },
        { entry: entry('dead'), upstream, original: (name) => name },
      ],
      upstreams: [upstream],
    }),
    async refresh() {},
    close() {},
  };
  const access = { tokens: tokensOf('me'), limits: { concurrent: PLACES, sessions: 4 } };
  const server = await serveHttp({ host: '127.0.0.1', port: 0, sources: [source], access, log: createRequestLog('silent') });
  onTestFinished(() => server.close());
  return { ...server, origin: new URL(server.endpoint).origin, called };
}

const headers = bearer('me');
const call = (name: string, id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } });
const cancelled = (requestId: number) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
const OPENING = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

async function expectPlaces({ endpoint }: { endpoint: string }): Promise<void> {
  await until(async () => (await postModern(endpoint, 'tools/list', {}, { headers })).status === 200);
}

/** More calls than there are places, one after the other, each ended by `end`. */
async function overAndOver(server: { called: number[]; endpoint: string }, begin: (id: number) => Promise<() => Promise<unknown>>) {
  for (let id = 1; id <= PLACES + 2; id++) {
    const end = await begin(id);
    await until(() => server.called.length === id);
    await end();
    await expectPlaces(server);
  }
}

describe.each(['stuck', 'dead'])('a call of the tool %s frees its slot', (tool) => {
  it('over the SSE transport of 2024 when it is cancelled', async () => {
    const server = await start();
    const stream = await openSse(server.origin, headers);
    await stream.request(OPENING);
    await overAndOver(server, async (id) => {
      expect(await stream.post(call(tool, id))).toBe(202);
      return () => stream.post(cancelled(id));
    });
    expect((await stream.request({ jsonrpc: '2.0', id: 99, method: 'ping' })).result).toEqual({});
  });

  it('over the SSE transport of 2024 when the stream ends', async () => {
    const server = await start();
    await overAndOver(server, async (id) => {
      const stream = await openSse(server.origin, headers);
      await stream.request(OPENING);
      await stream.post(call(tool, id));
      return async () => stream.close();
    });
  });

  it('over the SSE transport of 2024 when two calls have the same id', async () => {
    const server = await start();
    const stream = await openSse(server.origin, headers);
    await stream.request(OPENING);
    for (let count = 1; count <= PLACES; count++) {
      await stream.post(call(tool, 7));
      await until(() => server.called.length === count);
    }
    stream.close();
    await expectPlaces(server);
  });

  it('in a session when it is cancelled, when the client leaves, and when the session is deleted', async () => {
    const server = await start();
    const begun = await post(server.endpoint, OPENING, headers);
    const session = { ...headers, 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
    const endings = [
      (id: number) => post(server.endpoint, cancelled(id), session),
      async (_: number, leave: AbortController) => leave.abort(),
      () => fetch(server.endpoint, { method: 'DELETE', headers: session }),
    ];
    for (const [index, end] of endings.entries()) {
      const leave = new AbortController();
      const calls = Array.from({ length: PLACES - 1 }, (_, count) => index * 10 + count + 1);
      const answered = calls.map((id) =>
        fetch(server.endpoint, {
          method: 'POST',
          signal: leave.signal,
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...session },
          body: JSON.stringify(call(tool, id)),
        })
          .then((response) => response.text())
          .catch(() => 'left'),
      );
      await until(() => server.called.length === (index + 1) * calls.length);
      await Promise.all(calls.map((id) => end(id, leave)));
      await Promise.all(answered);
      await expectPlaces(server);
    }
  });

  it('without a session when the client leaves', async () => {
    const server = await start();
    await overAndOver(server, async () => {
      const leave = new AbortController();
      const left = fetch(server.endpoint, {
        method: 'POST',
        signal: leave.signal,
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify(call(tool, 1)),
      }).catch(() => undefined);
      return async () => {
        leave.abort();
        await left;
      };
    });
  });
});

it('a session whose client abandoned an endless call can be evicted', async () => {
  const server = await start();
  // Of four sessions one caller may have two.
  for (let id = 1; id <= 5; id++) {
    const begun = await post(server.endpoint, OPENING, headers);
    expect(begun.status).toBe(200);
    const leave = new AbortController();
    const left = fetch(server.endpoint, {
      method: 'POST',
      signal: leave.signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
        'mcp-session-id': begun.headers.get('mcp-session-id') ?? '',
      },
      body: JSON.stringify(call('stuck', id)),
      // The stream has begun, so that leaving does not cancel the call.
    });
    const response = await left;
    await until(() => server.called.length === id);
    leave.abort();
    await response.text().catch(() => undefined);
    await expectPlaces(server);
  }
});
