/** Clients of every generation on one server, and the sessions of older ones. */
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as FirstSse } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as FirstStreamable } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWorld } from '../support/folders.js';
import { type HttpProcess, post, startHttp, until } from '../support/http-server.js';

interface Connected {
  /** How often it was told that the tools changed. */
  reported: number;
  description(): Promise<string>;
}

async function second(
  make: (origin: string) => StreamableHTTPClientTransport | SSEClientTransport,
  mode: 'legacy' | 'auto',
  origin: string,
) {
  const client = new Client({ name: 'second', version: '1' }, { versionNegotiation: { mode } });
  const connected: Connected = {
    reported: 0,
    description: async () => (await client.listTools()).tools.find(({ name }) => name === 'skill')?.description ?? '',
  };
  client.setNotificationHandler('notifications/tools/list_changed', () => void connected.reported++);
  await client.connect(make(origin));
  onTestFinished(() => client.close());
  if (mode === 'auto') await client.listen({ toolsListChanged: true });
  return connected;
}

async function first(transport: FirstSse | FirstStreamable) {
  const client = new FirstClient({ name: 'first', version: '1' });
  const connected: Connected = {
    reported: 0,
    description: async () => (await client.listTools()).tools.find(({ name }) => name === 'skill')?.description ?? '',
  };
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void connected.reported++);
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  onTestFinished(() => client.close());
  return connected;
}

const streamable = (origin: string) => new StreamableHTTPClientTransport(new URL('/mcp', origin));
const KINDS: Readonly<Record<string, (origin: string) => Promise<Connected>>> = {
  'SDK v1 over SSE': (origin) => first(new FirstSse(new URL('/sse', origin))),
  'SDK v1 with a session': (origin) => first(new FirstStreamable(new URL('/mcp', origin))),
  'SDK v2 over SSE': (origin) => second((at) => new SSEClientTransport(new URL('/sse', at)), 'legacy', origin),
  'SDK v2 with a session': (origin) => second(streamable, 'legacy', origin),
  'SDK v2 in 2026-07-28': (origin) => second(streamable, 'auto', origin),
};

describe('clients of every age', () => {
  it('share one server, and each is notified of a new skill', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/git');
    const { origin } = await startHttp(world);
    const clients = await Promise.all(Object.values(KINDS).map((connect) => connect(origin)));
    for (const client of clients) expect(await client.description()).not.toContain('<name>new</name>');
    world.skill('project/.agents/skills/new');
    for (const client of clients) {
      await until(() => client.reported > 0);
      expect(await client.description()).toContain('new');
    }
    expect(clients.map(({ reported }) => reported)).toEqual(clients.map(() => 1));
  });
});

const OPENING = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

async function begin(endpoint: string): Promise<Record<string, string>> {
  const { headers, status } = await post(endpoint, OPENING);
  expect(status).toBe(200);
  const session = { 'mcp-session-id': headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' };
  expect((await post(endpoint, { jsonrpc: '2.0', method: 'notifications/initialized' }, session)).status).toBe(202);
  return session;
}

interface Event {
  readonly id: string | undefined;
  readonly method: string | undefined;
}

/** Listens on a session's stream until `close`. */
async function listen(endpoint: string, headers: Record<string, string>) {
  const controller = new AbortController();
  const response = await fetch(endpoint, { headers: { accept: 'text/event-stream', ...headers }, signal: controller.signal });
  const events: Event[] = [];
  const read = async () => {
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const event = text.slice(0, end);
        text = text.slice(end + 2);
        const data = /^data: (.+)$/m.exec(event)?.[1];
        if (data !== undefined) events.push({ id: /^id: (.+)$/m.exec(event)?.[1], method: JSON.parse(data).method });
      }
    }
  };
  const ended = read().catch(() => {});
  return {
    status: response.status,
    events,
    ended,
    close: async () => {
      controller.abort();
      await ended;
    },
  };
}

describe('a session', () => {
  it('resumes a broken stream', async () => {
    const world = createWorld();
    const { endpoint } = await startHttp(world);
    const session = await begin(endpoint);
    const stream = await listen(endpoint, session);
    world.skill('project/.agents/skills/one');
    await until(() => stream.events.some(({ method }) => method === 'notifications/tools/list_changed'));
    const last = stream.events.at(-1)?.id ?? '';
    await stream.close();
    world.skill('project/.agents/skills/two');
    await until(async () =>
      JSON.stringify((await post(endpoint, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, session)).message).includes('two'),
    );
    const again = await listen(endpoint, { ...session, 'last-event-id': last });
    await until(() => again.events.some(({ method }) => method === 'notifications/tools/list_changed'));
    expect(again.events.every(({ id }) => id !== undefined && id !== last)).toBe(true);
    world.skill('project/.agents/skills/three');
    const before = again.events.length;
    await until(() => again.events.length > before);
    await again.close();
  });

  it('sends updates only of subscribed resources', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/watched');
    world.skill('project/.agents/skills/other');
    const { endpoint } = await startHttp(world);
    const session = await begin(endpoint);
    const stream = await listen(endpoint, session);
    const uri = 'skill://watched/SKILL.md';
    expect(
      (await post(endpoint, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } }, session)).message.result,
    ).toEqual({});
    world.skill('project/.agents/skills/other', { body: 'other words' });
    world.skill('project/.agents/skills/watched', { body: 'other words' });
    await until(() => stream.events.some(({ method }) => method === 'notifications/resources/updated'));
    expect(stream.events.filter(({ method }) => method === 'notifications/resources/updated')).toHaveLength(1);
    await stream.close();
  });

  it('ends on DELETE, and cannot be used without its ID', async () => {
    const { endpoint } = await startHttp(createWorld());
    const session = await begin(endpoint);
    const list = { jsonrpc: '2.0', id: 1, method: 'resources/list' };
    expect((await post(endpoint, list, session)).status).toBe(200);
    expect((await fetch(endpoint, { method: 'DELETE', headers: session })).status).toBe(200);
    const gone = await post(endpoint, list, session);
    expect([gone.status, gone.message.error.code]).toEqual([404, -32001]);
    const unknown = await post(endpoint, list, { 'mcp-session-id': crypto.randomUUID() });
    expect(unknown.status).toBe(404);
    expect(
      (await post(endpoint, { ...list, method: 'tools/call', params: { name: 'list_skills' } }, { 'mcp-session-id': 'x' })).status,
    ).toBe(404);
    expect((await fetch(endpoint, { headers: { accept: 'text/event-stream' } })).status).toBe(400);
  });
});

describe('stopping', () => {
  it('ends streams and exits with 0', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/git');
    const server: HttpProcess = await startHttp(world);
    const session = await begin(server.endpoint);
    const stream = await listen(server.endpoint, session);
    const old = await fetch(`${server.origin}/sse`);
    const running = post(
      server.endpoint,
      { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'skill', arguments: { name: 'git' } } },
      session,
    );
    expect((await running).message.result.content[0].text).toContain('Instructions of git');
    expect(await server.stop()).toBe(0);
    await stream.ended;
    await old.text();
  });
});
