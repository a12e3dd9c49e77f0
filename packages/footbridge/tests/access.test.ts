/** Which callers may read what: the answer is the same on both routes. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { type AuthInfo, createMcpHandler, McpServer, requireScopes } from '@modelcontextprotocol/server';
import { Catalog, createServer, defineResource, defineResources, footbridge, type Identity } from 'footbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from './support/client.js';
import { connect } from './support/memory.js';

const token = (name: string, scopes: string[]): AuthInfo => ({ token: `token-of-${name}`, clientId: 'one-app-for-all', scopes });

/** Asks as a host does; gives what became of it in one word. */
interface Asker {
  tool(uri: string): Promise<string>;
  native(uri: string): Promise<string>;
}

type Factory = Parameters<typeof createMcpHandler>[0];

/** A host over HTTP, in the era that the mode negotiates. */
async function overHttp(factory: Factory, mode: 'auto' | 'legacy', authInfo: AuthInfo | undefined): Promise<Asker> {
  const handler = createMcpHandler(factory);
  const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
    fetch: (url, init) => handler.fetch(new Request(url, init), authInfo === undefined ? {} : { authInfo }),
  });
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  onTestFinished(async () => {
    await client.close();
    await handler.close();
  });
  return {
    tool: (uri) => outcome(async () => client.callTool({ name: 'get_resource', arguments: { uri } })),
    native: (uri) => outcome(async () => client.readResource({ uri })),
  };
}

/** A host on this machine. */
async function overStdio(server: Parameters<typeof connect>[0], authInfo?: AuthInfo): Promise<Asker> {
  const client = await connect(server, authInfo === undefined ? {} : { extra: { authInfo } });
  const orThrow = ({ result, error }: { result?: unknown; error?: { message: string; data?: unknown } }) => {
    if (error !== undefined) throw Object.assign(new Error(error.message), { data: error.data });
    return result;
  };
  return {
    tool: (uri) => outcome(() => client.call('get_resource', { uri })),
    native: (uri) => outcome(async () => orThrow(await client.request('resources/read', { uri }))),
  };
}

async function outcome(ask: () => Promise<Json>): Promise<string> {
  try {
    const result = await ask();
    if (result.isError === true) return result.structuredContent.error;
    return `read ${result.contents?.[0].text ?? result.content[0].text}`;
  } catch (error) {
    const text = `${error instanceof Error ? error.message : ''} ${JSON.stringify((error as { data?: unknown }).data ?? '')}`;
    return /admin|Unauthorized|scope|403/i.test(text) ? 'Unauthorized' : `failed: ${text}`;
  }
}

const OPEN = 'team://news';
const RESOURCES: readonly [uri: string, needsAdmin: boolean][] = [
  [OPEN, false],
  ['team://pages/one', false],
  ['admin://users', true],
  ['ADMIN://users', true],
  ['admin://users/ada', true],
];

async function teamCatalog(): Promise<Catalog> {
  const catalog = await Catalog.open([
    defineResources([
      defineResource({ uri: OPEN, name: 'News', read: (_, { caller }) => `for ${caller.name}` }),
      defineResource({ uri: 'team://pages/{page}', name: 'Page', read: ({ page }) => page }),
      defineResource({
        uri: 'admin://users',
        name: 'Users',
        requiresAdmin: true,
        cacheHint: { ttlMs: 60_000, cacheScope: 'public' },
        read: () => 'all users',
      }),
      defineResource({
        uri: 'admin://users/{user}',
        name: 'User',
        requiresAdmin: true,
        variables: { user: { complete: ['ada', 'grace'] } },
        read: ({ user }) => user,
      }),
    ]),
  ]);
  onTestFinished(() => catalog.close());
  return catalog;
}

describe('resources of our own server', () => {
  const stdio = (identity?: Identity) => async (catalog: Catalog) =>
    overStdio(createServer({ catalog, ...(identity === undefined ? {} : { identity }) }));
  const http = (mode: 'auto' | 'legacy', authInfo?: AuthInfo) => async (catalog: Catalog) =>
    overHttp(() => createServer({ catalog, announce: false }), mode, authInfo);

  it.each<[string, (catalog: Catalog) => Promise<Asker>, boolean]>([
    ['the owner over stdio', stdio(), true],
    ['a configured admin over stdio', stdio({ name: 'root', roles: ['admin'] }), true],
    ['a configured reader over stdio', stdio({ name: 'guest', roles: ['reader'] }), false],
    ['an admin over HTTP', http('auto', token('ada', ['admin'])), true],
    ['a reader over HTTP', http('auto', token('bob', ['reader'])), false],
    ['nobody over HTTP', http('auto'), false],
    ['an admin over HTTP, legacy', http('legacy', token('ada', ['admin'])), true],
    ['a reader over HTTP, legacy', http('legacy', token('bob', ['reader'])), false],
    ['nobody over HTTP, legacy', http('legacy'), false],
  ])('%s gets the same from get_resource and resources/read', async (_, ask, admin) => {
    const catalog = await teamCatalog();
    // Someone who may has read them all before: what is cached must not bypass the check.
    for (const [uri] of RESOURCES) await catalog.read(uri);
    const asker = await ask(catalog);
    for (const [uri, needsAdmin] of RESOURCES) {
      const [tool, native] = [await asker.tool(uri), await asker.native(uri)];
      expect(tool, uri).toBe(native);
      expect(tool, uri).toMatch(needsAdmin && !admin ? /^Unauthorized$/ : /^read /);
    }
  });

  it('do not complete values that the caller may not read', async () => {
    const catalog = await teamCatalog();
    const guest = await connect(createServer({ catalog, identity: { name: 'guest' } }));
    const completion = await guest.request('completion/complete', {
      ref: { type: 'ref/resource', uri: 'admin://users/{user}' },
      argument: { name: 'user', value: '' },
    });
    expect(completion.result.completion.values).toEqual([]);
    for (const uri of ['admin://users/', 'admin://users/{user}', 'admin://users/adda']) {
      const result = await guest.call('get_resource', { uri });
      expect(result.structuredContent.error).toBe('Unauthorized');
      expect(JSON.stringify(result)).not.toContain('grace');
    }
    const { structuredContent } = await guest.call('get_resource');
    expect(structuredContent.data.admin.map((each: { requires_admin: boolean }) => each.requires_admin)).toEqual([true, true]);
  });
});

describe('resources of an author', () => {
  const forbidden = () => Object.assign(new Error('403 Forbidden: for admins'), { status: 403 });

  function authorV2() {
    const server = new McpServer({ name: 'author', version: '1' });
    server.registerResource('news', OPEN, {}, (uri, { http }) => ({ contents: [{ uri: uri.href, text: `for ${http?.authInfo?.token}` }] }));
    server.registerResource('users', 'admin://users', {}, (uri, { http }) => {
      if (http?.authInfo?.scopes.includes('admin') !== true) throw forbidden();
      return { contents: [{ uri: uri.href, text: 'all users' }] };
    });
    server.registerResource('vault', 'vault://gold', { scopeChallenge: requireScopes('vault:read') }, (uri) => ({
      contents: [{ uri: uri.href, text: 'gold' }],
    }));
    return server;
  }

  it.each<['auto' | 'legacy', AuthInfo | undefined]>([
    ['auto', token('ada', ['admin', 'vault:read'])],
    ['auto', token('bob', [])],
    ['auto', undefined],
    ['legacy', token('ada', ['admin', 'vault:read'])],
    ['legacy', token('bob', [])],
    ['legacy', undefined],
  ])('on SDK v2 over HTTP (%s) are read with the rights of the token: %o', async (mode, authInfo) => {
    const asker = await overHttp(footbridge(authorV2), mode, authInfo);
    expect(await asker.tool(OPEN)).toBe(`read for ${authInfo?.token}`);
    for (const uri of ['admin://users', 'vault://gold']) {
      expect(await asker.tool(uri), uri).toBe(await asker.native(uri));
      // Without any token the SDK asks for no scopes.
      const allowed = authInfo === undefined ? uri === 'vault://gold' : authInfo.scopes.includes('admin');
      expect(await asker.tool(uri), uri).toMatch(allowed ? /^read / : /^Unauthorized$/);
    }
  });

  it('with scopes are also protected in get_resources', async () => {
    const handler = createMcpHandler(footbridge(authorV2));
    onTestFinished(() => handler.close());
    const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
      fetch: (url, init) => handler.fetch(new Request(url, init), { authInfo: token('bob', []) }),
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    onTestFinished(() => client.close());
    const { structuredContent } = await client.callTool({ name: 'get_resources', arguments: { uris: ['vault://gold', OPEN] } });
    expect(structuredContent).toMatchObject({ results: [{ success: false, error: 'Unauthorized' }, { success: true }] });
  });

  it('on SDK v1 are read with the scopes of the token', async () => {
    for (const scopes of [['admin'], []]) {
      const server = new McpServerV1({ name: 'author', version: '1' });
      server.registerResource('users', 'admin://users', {}, (uri, { authInfo }) => {
        if (authInfo?.scopes.includes('admin') !== true) throw forbidden();
        return { contents: [{ uri: uri.href, text: `for ${authInfo.token}` }] };
      });
      const asker = await overStdio(footbridge(server), token('ada', scopes));
      expect(await asker.tool('admin://users')).toBe(await asker.native('admin://users'));
      expect(await asker.tool('admin://users')).toMatch(scopes.length > 0 ? /^read for token-of-ada$/ : /^Unauthorized$/);
    }
  });

  it('that differ by caller are listed for each caller, also on one connection', async () => {
    const server = new McpServer({ name: 'author', version: '1' }, { capabilities: { resources: {} } });
    server.server.setRequestHandler('resources/list', (_, { http }) => ({
      resources: [{ uri: `home://${http?.authInfo?.token}`, name: 'home' }],
    }));
    server.server.setRequestHandler('resources/read', ({ params }) => ({ contents: [{ uri: params.uri, text: 'x' }] }));
    const extra: { authInfo?: AuthInfo } = {};
    const client = await connect(footbridge(server), { extra });
    for (const name of ['ada', 'bob', 'ada']) {
      extra.authInfo = token(name, []);
      const { structuredContent } = await client.call('get_resource');
      expect(structuredContent.data).toEqual({ home: [expect.objectContaining({ uri: `home://token-of-${name}` })] });
    }
  });
});

describe('a refusal by role', () => {
  const ask = async (identity: Identity, withStatus: boolean) => {
    const catalog = await Catalog.open([
      defineResources([
        defineResource({ uri: 'admin://users', name: 'users', requiresAdmin: true, read: () => 'all' }),
        ...(withStatus
          ? [defineResource({ uri: 'auth://status', name: 'status', read: (_, { caller }) => ({ roles: caller.roles }) })]
          : []),
      ]),
    ]);
    onTestFinished(() => catalog.close());
    const client = await connect(createServer({ catalog, identity }));
    const { structuredContent } = await client.call('get_resource', { uri: 'admin://users' });
    const { error } = await client.request('resources/read', { uri: 'admin://users' });
    return { refusal: structuredContent, message: error.message as string };
  };

  it("names the caller's roles and the tool that shows permissions", async () => {
    const { refusal, message } = await ask({ name: 'ada', roles: ['reader', 'writer'] }, true);
    expect(refusal).toMatchObject({
      error: 'Unauthorized',
      details: 'This resource is restricted to administrators. Your roles: reader, writer.',
      suggested_actions: [
        'Ask the server\'s operator for the role "admin".',
        "Check your current permissions with get_resource('auth://status').",
        'Call get_resource() to check what you may read: requires_admin marks the resources that need admin rights.',
      ],
    });
    expect(message).toContain("Check your current permissions with get_resource('auth://status').");
  });

  it('names only resources that exist', async () => {
    const { refusal } = await ask({ name: 'grace' }, false);
    expect(refusal.details).toContain('You have no roles.');
    expect(JSON.stringify(refusal)).not.toContain('auth://status');
    expect(refusal.suggested_actions.join(' ')).toContain('get_resource() to check what you may read');
  });
});
