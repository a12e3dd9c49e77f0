/** Servers and hosts that violate the protocol: our tools stay available, keep callers apart, and leave the server's own messages alone. */
import { setTimeout as wait } from 'node:timers/promises';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  type AuthInfo,
  createMcpHandler,
  InMemoryTransport,
  McpServer,
  requireScopes,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { countersOf, createLog, footbridge } from 'footbridge';
import { describe, expect, it } from 'vitest';
import type { Json } from './support/client.js';
import { connect } from './support/memory.js';

const silent = createLog('silent');
const OURS = ['get_resource', 'get_resources'];

/** A low-level server: each method as given, and a reader that echoes. */
function lowLevel(
  handlers: Readonly<Record<string, (params: Record<string, unknown>, context: { http?: { authInfo?: AuthInfo } }) => unknown>>,
) {
  const server = new Server({ name: 'low', version: '1' }, { capabilities: { resources: {}, tools: {} } });
  const all = {
    'tools/list': () => ({ tools: [] }),
    'resources/list': () => ({ resources: [] }),
    'resources/read': ({ uri }: Record<string, unknown>) => ({ contents: [{ uri, text: String(uri) }] }),
    ...handlers,
  };
  const known = new Map<string, (params: Record<string, unknown>, context: ServerContext) => Json>(Object.entries(all));
  server.fallbackRequestHandler = async ({ method, params }, context) => known.get(method)?.(params ?? {}, context);
  return server;
}

const toolNames = (answer: { result: { tools: { name: string }[] } }) => answer.result.tools.map(({ name }) => name);

describe('callers on one connection', () => {
  it.each<[string, AuthInfo, AuthInfo]>([
    [
      'one token and different people',
      { token: '', clientId: 'app', scopes: [], extra: { user: 'alice' } },
      { token: '', clientId: 'app', scopes: [], extra: { user: 'bob' } },
    ],
    ['one token and different programs', { token: 'x', clientId: 'alice', scopes: [] }, { token: 'x', clientId: 'bob', scopes: [] }],
  ])('share nothing with %s', async (_, alice, bob) => {
    const who = ({ http }: { http?: { authInfo?: AuthInfo } }) => String(http?.authInfo?.extra?.['user'] ?? http?.authInfo?.clientId);
    const server = lowLevel({
      'resources/read': async ({ uri }, context) => {
        await wait(30);
        return { contents: [{ uri, text: `data of ${who(context)}` }] };
      },
      'resources/list': (_params, context) => ({ resources: [{ uri: `home://${who(context)}`, name: 'home' }] }),
    });
    const extra: { authInfo?: AuthInfo } = {};
    const client = await connect(footbridge(server), { extra });
    extra.authInfo = alice;
    const first = client.call('get_resource', { uri: 'me://data' });
    extra.authInfo = bob;
    const second = client.call('get_resource', { uri: 'me://data' });
    expect((await Promise.all([first, second])).map(({ structuredContent }) => structuredContent.data.text)).toEqual([
      'data of alice',
      'data of bob',
    ]);
  });

  it('may be a hundred at once, each with a separate list', async () => {
    const server = lowLevel({
      'resources/list': async (_params, { http }) => {
        await wait(Math.random() * 20);
        return { resources: [{ uri: `home://${http?.authInfo?.token}`, name: 'home' }] };
      },
    });
    const extra: { authInfo?: AuthInfo } = {};
    const client = await connect(footbridge(server), { extra });
    const calls = Array.from({ length: 100 }, (_, index) => {
      extra.authInfo = { token: `t${index}`, clientId: 'app', scopes: [] };
      return client.call('get_resource');
    });
    const seen = (await Promise.all(calls)).map(({ structuredContent }) => structuredContent.data.home?.[0].uri);
    expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => `home://t${index}`));
  });

  it('may have a token without required fields', async () => {
    const extra = { authInfo: { token: 'x' } as AuthInfo };
    const client = await connect(footbridge(lowLevel({})), { extra });
    expect((await client.call('get_resource', { uri: 'a://b' })).structuredContent.data).toEqual({ text: 'a://b' });
    expect(toolNames(await client.request('tools/list'))).toEqual(OURS);
  });

  it('cannot cancel a request of another', async () => {
    let names: (() => void) | undefined;
    const server = lowLevel({
      'tools/list': () =>
        new Promise((resolve) => {
          names = () => resolve({ tools: [] });
        }),
    });
    const client = await connect(footbridge(server));
    const first = client.send('tools/call', { name: 'get_resource', arguments: { uri: 'a://b' } });
    const second = client.call('get_resource', { uri: 'a://c' });
    await client.waitFor(() => names !== undefined);
    client.notify('notifications/cancelled', { requestId: first });
    names?.();
    expect((await second).structuredContent.data).toEqual({ text: 'a://c' });
  });
});

describe('a server', () => {
  it.each<[string, object, object]>([
    ['leaves a blob undefined', { text: 'x', blob: undefined }, { text: 'x' }],
    ['leaves a text undefined', { text: undefined, blob: 'AP8=' }, { blob: 'AP8=' }],
    ['gives a URL for a URI', { uri: new URL('a://b'), text: 'x' }, { text: 'x' }],
  ])('%s is read as resources/read reads it', async (_, content, data) => {
    for (const server of [new McpServerV1({ name: 'a', version: '1' }), new McpServer({ name: 'a', version: '1' })]) {
      const read = () => ({ contents: [{ uri: 'a://b', ...content }] });
      // Both generations, and what neither of their types allows.
      Reflect.apply(server.registerResource, server, ['b', 'a://b', {}, read] as Json);
      const client = await connect(footbridge(server));
      expect((await client.call('get_resource', { uri: 'a://b' })).structuredContent).toMatchObject({ success: true, data });
      expect((await client.request('resources/read', { uri: 'a://b' })).result.contents[0]).toMatchObject(data);
    }
  });

  it.each<[string, unknown]>([
    ['text and blob at once', { contents: [{ uri: 'a://b', text: '', blob: 'AP8=' }] }],
    ['no contents', {}],
    ['contents that are none', { contents: [null, 7] }],
    ['contents without a URI', { contents: [{ text: 'x' }] }],
  ])('answers with %s gives ResourceExecutionError', async (_, answer) => {
    const client = await connect(footbridge(lowLevel({ 'resources/read': () => answer })));
    expect((await client.call('get_resource', { uri: 'a://b' })).structuredContent.error).toBe('ResourceExecutionError');
  });

  it('that distinguishes the case of hosts has both, each with its own content', async () => {
    const uris = ['note://Alice', 'note://alice'];
    const client = await connect(
      footbridge(lowLevel({ 'resources/list': () => ({ resources: uris.map((uri) => ({ uri, name: uri })) }) })),
    );
    await client.request('tools/list');
    const { structuredContent } = await client.call('get_resources', { uris: [...uris, 'note://ALICE'] });
    expect(structuredContent.results.map(({ data }: { data: { text: string } }) => data.text)).toEqual([...uris, 'note://ALICE']);
    expect((await client.call('get_resource')).structuredContent.data.note).toHaveLength(2);
  });

  it.each<[string, () => unknown]>([
    ['never ends its list of tools', () => ({ tools: [], nextCursor: String(Math.random()) })],
    ['lists its tools in a circle', () => ({ tools: [], nextCursor: 'again' })],
    ['never lists its tools', () => new Promise(() => {})],
    ['lists no tools but a number', () => ({ tools: 7 })],
  ])('%s can still be read', async (_, list) => {
    const client = await connect(footbridge(lowLevel({ 'tools/list': list })));
    expect((await client.call('get_resource', { uri: 'a://b' })).structuredContent.data).toEqual({ text: 'a://b' });
  });

  it('that lists slowly is announced once', async () => {
    const server = new McpServer(
      { name: 'slow', version: '1' },
      { capabilities: { resources: { listChanged: true }, tools: { listChanged: true } } },
    );
    let lists = 0;
    server.server.setRequestHandler('tools/list', () => ({ tools: [] }));
    server.server.setRequestHandler('resources/list', async () => {
      lists++;
      await wait(1200);
      return { resources: [{ uri: 'a://b', name: 'b' }] };
    });
    const client = await connect(footbridge(server));
    const changed = () => client.count('notifications/tools/list_changed');
    await client.request('tools/list');
    await client.waitFor(() => changed() === 1);
    expect((await client.request('tools/list')).result.tools[0].description).toContain('a://b');
    await wait(1500);
    expect([changed(), lists]).toEqual([1, 2]);
  });

  it('that never lists its resources returns content without the wait', async () => {
    // With no limit that could end the wait, only the content itself can.
    const server = lowLevel({ 'resources/list': () => new Promise(() => {}) });
    const client = await connect(footbridge(server, { timeoutMs: 2 ** 31 - 1 }));
    expect((await client.call('get_resource', { uri: 'a://b' })).structuredContent.data).toEqual({ text: 'a://b' });
  });

  it('that lists malformed entries is discovered', async () => {
    const resources = [7, null, {}, { uri: 5 }, { uri: 'a://b', name: {}, title: [], description: 9, mimeType: {} }];
    const resourceTemplates = [{ uriTemplate: 'a://{constructor}', name: 'c' }, { uriTemplate: 'a://{broken', name: 'd' }, 'x'];
    const client = await connect(
      footbridge(lowLevel({ 'resources/list': () => ({ resources }), 'resources/templates/list': () => ({ resourceTemplates }) })),
    );
    const { structuredContent } = await client.call('get_resource');
    expect(structuredContent.data.a.map(({ uri }: { uri: string }) => uri)).toEqual(['a://b', 'a://{constructor}', 'a://{broken']);
    expect((await client.call('get_resource', { uri: 'a://{constructor}' })).structuredContent.error).toBe('MissingTemplateVariable');
  });

  it('that lists more entries than a call can have arguments is discovered', async () => {
    const resources = Array.from({ length: 130_000 }, (_, index) => ({ uri: `a://${index}`, name: 'x' }));
    const client = await connect(footbridge(lowLevel({ 'resources/list': () => ({ resources }) })));
    expect((await client.call('get_resource')).content[0].text).toMatch(/^130000 resources/);
  });

  it.each<[string, string, object]>([
    ['a refused connection', 'connect ECONNREFUSED 127.0.0.1:5432', { error: 'ResourceExecutionError', retryable: true }],
    ['too many requests', 'Too Many Requests', { error: 'ResourceExecutionError', retryable: true }],
    ['what is not there', 'Unknown resource: a://b', { error: 'InvalidURI' }],
    ['something else', 'the cat is on the keyboard', { error: 'ResourceExecutionError', retryable: false }],
  ])('fails with %s is understood by its words, which are all that is left on a wire', async (_, message, expected) => {
    const fail = () => {
      throw new Error(message);
    };
    const client = await connect(footbridge(lowLevel({ 'resources/read': fail })));
    const { structuredContent } = await client.call('get_resource', { uri: 'a://b' });
    expect(structuredContent).toMatchObject(expected);
    expect(structuredContent.details).toBe(message);
  });
});

describe('a connection', () => {
  it('that is rejected leaves the transport unchanged', async () => {
    const server = footbridge(lowLevel({}));
    await connect(server);
    const [transport] = InMemoryTransport.createLinkedPair();
    const { send, start } = transport;
    await expect(server.connect(transport)).rejects.toThrow();
    expect([transport.send === send, transport.start === start]).toEqual([true, true]);
  });

  it('that exists already is rejected', async () => {
    const lines: string[] = [];
    const server = lowLevel({});
    await connect(server);
    footbridge(server, { log: createLog('warn', (line) => lines.push(line)) });
    expect(lines.join('')).toContain('called after connect()');
  });

  it('can be closed and reopened', async () => {
    const server = footbridge(lowLevel({}));
    for (let round = 0; round < 3; round++) {
      const client = await connect(server);
      expect((await client.call('get_resource', { uri: 'a://b' })).structuredContent.data).toEqual({ text: 'a://b' });
      await server.close();
    }
  });

  it('keeps the order of its answers', async () => {
    const client = await connect(footbridge(lowLevel({})));
    client.received.length = 0;
    const init = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    await Promise.all([client.request('initialize', init), client.request('ping'), client.request('resources/read', { uri: 'a://b' })]);
    const ids = client.received.flatMap((message) => ('id' in message ? [Number(message.id)] : []));
    expect(ids).toEqual([...ids].sort((one, other) => one - other));
  });
});

describe('footbridge()', () => {
  it('rejects meaningless options', () => {
    expect(() => footbridge(lowLevel({}), { timeout: 5 } as never)).toThrow(/no option timeout/);
    for (const timeoutMs of [Number.NaN, 0, Number.POSITIVE_INFINITY, 2 ** 31])
      expect(() => footbridge(lowLevel({}), { timeoutMs })).toThrow(/timeoutMs/);
  });

  it('counts reads on both routes, over all servers of a factory', async () => {
    const factory = footbridge(() => lowLevel({ 'resources/list': () => ({ resources: [{ uri: 'a://b', name: 'b' }] }) }), { log: silent });
    for (let round = 0; round < 2; round++) {
      const client = await connect(factory());
      await client.request('tools/list');
      await client.call('get_resource', { uri: 'a://b' });
      await client.request('resources/read', { uri: 'a://b' });
    }
    expect(countersOf(factory)).toMatchObject({ tool: { static: { reads: 2, bytes: 10 } }, resource: { static: { reads: 2, bytes: 10 } } });
    expect(countersOf(lowLevel({}))).toBeUndefined();
  });

  it('does not apply the scopes of resources to an author’s own get_resource', async () => {
    const make = () => {
      const server = new McpServer({ name: 'author', version: '1' });
      server.registerResource('vault', 'vault://gold', { scopeChallenge: requireScopes('vault:read') }, () => ({ contents: [] }));
      server.registerTool('get_resource', { inputSchema: undefined }, () => ({ content: [{ type: 'text', text: 'mine' }] }));
      return server;
    };
    for (const factory of [footbridge(make, { tools: { get_resource: false } }), footbridge(make, { log: silent })]) {
      const handler = createMcpHandler(factory);
      const response = await handler.fetch(
        new Request('http://127.0.0.1/mcp', {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name: 'get_resource', arguments: { uri: 'vault://gold' } },
          }),
        }),
        { authInfo: { token: 'x', clientId: 'x', scopes: [] } },
      );
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('mine');
      await handler.close();
    }
  });

  it('reports in get_resources which resource needs input', async () => {
    const server = lowLevel({
      'resources/read': ({ uri }) =>
        uri === 'a://ask' ? { resultType: 'input_required', inputRequests: {} } : { contents: [{ uri, text: 'x' }] },
    });
    const client = await connect(footbridge(server));
    const { structuredContent } = await client.call('get_resources', { uris: ['a://ask', 'a://b'] });
    expect(structuredContent.results).toMatchObject([
      { success: false, suggested_actions: ['Read it alone with get_resource.'] },
      { success: true },
    ]);
  });
});
