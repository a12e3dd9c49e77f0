/** One dispatcher answers requests of every transport. */
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { Client, SSEClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler, InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { Catalog, createServer, defineResource, defineResources, skillFolders } from 'footbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import { compose } from '../src/serve/dispatch/compose.js';
import { serveHttp } from '../src/serve/http/index.js';
import type { Answer } from '../src/serve/messages.js';
import { serveStdio } from '../src/serve/stdio.js';
import { createRequestLog } from '../src/serve/telemetry/request-log.js';
import { createWorld } from './support/folders.js';
import { post, postModern, until } from './support/http-server.js';

type Json = ReturnType<typeof JSON.parse>;
type Ask = (method: string, params: Json) => Promise<Json>;

const CLIENT = { name: 'test', version: '1' };
const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT };
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': {},
};

function world() {
  const made = createWorld();
  made.skill('project/skills/git');
  made.skill('project/skills/office/pdf');
  made.write('project/skills/git/logo.png', Buffer.from('89504e470d0a1a0a', 'hex'));
  return made;
}

function sources(folder: string) {
  let [cancelled, reading] = [0, 0];
  const waiting = defineResource({
    uri: 'docs://waiting',
    name: 'waiting',
    read: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        reading++;
        signal.addEventListener('abort', () => {
          cancelled++;
          reject(signal.reason);
        });
      }),
  });
  const page = defineResource({ uri: 'docs://page', name: 'page', read: () => ({ title: 'Page', numbers: [1, 2.5] }) });
  const list = [skillFolders({ folders: [folder], standardFolders: false, watch: false }), defineResources([page, waiting])];
  return { list, cancelled: () => cancelled, reading: () => reading };
}

/** A host over lines, as over stdio. */
async function lines(folder: string) {
  const { cancelled, list } = sources(folder);
  const catalog = await Catalog.open(list);
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const served = serveStdio({ catalog, stdin, stdout, stopped: () => new Promise(() => {}) });
  onTestFinished(async () => {
    stdin.end();
    await served;
    catalog.close();
  });
  const messages: Json[] = [];
  createInterface({ input: stdout }).on('line', (line) => messages.push(JSON.parse(line)));
  const send = (message: object) => void stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let count = 0;
  const ask: Ask = async (method, params) => {
    const id = `r${++count}`;
    send({ id, method, params });
    await until(() => messages.some((message) => message.id === id));
    return messages.find((message) => message.id === id);
  };
  return { ask, send, messages, cancelled };
}

/** A host with an SDK server in memory. */
async function memory(folder: string): Promise<Ask> {
  const catalog = await Catalog.open(sources(folder).list);
  const server = createServer({ catalog });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const messages: Json[] = [];
  ours.onmessage = (message) => void messages.push(JSON.parse(JSON.stringify(message)));
  await server.connect(theirs);
  await ours.start();
  onTestFinished(async () => {
    await server.close();
    catalog.close();
  });
  let count = 0;
  return async (method, params) => {
    const id = ++count;
    await ours.send({ jsonrpc: '2.0', id, method, params } as JSONRPCMessage);
    await until(() => messages.some((message) => message.id === id));
    return messages.find((message) => message.id === id);
  };
}

async function http(folder: string) {
  const { list, ...counts } = sources(folder);
  const server = await serveHttp({ host: '127.0.0.1', port: 0, sources: list, log: createRequestLog('silent') });
  onTestFinished(() => server.close());
  return { endpoint: server.endpoint, ...counts };
}

/** One of each kind of answer. */
const REQUESTS: readonly [method: string, params: Json][] = [
  ['tools/list', {}],
  ['resources/list', {}],
  ['resources/list', { cursor: 'nonsense' }],
  ['resources/templates/list', {}],
  ['resources/read', { uri: 'docs://page' }],
  ['resources/read', { uri: 'skill://git/SKILL.md' }],
  ['resources/read', { uri: 'skill://git/logo.png' }],
  ['resources/read', { uri: 'skill://nope/SKILL.md' }],
  ['resources/read', { uri: 'skill://git/../../etc/passwd' }],
  ['resources/read', { uri: '' }],
  ['resources/read', {}],
  ['tools/call', { name: 'get_resource', arguments: { uri: 'docs://page' } }],
  ['tools/call', { name: 'get_resource', arguments: {} }],
  ['tools/call', { name: 'get_resource' }],
  ['tools/call', { name: 'get_resource', arguments: { uri: 'docs://nothing' } }],
  ['tools/call', { name: 'get_resource', arguments: { uri: 1 } }],
  ['tools/call', { name: 'get_resource', arguments: 'docs://page' }],
  ['tools/call', { name: 'get_resource', arguments: { uri: 'docs://page' }, _meta: { progressToken: 1 } }],
  ['tools/call', { name: 'get_resources', arguments: { uris: ['docs://page', 'docs://nothing'] } }],
  ['tools/call', { name: 'get_skill', arguments: { uri: 'skill://git/SKILL.md' } }],
  ['tools/call', { name: 'skill', arguments: { name: 'office:pdf' } }],
  ['tools/call', { name: 'skill', arguments: { name: 'none' } }],
  ['tools/call', { name: 'list_skills', arguments: { query: 'git' } }],
  ['tools/call', { name: 'unknown', arguments: {} }],
  ['tools/call', { arguments: {} }],
  ['completion/complete', { ref: { type: 'ref/resource', uri: 'skill://{+path}' }, argument: { name: 'path', value: 'gi' } }],
  ['prompts/list', {}],
  ['skills/list', {}],
  ['skills/get', { uri: 'skill://git/SKILL.md' }],
  ['nobody/knows', {}],
];

/** Without what differs between eras, requests and moments. */
function comparable({ id: _, jsonrpc: __, ...answer }: Json): Json {
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, _meta, ...result } = answer.result ?? {};
  const { 'io.modelcontextprotocol/serverInfo': _info, ...meta } = _meta ?? {};
  const own = answer.result === undefined ? {} : { result: { ...result, ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }) } };
  return JSON.parse(JSON.stringify({ ...answer, ...own }).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'now'));
}

describe('a request has the same answer', () => {
  it('over lines, in memory and over HTTP, in both eras, with a session, without one and over SSE', async () => {
    const { project } = world();
    const folder = `${project}/skills`;
    const stdio = await lines(folder);
    await stdio.ask('initialize', INITIALIZE);
    stdio.send({ method: 'notifications/initialized' });
    const modern = await lines(folder);
    const { endpoint } = await http(folder);
    const begun = await post(endpoint, { jsonrpc: '2.0', id: 0, method: 'initialize', params: INITIALIZE });
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' };
    const posted =
      (headers: Record<string, string>): Ask =>
      async (method, params) => {
        const answer = await post(endpoint, { jsonrpc: '2.0', id: 7, method, params }, headers);
        expect(answer.headers.get('content-type')).toMatch(/^application\/json|^text\/event-stream/);
        return answer.message;
      };
    const asks: Readonly<Record<string, Ask>> = {
      memory: await memory(folder),
      'lines, 2026-07-28': (method, params) => modern.ask(method, { ...params, _meta: { ...params._meta, ...ENVELOPE } }),
      'HTTP, 2026-07-28': async (method, params) => (await postModern(endpoint, method, params, { meta: params._meta })).message,
      'HTTP, no session': posted({}),
      'HTTP, session': posted(session),
    };
    for (const [method, params] of REQUESTS) {
      const expected = comparable(await stdio.ask(method, params));
      for (const [name, ask] of Object.entries(asks))
        expect(comparable(await ask(method, params)), `${name}: ${method} ${JSON.stringify(params)}`).toEqual(expected);
    }
    const client = new Client(CLIENT);
    await client.connect(new SSEClientTransport(new URL(endpoint.replace('/mcp', '/sse'))));
    onTestFinished(() => client.close());
    const called = await client.callTool({ name: 'skill', arguments: { name: 'git' } });
    expect(called.content).toEqual((await stdio.ask('tools/call', { name: 'skill', arguments: { name: 'git' } })).result.content);
  });

  it('as JSON when it is quick, and as events when it takes longer or there is progress', async () => {
    const { endpoint } = await http(`${world().project}/skills`);
    const begun = await post(endpoint, { jsonrpc: '2.0', id: 0, method: 'initialize', params: INITIALIZE });
    expect(begun.headers.get('mcp-session-id')).toMatch(/^[\w-]{36}$/);
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' };
    const accept = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const waiting = await fetch(endpoint, {
      method: 'POST',
      headers: { ...accept, ...session },
      body: JSON.stringify({ jsonrpc: '2.0', id: 'w', method: 'resources/read', params: { uri: 'docs://waiting' } }),
    });
    expect(waiting.headers.get('content-type')).toBe('text/event-stream');
    await post(endpoint, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'w' } }, session);
    expect(await waiting.text()).toMatch(/^id: \S+\nretry: 1000\ndata: \n\nevent: message\nid: \S+\ndata: \{.*"id":"w".*\}\n\n$/);
  });
});

describe('a batch of an older revision', () => {
  it('gets a list of answers, and its notifications none', async () => {
    const { endpoint } = await http(`${world().project}/skills`);
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'resources/read', params: { uri: 'docs://page' } },
    ];
    const { message } = await post(endpoint, batch);
    expect(message.map(({ id }: Json) => id).sort()).toEqual([1, 2]);
    expect(
      (
        await post(
          endpoint,
          Array.from({ length: 101 }, () => batch[0]),
        )
      ).status,
    ).toBe(400);
  });
});

describe('a cancelled request', () => {
  it('has no answer over lines', async () => {
    const host = await lines(`${world().project}/skills`);
    await host.ask('initialize', INITIALIZE);
    for (const [index, params] of [
      ['tools/call', { name: 'get_resource', arguments: { uri: 'docs://waiting' } }] as const,
      ['resources/read', { uri: 'docs://waiting' }] as const,
    ].entries()) {
      host.send({ id: `c${index}`, method: params[0], params: params[1] });
      await host.ask('ping', {});
      host.send({ method: 'notifications/cancelled', params: { requestId: `c${index}` } });
      await until(() => host.cancelled() === index + 1);
    }
    await host.ask('ping', {});
    expect(host.messages.filter(({ id }) => String(id).startsWith('c'))).toEqual([]);
  });

  it('is one whose client disconnected, over HTTP', async () => {
    const { cancelled, endpoint, reading } = await http(`${world().project}/skills`);
    const leave = new AbortController();
    const uri = 'docs://waiting';
    const asked = fetch(endpoint, {
      method: 'POST',
      signal: leave.signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'resources/read',
        'mcp-name': uri,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri, _meta: ENVELOPE } }),
    });
    await until(() => reading() === 1);
    leave.abort();
    await expect(asked).rejects.toThrow();
    await until(() => cancelled() === 1);
  });
});

describe('a connection uses one era', () => {
  it('accepts initialize after server/discover', async () => {
    const host = await lines(`${world().project}/skills`);
    expect((await host.ask('server/discover', { _meta: ENVELOPE })).result.supportedVersions).toEqual(['2026-07-28']);
    expect((await host.ask('initialize', INITIALIZE)).result.protocolVersion).toBe('2025-11-25');
    expect((await host.ask('tools/list', {})).result.resultType).toBeUndefined();
  });

  it('rejects a request without an envelope after one with an envelope', async () => {
    const host = await lines(`${world().project}/skills`);
    expect((await host.ask('tools/list', { _meta: ENVELOPE })).result.resultType).toBe('complete');
    expect((await host.ask('tools/list', {})).error.code).toBe(-32602);
  });

  it.each([
    ['a malformed envelope', { ...ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': 5 }, -32602],
    ['another revision', { ...ENVELOPE, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' }, -32022],
  ])('refuses %s', async (_, _meta, code) => {
    const host = await lines(`${world().project}/skills`);
    expect((await host.ask('tools/call', { name: 'list_skills', arguments: {}, _meta })).error.code).toBe(code);
  });
});

describe('a server of the SDK over HTTP', () => {
  const ask = async (method: string, params: Json, name = '') => {
    const catalog = await Catalog.open([]);
    const handler = createMcpHandler(() => createServer({ catalog, announce: false }));
    onTestFinished(async () => {
      await handler.close();
      catalog.close();
    });
    const response = await handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(name === '' ? {} : { 'mcp-name': name }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: ENVELOPE } }),
      }),
    );
    return { status: response.status, answer: (await response.json()) as Json };
  };

  it('answers an unknown method with 404', async () => {
    expect(await ask('unknown/method', {})).toMatchObject({ status: 404, answer: { id: 1, error: { code: -32601 } } });
  });

  it('rejects a call whose arguments are not an object', async () => {
    const error = { code: -32602, message: expect.stringContaining('arguments') };
    expect(await ask('tools/call', { name: 'list_skills', arguments: 'all' }, 'list_skills')).toMatchObject({
      status: 200,
      answer: { error },
    });
  });

  it('answers a call', async () => {
    const result = { resultType: 'complete', structuredContent: { skills: [] } };
    expect(await ask('tools/call', { name: 'list_skills', arguments: {} }, 'list_skills')).toMatchObject({
      status: 200,
      answer: { result },
    });
  });
});

it('middleware runs in order around the dispatcher, and may answer itself', async () => {
  const order: string[] = [];
  const answer: Answer = { jsonrpc: '2.0', id: 1, result: {} };
  const around = (name: string) => async (_request: unknown, _scope: unknown, next: () => Promise<Answer>) => {
    order.push(`${name} in`);
    const given = await next();
    order.push(`${name} out`);
    return given;
  };
  const dispatch = async () => {
    order.push('dispatch');
    return answer;
  };
  const request = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
  await compose([around('a'), around('b')], dispatch)(request, undefined as never);
  expect(order).toEqual(['a in', 'b in', 'dispatch', 'b out', 'a out']);
  const refused: Answer = { jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'no' } };
  expect(await compose([async () => refused, around('c')], dispatch)(request, undefined as never)).toBe(refused);
  expect(order).toHaveLength(5);
});
