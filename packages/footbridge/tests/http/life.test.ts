/** A running server: long calls, clients that disconnect, and shutdown. */
import { connect } from 'node:net';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { defineResource, defineResources, skillFolders } from 'footbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveHttp } from '../../src/serve/http/index.js';
import type { HttpAccess } from '../../src/serve/http/options.js';
import { createRequestLog } from '../../src/serve/telemetry/request-log.js';
import type { Json } from '../support/client.js';
import { createWorld } from '../support/folders.js';
import { post, postModern, until } from '../support/http-server.js';
import { bearer, tokensOf } from '../support/tokens.js';

/** A server with a resource that is read when `release` is called. */
async function startSlow(access: HttpAccess = {}) {
  const world = createWorld();
  const waiting = new Set<() => void>();
  const slow = defineResource({
    uri: 'slow://{id}',
    name: 'slow',
    read: async ({ id }: { id: string }) => {
      await new Promise<void>((resolve) => waiting.add(resolve));
      return `slow ${id}`;
    },
  });
  const skills = skillFolders({ folders: [`${world.project}/skills`], standardFolders: false, watch: false });
  const server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    sources: [skills, defineResources([slow])],
    access,
    log: createRequestLog('silent'),
  });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= server.close();
    return closed;
  };
  const release = () => {
    for (const each of waiting) each();
    waiting.clear();
  };
  onTestFinished(async () => {
    release();
    await close();
  });
  const metric = async (name: string) => {
    const text = await (await fetch(new URL('/metrics', server.endpoint), { headers: bearer('admin') })).text();
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  };
  return { world, skills, endpoint: server.endpoint, origin: new URL(server.endpoint).origin, waiting, release, close, metric };
}

const read = (id: string) => ({ name: 'get_resource', arguments: { uri: `slow://${id}` } });

describe('stopping', () => {
  it('waits for the answers to calls of every kind', async () => {
    const server = await startSlow();
    const url = new URL(server.endpoint);
    const clients = await Promise.all(
      [
        [new StreamableHTTPClientTransport(url), 'auto'],
        [new StreamableHTTPClientTransport(url), 'legacy'],
        [new SSEClientTransport(new URL('/sse', url)), 'legacy'],
      ].map(async ([transport, mode]: Json) => {
        const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
        await client.connect(transport);
        onTestFinished(() => client.close());
        return client;
      }),
    );
    const calls = clients.map((client, index) => client.callTool(read(`call-${index}`)));
    const batch = post(server.endpoint, [{ jsonrpc: '2.0', id: 9, method: 'tools/call', params: read('batch') }]);
    await until(() => server.waiting.size === 4);
    const closed = server.close();
    await until(() =>
      fetch(server.endpoint).then(
        () => false,
        () => true,
      ),
    );
    server.release();
    for (const [index, call] of calls.entries()) expect(JSON.stringify((await call).content)).toContain(`slow call-${index}`);
    expect(JSON.stringify((await batch).message)).toContain('slow batch');
    await closed;
  });

  it('does not wait for connections without a request', async () => {
    const server = await startSlow();
    const socket = connect(Number(new URL(server.endpoint).port), '127.0.0.1');
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    socket.write('POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{');
    await until(async () => (await fetch(`${server.origin}/healthz`)).ok);
    const ended = new Promise((resolve) => socket.once('close', resolve));
    await server.close();
    await ended;
  });
});

describe('concurrent calls', () => {
  it.each(['modern', 'session', 'sse'] as const)('are limited per caller: %s', async (kind) => {
    const server = await startSlow({ tokens: tokensOf('busy', 'quiet', 'admin'), limits: { concurrent: 2 } });
    const connectAs = async (name: string) => {
      const requestInit = { headers: bearer(name) };
      const mode = kind === 'modern' ? 'auto' : 'legacy';
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      const transport =
        kind === 'sse'
          ? new SSEClientTransport(new URL('/sse', server.origin), { requestInit })
          : new StreamableHTTPClientTransport(new URL(server.endpoint), { requestInit });
      await client.connect(transport);
      onTestFinished(() => client.close());
      return client;
    };
    const busy = await connectAs('busy');
    const quiet = await connectAs('quiet');
    const running = ['one', 'two'].map((id) => busy.callTool(read(id)));
    await until(() => server.waiting.size === 2);
    await expect(busy.callTool(read('three'))).rejects.toThrow(/Too many concurrent calls|429/);
    const other = quiet.callTool(read('four'));
    await until(() => server.waiting.size === 3);
    server.release();
    await Promise.all([...running, other]);
    const again = busy.callTool(read('five'));
    await until(() => server.waiting.size === 1);
    server.release();
    expect(JSON.stringify((await again).content)).toContain('slow five');
  });
});

describe('clients that disconnect', () => {
  it('leave no stream, session or slot behind', async () => {
    const server = await startSlow({ tokens: tokensOf('me', 'admin'), limits: { concurrent: 5 } });
    const port = Number(new URL(server.endpoint).port);
    const { authorization } = bearer('me');
    for (let round = 0; round < 30; round++) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(`GET /sse HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${authorization}\r\n\r\n`);
      await new Promise((resolve) => setTimeout(resolve, round % 5));
      socket.resetAndDestroy();
    }
    await until(async () => (await server.metric('footbridge_streams')) === 0 && (await server.metric('footbridge_sessions')) === 0);
    const list = await postModern(server.endpoint, 'tools/list', {}, { headers: bearer('me') });
    expect(list.status).toBe(200);
  });

  it('free their slot without waiting for the answer', async () => {
    const server = await startSlow({ tokens: tokensOf('me', 'admin'), limits: { concurrent: 1 } });
    const controller = new AbortController();
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: read('left') };
    const left = fetch(server.endpoint, {
      method: 'POST',
      signal: controller.signal,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...bearer('me') },
      body: JSON.stringify(call),
    }).catch(() => 'left');
    await until(() => server.waiting.size === 1);
    controller.abort();
    expect(await left).toBe('left');
    await until(async () => (await postModern(server.endpoint, 'tools/list', {}, { headers: bearer('me') })).status === 200);
  });
});

describe('a connection', () => {
  it('cannot send without limit while requests are unanswered', async () => {
    const server = await startSlow();
    const port = Number(new URL(server.endpoint).port);
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    const ended = new Promise((resolve) => socket.once('close', resolve));
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: read('piped') });
    const head = `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n`;
    socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`.repeat(20));
    await ended;
  });

  it.each(['/.well-known/../api/catalog', '/.well-known/%2e%2e/api/catalog', '/api/./catalog'])('cannot request %s', async (path) => {
    const server = await startSlow({ tokens: tokensOf('me') });
    const socket = connect(Number(new URL(server.endpoint).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(text).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('can open the page at a loopback address', async () => {
    const server = await startSlow();
    const host = new URL(server.endpoint).host;
    expect((await postModern(server.endpoint, 'tools/list', {}, { headers: { origin: `http://${host}` } })).status).toBe(200);
  });
});

describe('initialize', () => {
  it('has a size limit', async () => {
    const server = await startSlow();
    const clientInfo = { name: 'x'.repeat(100_000), version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    expect((await post(server.endpoint, { jsonrpc: '2.0', id: 0, method: 'initialize', params })).status).toBe(413);
    expect(await server.metric('footbridge_sessions')).toBe(0);
  });

  it('leaves no session when it is rejected', async () => {
    const server = await startSlow();
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const opening = { jsonrpc: '2.0', id: 0, method: 'initialize', params };
    expect((await post(server.endpoint, opening, { accept: 'application/json' })).status).toBe(406);
    expect(await server.metric('footbridge_sessions')).toBe(0);
  });
});

describe('changes of hidden content', () => {
  it('are not announced', async () => {
    const server = await startSlow({
      tokens: tokensOf('reader', 'admin'),
      roles: { reader: { skills: ['open-*'], tools: ['*'] }, admin: { skills: ['*'], tools: ['*'] } },
    });
    const reported = { reader: 0, admin: 0 };
    for (const name of ['reader', 'admin'] as const) {
      const client = new Client({ name, version: '1' }, { versionNegotiation: { mode: 'auto' } });
      client.setNotificationHandler('notifications/tools/list_changed', () => void reported[name]++);
      await client.connect(new StreamableHTTPClientTransport(new URL(server.endpoint), { requestInit: { headers: bearer(name) } }));
      onTestFinished(() => client.close());
      await client.listen({ toolsListChanged: true });
    }
    server.world.skill('project/skills/hidden');
    await server.skills.refresh();
    await until(() => reported.admin === 1);
    server.world.skill('project/skills/open-to-all');
    await server.skills.refresh();
    await until(() => reported.reader === 1 && reported.admin === 2);
    expect(reported).toEqual({ reader: 1, admin: 2 });
  });
});
