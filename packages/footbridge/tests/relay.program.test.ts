/** footbridge() adds our tools to an author's server and changes nothing else. */
import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import { join } from 'node:path';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer as McpServerV1, ResourceTemplate as ResourceTemplateV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { ListResourcesRequestSchema, ListToolsRequestSchema, ReadResourceRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { McpServer, ResourceTemplate, Server } from '@modelcontextprotocol/server';
import { createLog, type FootbridgeOptions, footbridge } from 'footbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from './support/client.js';
import { createWorld } from './support/folders.js';
import { connect, type MemoryClient } from './support/memory.js';
import { serve } from './support/server.js';
import { useSources } from './support/start.js';

useSources();

const names = async (client: MemoryClient) => (await client.request('tools/list')).result.tools.map(({ name }: { name: string }) => name);
const OURS = ['get_resource', 'get_resources'];

/** The same author's server in both generations. */
const GENERATIONS = {
  'SDK v1': () => {
    const server = new McpServerV1({ name: 'author', version: '1' }, { capabilities: { logging: {} } });
    server.registerTool('own', { description: 'Its own' }, () => ({ content: [{ type: 'text', text: 'own' }] }));
    server.registerResource('one', 'a://one', { description: 'First' }, (uri) => ({ contents: [{ uri: uri.href, text: '1' }] }));
    server.registerResource(
      'any',
      new ResourceTemplateV1('a://any/{x}', { list: undefined, complete: { x: () => ['left', 'right'] } }),
      {},
      (uri, { x }) => ({ contents: [{ uri: uri.href, text: String(x) }] }),
    );
    return server;
  },
  'SDK v2': () => {
    const server = new McpServer({ name: 'author', version: '1' }, { capabilities: { logging: {} } });
    server.registerTool('own', { description: 'Its own' }, () => ({ content: [{ type: 'text', text: 'own' }] }));
    server.registerResource('one', 'a://one', { description: 'First' }, (uri) => ({ contents: [{ uri: uri.href, text: '1' }] }));
    server.registerResource(
      'any',
      new ResourceTemplate('a://any/{x}', { list: undefined, complete: { x: () => ['left', 'right'] } }),
      {},
      (uri, { x }) => ({ contents: [{ uri: uri.href, text: String(x) }] }),
    );
    return server;
  },
};

/** The context differs between the generations. */
type Reader = (uri: URL, context: Json) => Json;

function addResource(server: McpServer | McpServerV1, name: string, uri: string, read: Reader): void {
  if (server instanceof McpServerV1) server.registerResource(name, uri, {}, read);
  else server.registerResource(name, uri, {}, read);
}

function addTool(server: McpServer | McpServerV1, name: string, text: string): void {
  const content = [{ type: 'text' as const, text }];
  if (server instanceof McpServerV1) server.registerTool(name, {}, () => ({ content }));
  else server.registerTool(name, {}, () => ({ content }));
}

describe.each(Object.entries(GENERATIONS))('a server on %s', (_, make) => {
  it('is the same object, with the built-in tools after its own', async () => {
    const server = make();
    expect(footbridge(server)).toBe(server);
    const client = await connect(server);
    expect(await names(client)).toEqual(['own', ...OURS]);
    expect((await client.call('own')).content[0].text).toBe('own');
    expect((await client.call('get_resource', { uri: 'a://one' })).structuredContent).toMatchObject({
      resource_name: 'one',
      data: { text: '1' },
    });
  });

  it('answers everything else with the same bytes as without Footbridge', async () => {
    const plain = await connect(make());
    const bridged = await connect(footbridge(make()));
    const questions: [string, object][] = [
      ['initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } }],
      ['ping', {}],
      ['resources/list', {}],
      ['resources/templates/list', {}],
      ['resources/read', { uri: 'a://one' }],
      ['resources/read', { uri: 'a://nowhere' }],
      ['resources/read', { uri: 'not a uri' }],
      ['resources/read', {}],
      ['prompts/list', {}],
      ['tools/call', { name: 'own' }],
      ['tools/call', { name: 'unknown' }],
      ['tools/call', {}],
      ['completion/complete', { ref: { type: 'ref/resource', uri: 'a://any/{x}' }, argument: { name: 'x', value: '' } }],
      ['logging/setLevel', { level: 'error' }],
      ['no/such/method', {}],
    ];
    for (const [method, params] of questions)
      expect(await bridged.request(method, { ...params }), method).toEqual(await plain.request(method, { ...params }));
  });

  it('serves later registrations at once, and announces its tools', async () => {
    const server = make();
    const client = await connect(footbridge(server));
    await names(client);
    expect((await client.call('get_resource', { uri: 'a://late' })).structuredContent.error).toBe('InvalidURI');
    const before = client.count('notifications/tools/list_changed');
    addResource(server, 'late', 'a://late', (uri) => ({ contents: [{ uri: uri.href, text: 'late' }] }));
    expect((await client.call('get_resource', { uri: 'a://late' })).structuredContent).toMatchObject({
      resource_name: 'late',
      data: { text: 'late' },
    });
    await client.waitFor(() => client.count('notifications/tools/list_changed') > before);
    expect(JSON.stringify((await client.call('get_resource')).structuredContent.data)).toContain('a://late');
  });

  it('keeps its own tool of a built-in name, with a warning', async () => {
    const server = make();
    addTool(server, 'get_resource', 'mine');
    const lines: string[] = [];
    const client = await connect(footbridge(server, { log: createLog('warn', (line) => lines.push(line)) }));
    expect((await client.call('get_resource', { uri: 'a://one' })).content[0].text).toBe('mine');
    expect(await names(client)).toEqual(['own', 'get_resource', 'get_resources']);
    expect((await client.call('get_resources', { uris: ['a://one'] })).structuredContent.results[0].data).toEqual({ text: '1' });
    expect(lines).toEqual([expect.stringContaining("'get_resource'")]);
  });

  it('suggests completion values for a missing variable', async () => {
    const client = await connect(footbridge(make()));
    const { structuredContent } = await client.call('get_resource', { uri: 'a://any/' });
    expect(structuredContent).toMatchObject({ error: 'MissingTemplateVariable' });
    expect(structuredContent.suggested_actions.join(' ')).toContain('left, right');
  });

  it('uses the categories, admin marks and tools of the options', async () => {
    const options: FootbridgeOptions = {
      resources: [{ match: 'a://any/**', category: 'anything', requiresAdmin: true }],
      tools: { get_resources: false },
    };
    const client = await connect(footbridge(make(), options));
    expect(await names(client)).toEqual(['own', 'get_resource']);
    const { data } = (await client.call('get_resource')).structuredContent;
    expect(data.anything).toEqual([expect.objectContaining({ uri: 'a://any/{x}', requires_admin: true })]);
    expect((await client.call('get_resource', { uri: 'a://any/x' })).isError ?? false).toBe(false);
    expect((await client.request('tools/call', { name: 'get_resources', arguments: { uris: [] } })).result?.isError ?? true).toBe(true);
  });

  it('is unchanged by a second footbridge() call, or in a factory', async () => {
    const server = make();
    footbridge(footbridge(server));
    expect(await names(await connect(server))).toEqual(['own', ...OURS]);
    const factory = footbridge((name: string) => Object.assign(make(), { label: name }));
    const made = factory('x');
    expect(made.label).toBe('x');
    expect(await names(await connect(made))).toEqual(['own', ...OURS]);
    const later = footbridge(async () => make());
    expect(await names(await connect(await later()))).toEqual(['own', ...OURS]);
  });

  it('cancels its reader when the call is cancelled or times out', async () => {
    const server = make();
    const signals: AbortSignal[] = [];
    const never = (signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<never>(() => {});
    };
    addResource(server, 'slow', 'a://slow', (_uri, context) => never(context.signal ?? context.mcpReq.signal));
    const client = await connect(footbridge(server, { timeoutMs: 500 }));
    const id = client.send('tools/call', { name: 'get_resource', arguments: { uri: 'a://slow' } });
    await client.waitFor(() => signals.length === 1);
    client.notify('notifications/cancelled', { requestId: id });
    await client.waitFor(() => signals[0]?.aborted === true);
    expect((await client.call('get_resource', { uri: 'a://slow' })).structuredContent).toMatchObject({
      error: 'ResourceExecutionError',
      retryable: true,
    });
    await client.waitFor(() => signals[1]?.aborted === true);
    expect(client.received.some((message) => 'id' in message && message.id === id)).toBe(false);
    expect((await client.call('get_resource', { uri: 'a://one' })).structuredContent.data).toEqual({ text: '1' });
  });

  it('limits and redacts only the results of the built-in tools', async () => {
    const server = make();
    addResource(server, 'big', 'a://big', (uri) => ({ contents: [{ uri: uri.href, text: 'x'.repeat(5000) }] }));
    addResource(server, 'leak', 'a://leak', () => {
      throw new Error('connect failed: password=hunter2secret');
    });
    const client = await connect(footbridge(server, { maxBytes: 1000 }));
    expect((await client.call('get_resource', { uri: 'a://big' })).structuredContent.details).toContain('5000 bytes');
    expect((await client.request('resources/read', { uri: 'a://big' })).result.contents[0].text).toHaveLength(5000);
    const leak = await client.call('get_resource', { uri: 'a://leak' });
    expect(leak.structuredContent.details).toContain('connect failed');
    expect(JSON.stringify(leak)).not.toContain('hunter2secret');
  });

  it('passes on the progress of a read under the token of the call', async () => {
    const server = make();
    addResource(server, 'steps', 'a://steps', async (uri, context) => {
      const progressToken = (context._meta ?? context.mcpReq._meta)?.progressToken;
      const notice = { method: 'notifications/progress' as const, params: { progressToken, progress: 1, total: 2 } };
      await (context.sendNotification ?? context.mcpReq.notify)(notice);
      return { contents: [{ uri: uri.href, text: 'done' }] };
    });
    const client = await connect(footbridge(server));
    await client.request('tools/call', { name: 'get_resource', arguments: { uri: 'a://steps' }, _meta: { progressToken: 'mine' } });
    expect(client.received).toContainEqual(
      expect.objectContaining({ method: 'notifications/progress', params: expect.objectContaining({ progressToken: 'mine' }) }),
    );
  });
});

describe('low-level servers', () => {
  it('of v1 with paginated lists have the built-in tools on the last page only', async () => {
    const server = new ServerV1({ name: 'low', version: '1' }, { capabilities: { tools: {}, resources: {} } });
    const pages = [['a', 'b'], ['c'], ['get_resources']];
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
      const page = Number(params?.cursor ?? 0);
      const tools = (pages[page] ?? []).map((name) => ({ name, inputSchema: { type: 'object' as const } }));
      return { tools, ...(page < 2 ? { nextCursor: String(page + 1) } : {}) };
    });
    server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => {
      const page = Number(params?.cursor ?? 0);
      return { resources: [{ uri: `p://${page}`, name: `p${page}` }], ...(page < 4 ? { nextCursor: String(page + 1) } : {}) };
    });
    server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => ({ contents: [{ uri: params.uri, text: params.uri }] }));
    const client = await connect(footbridge(server, { log: createLog('silent') }));
    const listed: string[][] = [];
    for (let cursor: string | undefined; ; ) {
      const { result } = await client.request('tools/list', cursor === undefined ? {} : { cursor });
      listed.push(result.tools.map(({ name }: { name: string }) => name));
      cursor = result.nextCursor;
      if (cursor === undefined) break;
    }
    expect(listed).toEqual([['a', 'b'], ['c'], ['get_resources', 'get_resource']]);
    expect(Object.values((await client.call('get_resource')).structuredContent.data).flat()).toHaveLength(5);
    expect((await client.call('get_resource', { uri: 'p://unlisted' })).structuredContent.data).toEqual({ text: 'p://unlisted' });
  });

  it('of v2 without tools get them and the capability', async () => {
    const server = new Server({ name: 'low', version: '1' }, { capabilities: { resources: {} } });
    server.setRequestHandler('resources/list', () => ({ resources: [{ uri: 'x://y', name: 'y' }] }));
    server.setRequestHandler('resources/read', ({ params }) => ({ contents: [{ uri: params.uri, text: 'y' }] }));
    const client = await connect(footbridge(server));
    const opening = client.received.find((message) => 'result' in message && 'capabilities' in message.result);
    expect(opening).toMatchObject({ result: { capabilities: { resources: {}, tools: {} } } });
    expect(await names(client)).toEqual(OURS);
  });

  it('without resources are unchanged', async () => {
    const make = () => {
      const server = new McpServer({ name: 'plain', version: '1' });
      server.registerTool('own', {}, () => ({ content: [] }));
      return server;
    };
    const [plain, bridged] = [await connect(make()), await connect(footbridge(make()))];
    expect(await names(bridged)).toEqual(['own']);
    expect(bridged.received[0]).toEqual(plain.received[0]);
    const call = { name: 'get_resource', arguments: {} };
    expect((await bridged.request('tools/call', call)).error ?? (await bridged.request('tools/call', call)).result.isError).toBeTruthy();
  });

  it.each<[string, () => never | Promise<never>]>([
    [
      'fails',
      () => {
        throw new Error('database is down');
      },
    ],
    ['hangs', () => new Promise(() => {})],
  ])('whose list of resources %s give all tools all the same, and say what is wrong when asked', async (_, list) => {
    const server = new Server({ name: 'low', version: '1' }, { capabilities: { resources: {}, tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools: [{ name: 'own', inputSchema: { type: 'object' } }] }));
    server.setRequestHandler('resources/list', list);
    server.setRequestHandler('resources/read', ({ params }) => ({ contents: [{ uri: params.uri, text: 'there' }] }));
    const client = await connect(footbridge(server, { timeoutMs: 500 }));
    expect(await names(client)).toEqual(['own', ...OURS]);
    expect((await client.call('get_resource', { uri: 'x://y' })).structuredContent.data).toEqual({ text: 'there' });
    expect((await client.call('get_resource')).structuredContent).toMatchObject({
      success: false,
      error: 'ResourceExecutionError',
      message: 'The list of resources could not be read.',
    });
  });
});

describe('a reader that requests input', () => {
  it('returns the request as the result of the call, and receives the answer, in the modern era', async () => {
    const script = join(import.meta.dirname, 'fixtures', 'server-asking.mjs');
    const client = await serve(createWorld(), { version: '2026-07-28', script });
    const _meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
    const call = { name: 'get_resource', arguments: { uri: 'a://ask' }, _meta };
    const { result } = await client.request('tools/call', call);
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { which: { method: 'elicitation/create' } } });
    const inputResponses = { which: { action: 'accept', content: { which: 'that one' } } };
    const again = await client.request('tools/call', { ...call, inputResponses });
    expect(again.result).toMatchObject({ resultType: 'complete', structuredContent: { data: { text: 'you said that one' } } });
  });

  it('reaches the host from a built-in tool, in the legacy era', async () => {
    const server = new McpServerV1({ name: 'author', version: '1' });
    server.registerResource('ask', 'a://ask', {}, async (uri) => {
      const { content } = await server.server.elicitInput({
        message: 'Which?',
        requestedSchema: { type: 'object', properties: { which: { type: 'string' } } },
      });
      return { contents: [{ uri: uri.href, text: `you said ${content?.['which']}` }] };
    });
    const client = await connect(footbridge(server), {
      capabilities: { elicitation: {} },
      answer: () => ({ action: 'accept', content: { which: 'that one' } }),
    });
    expect((await client.call('get_resource', { uri: 'a://ask' })).structuredContent.data.text).toBe('you said that one');
  });
});

describe('a server on SDK v1 over HTTP with sessions', () => {
  it('has the built-in tools in every session, each with its own server', async () => {
    const transports = new Map<string, StreamableHTTPServerTransport>();
    const web = createHttpServer(async (request, response) => {
      const known = transports.get(String(request.headers['mcp-session-id']));
      if (known !== undefined) return known.handleRequest(request, response);
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void transports.set(id, transport),
      });
      await footbridge(GENERATIONS['SDK v1']()).connect(transport);
      return transport.handleRequest(request, response);
    });
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    const address = web.address();
    const url = new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`);
    onTestFinished(async () => {
      for (const transport of transports.values()) await transport.close();
      web.closeAllConnections();
      web.close();
    });
    for (const text of ['left', 'right']) {
      const client = new ClientV1({ name: 'test', version: '1' });
      await client.connect(new StreamableHTTPClientTransport(url));
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['own', ...OURS]);
      const { structuredContent } = await client.callTool({
        name: 'get_resource',
        arguments: { uri: 'a://any/{x}', variables: { x: text } },
      });
      expect(structuredContent).toMatchObject({ success: true, uri: `a://any/${text}`, data: { text } });
      await client.close();
    }
    expect(transports.size).toBe(2);
  });
});

describe('skills in an author’s server', () => {
  it('come with their tools, next to the resources', async () => {
    const world = createWorld();
    world.skill('project/team/git', { body: 'Use git.\n' });
    const client = await connect(footbridge(GENERATIONS['SDK v2'](), { skills: [world.path('project/team')] }));
    expect(await names(client)).toEqual(['own', 'skill', 'list_skills', 'get_skill', ...OURS]);
    expect((await client.call('skill', { name: 'git' })).content[0].text).toContain('Use git.');
    expect((await client.call('get_resource', { uri: 'skill://git/SKILL.md' })).content[0].text).toContain('Use git.');
    expect((await client.call('get_resource', { uri: 'a://one' })).structuredContent.data).toEqual({ text: '1' });
  });

  it('are absent without a configured folder', async () => {
    const client = await connect(footbridge(GENERATIONS['SDK v1']()));
    expect((await client.request('tools/call', { name: 'skill', arguments: { name: 'git' } })).result?.isError ?? true).toBe(true);
  });
});

it('rejects a value that is not a server', () => {
  expect(() => footbridge({ close: async () => {} } as never)).toThrow(/McpServer or a Server/);
  // @ts-expect-error: a misspelled name
  expect(() => footbridge(GENERATIONS['SDK v2'](), { tools: { get_resurce: false } })).toThrow(/get_resurce/);
});
