/** Real upstream servers over HTTP, of every generation: each message arrives unchanged. */
import { randomUUID } from 'node:crypto';
import { getRequestListener } from '@hono/node-server';
import { InMemoryEventStore } from '@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js';
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler, McpServer as McpServer2 } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { silentLog } from '../src/log.js';
import { httpTransport } from '../src/sources/upstream/transports/index.js';
import { onTransport } from './support/on-transport.js';
import { serveWeb } from './support/web-server.js';

const connect = (url: string, headers?: Record<string, string>) => onTransport(httpTransport({ url, headers }, { log: silentLog }));

/** A server of SDK v1 with a tool that echoes, one that asks back, one that reports, one that lets go of its stream, one that never ends. */
function serverV1(): McpServer1 {
  const server = new McpServer1({ name: 'v1', version: '1' }, { capabilities: { logging: {} } });
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => ({ content: [{ type: 'text', text }] }));
  server.registerTool('ask', {}, async (extra) => {
    const { roots } = await server.server.listRoots(undefined, { relatedRequestId: extra.requestId } as never);
    return { content: [{ type: 'text', text: JSON.stringify(roots) }] };
  });
  server.registerTool('ask_on_the_stream', {}, async () => {
    const { roots } = await server.server.listRoots();
    return { content: [{ type: 'text', text: JSON.stringify(roots) }] };
  });
  server.registerTool('report', {}, async (extra) => {
    await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'on the way' } });
    return { content: [{ type: 'text', text: 'done' }] };
  });
  server.registerTool('poll', {}, async (extra) => {
    extra.closeSSEStream?.();
    await new Promise((resolve) => setTimeout(resolve, 200));
    return { content: [{ type: 'text', text: 'after all' }] };
  });
  server.registerTool('endless', {}, async (extra) => {
    await new Promise((resolve) => extra.signal.addEventListener('abort', resolve));
    await server.server.sendLoggingMessage({ level: 'info', data: 'cancelled' });
    return { content: [] };
  });
  return server;
}

async function serveV1(options: { enableJsonResponse?: boolean; resumable?: boolean; silentStream?: boolean } = {}) {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const web = await serveWeb(async ({ request, response, message }) => {
    if (options.silentStream && request.method === 'GET') return;
    const id = request.headers['mcp-session-id'];
    let transport = typeof id === 'string' ? sessions.get(id) : undefined;
    if (transport === undefined && message?.method !== 'initialize') {
      response.writeHead(404).end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}');
      return;
    }
    if (transport === undefined) {
      const made: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        enableJsonResponse: options.enableJsonResponse ?? false,
        ...(options.resumable ? { eventStore: new InMemoryEventStore(), retryInterval: 60 } : {}),
        onsessioninitialized: (session) => {
          sessions.set(session, made);
        },
        onsessionclosed: (session) => {
          sessions.delete(session);
        },
      });
      transport = made;
      await serverV1().connect(transport as never);
    }
    await transport.handleRequest(request, response, message);
  });
  return { ...web, sessions };
}

describe('a server of SDK v1 with sessions', () => {
  it.each([
    ['events', false],
    ['JSON', true],
  ])('answers calls side by side with %s', async (_kind, enableJsonResponse) => {
    const server = await serveV1({ enableJsonResponse });
    const near = await connect(server.url);
    expect((await near.initialize()).result.serverInfo.name).toBe('v1');
    const texts = Array.from({ length: 50 }, (_, at) => `${at} grüße 🎉 ${'x'.repeat(at * 500)}`);
    const answers = await Promise.all(texts.map((text) => near.request('tools/call', { name: 'echo', arguments: { text } })));
    expect(answers.map(({ result }) => result.content[0].text)).toEqual(texts);
    const [, call] = server.calls.filter(({ message }) => message?.method !== 'initialize');
    expect(call?.request.headers).toMatchObject({ 'mcp-protocol-version': '2025-11-25', 'mcp-session-id': expect.any(String) });
  });

  it('forwards requests of the server and their answers', async () => {
    const near = await connect((await serveV1()).url);
    await near.initialize();
    const answer = near.request('tools/call', { name: 'ask' });
    const question = await near.seen(({ method }) => method === 'roots/list');
    near.transport.send({ jsonrpc: '2.0', id: question.id, result: { roots: [{ uri: 'file:///here' }] } });
    expect((await answer).result.content[0].text).toBe('[{"uri":"file:///here"}]');
  });

  it('can ask back during the first call, on the stream of the session', async () => {
    const near = await connect((await serveV1()).url);
    await near.initialize();
    const answer = near.request('tools/call', { name: 'ask_on_the_stream' });
    const question = await near.seen(({ method }) => method === 'roots/list');
    near.transport.send({ jsonrpc: '2.0', id: question.id, result: { roots: [{ uri: 'file:///here' }] } });
    expect((await answer).result.content[0].text).toBe('[{"uri":"file:///here"}]');
  });

  it('receives a call although it never answers the request for the stream', async () => {
    const server = await serveV1({ silentStream: true });
    const near = await connect(server.url);
    await near.initialize();
    const { result } = await near.request('tools/call', { name: 'echo', arguments: { text: 'hello' } });
    expect(result.content[0].text).toBe('hello');
  });

  it('forwards notifications during a call and without one', async () => {
    const server = await serveV1();
    const near = await connect(server.url);
    await near.initialize();
    await near.request('tools/call', { name: 'report' });
    expect(near.received.at(-2)).toMatchObject({ method: 'notifications/message', params: { data: 'on the way' } });
    await expect.poll(() => server.calls.some(({ request }) => request.method === 'GET')).toBe(true);
    const [transport] = server.sessions.values();
    await transport?.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await near.seen(({ method }) => method === 'notifications/tools/list_changed');
  });

  it('resumes an answer whose stream the server closed', async () => {
    const near = await connect((await serveV1({ resumable: true })).url);
    await near.initialize();
    expect((await near.request('tools/call', { name: 'poll' })).result.content[0].text).toBe('after all');
  });

  it('receives a cancellation, and its stream is closed', async () => {
    const server = await serveV1();
    const near = await connect(server.url);
    await near.initialize();
    await near.request('ping');
    void near.request('tools/call', { name: 'endless' }, 'gone');
    await expect.poll(() => server.calls.some(({ message }) => message?.id === 'gone')).toBe(true);
    const call = server.calls.find(({ message }) => message?.id === 'gone');
    near.notify('notifications/cancelled', { requestId: 'gone' });
    await near.seen(({ params }) => params?.data === 'cancelled');
    await expect.poll(() => call?.response.destroyed).toBe(true);
    expect(near.received.some(({ id }) => id === 'gone')).toBe(false);
  });

  it('receives a DELETE for its session on closing', async () => {
    const server = await serveV1();
    const near = await connect(server.url);
    await near.initialize();
    await near.request('ping');
    expect(server.sessions.size).toBe(1);
    await near.transport.close();
    expect(server.sessions.size).toBe(0);
    expect(near.closed).toEqual([]);
  });

  it('ends the connection and all calls when the session has expired', async () => {
    const server = await serveV1();
    const near = await connect(server.url);
    await near.initialize();
    await near.request('ping');
    const endless = near.request('tools/call', { name: 'endless' });
    await expect.poll(() => server.calls.some(({ message }) => message?.params?.name === 'endless')).toBe(true);
    server.sessions.clear();
    const reason = expect.stringMatching(/^The session with the server at 127\.0\.0\.1:\d+ has expired\.$/);
    expect((await near.request('ping')).error.message).toEqual(reason);
    expect((await endless).error.message).toEqual(reason);
    expect(near.closed.map(({ message }) => message)).toEqual([reason]);
    expect((await near.request('ping')).error.message).toMatch(/closed/);
  });
});

describe('a server of SDK v2', () => {
  async function serveV2() {
    const handler = createMcpHandler(() => {
      const server = new McpServer2({ name: 'v2', version: '1' });
      server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({ content: [{ type: 'text', text }] }));
      server.registerPrompt('größe', {}, () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'groß' } }] }));
      server.registerTool('endless', {}, async (context) => {
        running = true;
        await new Promise((resolve) => context.mcpReq.signal.addEventListener('abort', resolve));
        aborted = true;
        return { content: [] };
      });
      return server;
    });
    let [running, aborted] = [false, false];
    onTestFinished(() => handler.close());
    const listener = getRequestListener((request) => handler.fetch(request));
    const web = await serveWeb(({ request, response }) => listener(request, response), { reads: false });
    return { ...web, handler, isRunning: () => running, isAborted: () => aborted };
  }

  it('answers in the legacy era without a session', async () => {
    const near = await connect((await serveV2()).url);
    expect((await near.initialize()).result.protocolVersion).toBe('2025-11-25');
    const { result } = await near.request('tools/call', { name: 'echo', arguments: { text: 'hello' } });
    expect(result.content[0].text).toBe('hello');
  });

  it('answers in the modern era, also for names that are not ASCII', async () => {
    const near = await connect((await serveV2()).url);
    expect((await near.requestModern('server/discover')).result.supportedVersions).toContain('2026-07-28');
    near.transport.agreed?.('2026-07-28');
    const { result } = await near.requestModern('tools/call', { name: 'echo', arguments: { text: 'hello' } });
    expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'hello' }] });
    expect((await near.requestModern('prompts/get', { name: 'größe' })).result.messages[0].content.text).toBe('groß');
    expect((await near.requestModern('no/such')).error.code).toBe(-32_601);
  });

  it('forwards notifications of a subscription until it ends', async () => {
    const { handler, url } = await serveV2();
    const near = await connect(url);
    const over = near.requestModern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    await near.seen(({ method }) => method === 'notifications/subscriptions/acknowledged');
    handler.notify.toolsChanged();
    await near.seen(({ method }) => method === 'notifications/tools/list_changed');
    await handler.close();
    expect(await over).toHaveProperty('id');
  });

  it('receives a cancellation by the closed request', async () => {
    const server = await serveV2();
    const near = await connect(server.url);
    await near.requestModern('server/discover');
    void near.requestModern('tools/call', { name: 'endless' }, 'gone');
    await expect.poll(server.isRunning).toBe(true);
    near.notify('notifications/cancelled', { requestId: 'gone' });
    await expect.poll(server.isAborted).toBe(true);
    expect(server.calls).toHaveLength(2);
    expect(near.received.some(({ id }) => id === 'gone')).toBe(false);
  });
});

describe('a server with HTTP+SSE', () => {
  async function serveOld(endpoint = '/messages') {
    const transports = new Map<string, SSEServerTransport>();
    return serveWeb(
      async ({ request, response }) => {
        const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
        if (pathname === '/sse' && request.method === 'GET') {
          const transport = new SSEServerTransport(endpoint, response);
          transports.set(transport.sessionId, transport);
          await serverV1().connect(transport);
        } else if (pathname === '/messages')
          await transports.get(searchParams.get('sessionId') ?? '')?.handlePostMessage(request, response);
        else response.writeHead(404).end('Cannot POST /sse');
      },
      { reads: false, path: '/sse' },
    );
  }

  it.each(['initialize', 'server/discover'])('is detected by its answer to %s', async (method) => {
    const server = await serveOld();
    const near = await connect(server.url, { authorization: 'Bearer secret' });
    if (method === 'server/discover') expect((await near.requestModern(method)).error.code).toBe(-32_601);
    expect((await near.initialize()).result.serverInfo.name).toBe('v1');
    const answers = await Promise.all(['a', 'b', 'c'].map((text) => near.request('tools/call', { name: 'echo', arguments: { text } })));
    expect(answers.map(({ result }) => result.content[0].text)).toEqual(['a', 'b', 'c']);
    expect(server.calls.every(({ request }) => request.headers.authorization === 'Bearer secret')).toBe(true);
  });

  it('ends the connection when its stream ends', async () => {
    const server = await serveOld();
    const near = await connect(server.url);
    await near.initialize();
    const endless = near.request('tools/call', { name: 'endless' });
    await expect.poll(() => server.calls.filter(({ request }) => request.method === 'POST').length).toBe(4);
    await server.stop();
    expect((await endless).error.message).toMatch(/event stream from the server at .* ended/);
    expect(near.closed).toHaveLength(1);
  });

  it('is not used with an endpoint at another origin', async () => {
    const elsewhere = await serveWeb(({ response }) => response.end());
    const server = await serveWeb(({ request, response }) => {
      if (request.method === 'POST') response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`event: endpoint\ndata: ${elsewhere.url}\n\n`);
    });
    const near = await connect(server.url);
    expect((await near.initialize()).error).toMatchObject({ code: -32_000, data: { httpStatus: 404 } });
    expect(elsewhere.calls).toHaveLength(0);
  });
});
