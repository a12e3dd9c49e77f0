/** Signing in to servers, against a real authorization server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../src/log.js';
import { ownContext } from '../src/sources/context.js';
import { upstreams } from '../src/sources/upstream/index.js';
import type { OAuthSettings } from '../src/sources/upstream/options.js';
import { authorizationRequest } from '../src/sources/upstream/sign-in/authorization-server.js';
import { fetchFor } from '../src/sources/upstream/sign-in/guarded-fetch.js';
import { LoginStore } from '../src/sources/upstream/sign-in/login-store.js';
import { type ProtectedOptions, type ProtectedWorld, startProtected } from './support/protected-server.js';
import { serveWeb } from './support/web-server.js';

function loginFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'footbridge-logins-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A Footbridge with one server, as over stdio. */
function footbridge(world: ProtectedWorld, folder: string, oauth?: OAuthSettings, environment: NodeJS.ProcessEnv = {}) {
  const source = upstreams({
    servers: { docs: { url: world.url, oauth } },
    oneHost: true,
    logins: { store: new LoginStore(folder), environment },
    log: silentLog,
  });
  let current: Awaited<ReturnType<typeof source.open>> | undefined;
  const opened = source.open(
    (next) => {
      current = next;
    },
    () => {},
  );
  onTestFinished(() => source.end());
  const call = async (name: string, args = {}) => {
    const tool = current?.tools?.find(({ entry }) => entry.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    if (!('upstream' in tool)) throw new Error(`${name} is not of an upstream`);
    return tool.upstream.forward('tools/call', { name, arguments: args }, ownContext());
  };
  return {
    async listed() {
      current ??= await opened;
      await source.listed();
      return this.tools;
    },
    get tools() {
      return (current?.tools ?? []).map(({ entry }) => entry.name);
    },
    get failure() {
      return current?.upstreams?.[0]?.failure;
    },
    call,
    text: async (name: string) => JSON.stringify(await call(name)),
  };
}

async function signIn(bridge: ReturnType<typeof footbridge>, world: ProtectedWorld): Promise<void> {
  await bridge.listed();
  expect((await world.browse(linkIn(await bridge.text('sign_in_to_docs')))).status).toBe(200);
  await expect.poll(() => bridge.tools).toEqual(['whoami', 'write']);
}

function linkIn(text: string): string {
  return /http:\S+/.exec(text.replaceAll('\\n', ' '))?.[0] ?? '';
}

const REGISTERED = {
  client_id: 'footbridge',
  redirect_uris: ['http://127.0.0.1/callback'],
  application_type: 'native' as const,
  token_endpoint_auth_method: 'none' as const,
};

describe('a server that requires its users to sign in', () => {
  it('is listed with one tool, whose link signs in; then its own tools appear', async () => {
    const world = await startProtected();
    const bridge = footbridge(world, loginFolder());
    expect(await bridge.listed()).toEqual(['sign_in_to_docs']);
    expect(bridge.failure).toMatchObject({ kind: 'auth', message: expect.stringContaining('footbridge login docs') });
    await signIn(bridge, world);
    expect(await bridge.text('whoami')).toContain('ada');
    expect(world.grants).toEqual(['authorization_code']);
  });

  it('needs one sign-in for two hosts and a restart', async () => {
    const world = await startProtected();
    const folder = loginFolder();
    const running = footbridge(world, folder);
    expect(await running.listed()).toEqual(['sign_in_to_docs']);
    await signIn(footbridge(world, folder), world);
    await expect.poll(() => running.tools, { timeout: 10_000 }).toEqual(['whoami', 'write']);
    expect(await footbridge(world, folder).listed()).toEqual(['whoami', 'write']);
    expect(world.grants).toEqual(['authorization_code']);
  });

  it('renews an expired login once, however many calls need it', async () => {
    const world = await startProtected();
    const folder = loginFolder();
    const bridge = footbridge(world, folder);
    await signIn(bridge, world);
    const other = footbridge(world, folder);
    await other.listed();
    world.expire();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? bridge : other).text('whoami')));
    expect(answers.every((answer) => answer.includes('ada'))).toBe(true);
    expect(world.grants).toEqual(['authorization_code', 'refresh_token']);
  });

  it('renews a login shortly before it expires', async () => {
    const world = await startProtected({ lifetime: 10 });
    const bridge = footbridge(world, loginFolder());
    await signIn(bridge, world);
    await bridge.text('whoami');
    expect(world.grants.filter((grant) => grant === 'refresh_token').length).toBeGreaterThan(0);
  });

  it('asks for a sign-in again after the login was revoked, and says so in calls', async () => {
    const world = await startProtected();
    const bridge = footbridge(world, loginFolder());
    await signIn(bridge, world);
    await world.revokeAll();
    await expect(bridge.call('whoami')).rejects.toThrow(/requires you to sign in.*sign_in_to_docs/);
    await expect.poll(() => bridge.tools).toContain('sign_in_to_docs');
    await signIn(bridge, world);
    expect(await bridge.text('whoami')).toContain('ada');
  });

  it('asks for a sign-in again when a login that cannot be renewed has ended', async () => {
    const world = await startProtected({ refresh: false });
    const bridge = footbridge(world, loginFolder());
    await signIn(bridge, world);
    world.expire();
    await expect(bridge.call('whoami')).rejects.toThrow(/sign_in_to_docs/);
    await expect.poll(() => bridge.tools).toContain('sign_in_to_docs');
    await signIn(bridge, world);
    expect(await bridge.text('whoami')).toContain('ada');
  });

  it('keeps a login that cannot be renewed at the moment', async () => {
    const world = await startProtected();
    const bridge = footbridge(world, loginFolder());
    await signIn(bridge, world);
    world.expire();
    world.beforeToken = async () => {
      throw new Error('down');
    };
    await expect(bridge.call('whoami')).rejects.toThrow(/HTTP 401/);
    expect(bridge.tools).toEqual(['whoami', 'write']);
  });

  it('asks for more scopes where a call needs them, and keeps those it had', async () => {
    const world = await startProtected();
    const bridge = footbridge(world, loginFolder());
    await signIn(bridge, world);
    await expect(bridge.call('write')).rejects.toThrow(/sign_in_to_docs/);
    await expect.poll(() => bridge.tools).toContain('sign_in_to_docs');
    await signIn(bridge, world);
    expect(await bridge.text('write')).toContain('written');
    expect(await bridge.text('whoami')).toContain('ada');
  });

  it('uses a client that was registered by hand', async () => {
    const world = await startProtected({ registration: false, clients: [REGISTERED] });
    const bridge = footbridge(world, loginFolder(), { clientId: 'footbridge' });
    await signIn(bridge, world);
    expect(await bridge.text('whoami')).toContain('ada');
  });

  it('uses the URL of a metadata document as its client', async () => {
    const clientId = 'https://client.example/footbridge.json';
    const document = { ...REGISTERED, client_id: clientId, client_name: 'Footbridge' };
    const world = await startProtected({ registration: false, documents: { [clientId]: document } });
    const bridge = footbridge(world, loginFolder(), { clientId });
    await signIn(bridge, world);
    expect(await bridge.text('whoami')).toContain('ada');
    world.expire();
    expect(await bridge.text('whoami')).toContain('ada');
    expect(world.grants).toEqual(['authorization_code', 'refresh_token']);
  });

  it('signs in to a server on the first SDK, renews the login, and asks for more scopes', async () => {
    const world = await startProtected({ sdk: 'v1' });
    const bridge = footbridge(world, loginFolder());
    expect(await bridge.listed()).toEqual(['sign_in_to_docs']);
    await signIn(bridge, world);
    world.expire();
    expect(await bridge.text('whoami')).toContain('ada');
    expect(world.grants).toEqual(['authorization_code', 'refresh_token']);
    await expect(bridge.call('write')).rejects.toThrow(/sign_in_to_docs/);
    await expect.poll(() => bridge.tools).toContain('sign_in_to_docs');
    await signIn(bridge, world);
    expect(await bridge.text('write')).toContain('written');
  });

  it('signs in without a person, with client credentials', async () => {
    const client = {
      client_id: 'machine',
      client_secret: 'of the machine, and nobody else',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_basic' as const,
    };
    const world = await startProtected({ registration: false, clients: [client] });
    const oauth = { clientId: 'machine', clientSecretEnv: 'MACHINE_SECRET', grant: 'client_credentials', scopes: ['read'] } as const;
    const bridge = footbridge(world, loginFolder(), oauth, { MACHINE_SECRET: client.client_secret });
    expect(await bridge.listed()).toEqual(['whoami', 'write']);
    world.expire();
    expect(await bridge.text('whoami')).toContain('ada');
    expect(world.grants).toEqual(['client_credentials', 'client_credentials']);
  });
});

/** What the tool says when a sign-in cannot begin. */
async function refusal(world: ProtectedWorld, oauth?: OAuthSettings): Promise<string> {
  const bridge = footbridge(world, loginFolder(), oauth);
  await bridge.listed();
  return bridge.text('sign_in_to_docs');
}

describe('a sign-in is refused', () => {
  it('where a server on the internet leads to a private network', async () => {
    const fetch = await fetchFor(new URL('https://8.8.8.8/mcp'));
    for (const target of ['https://127.0.0.1/', 'https://[::1]/', 'https://169.254.169.254/latest', 'https://localhost:9/'])
      await expect(fetch(target), target).rejects.toThrow(/private network/);
  });

  it('where the authorization server redirects to another host', async () => {
    const elsewhere = await serveWeb(({ response }) => response.end('{}'));
    const redirecting = await serveWeb(({ response }) => response.writeHead(302, { location: elsewhere.url }).end());
    const world = await startProtected({ resource: (others) => ({ ...others, authorization_servers: [new URL(redirecting.url).origin] }) });
    expect(await refusal(world)).toMatch(/publishes no metadata/);
    expect(elsewhere.visits).toHaveLength(0);
  });

  it.each([
    ['without PKCE', { metadata: ({ code_challenge_methods_supported: _, ...others }) => others }, /PKCE/],
    ['where the issuer is another one', { metadata: (others) => ({ ...others, issuer: 'https://elsewhere.example' }) }, /another issuer/],
    [
      'where the metadata is for another server',
      { resource: (others) => ({ ...others, resource: 'https://elsewhere.example/mcp' }) },
      /another server/,
    ],
    [
      'where it would not be encrypted',
      { resource: (others) => ({ ...others, authorization_servers: ['http://login.example'] }) },
      /not encrypted/,
    ],
    [
      'where its page would not be encrypted',
      { metadata: (others) => ({ ...others, authorization_endpoint: 'http://login.example/authorize' }) },
      /login\.example is not encrypted/,
    ],
    [
      'where tokens would be sent elsewhere without encryption',
      { metadata: (others) => ({ ...others, registration_endpoint: 'http://login.example/register' }) },
      /login\.example, which is not encrypted/,
    ],
    ['where the metadata is very long', { metadata: (others) => ({ ...others, more: 'x'.repeat(300_000) }) }, /too long/],
    ['where the metadata of the server is very long', { resource: (others) => ({ ...others, more: 'x'.repeat(300_000) }) }, /too long/],
    ['where Footbridge must be registered by hand', { registration: false }, /clientId/],
  ] satisfies [string, ProtectedOptions, RegExp][])('%s', async (_title, options, words) => {
    const world = await startProtected(options);
    expect(await refusal(world)).toMatch(words);
    expect(world.grants).toEqual([]);
  });

  it('where an authorization server elsewhere sends the browser to this machine', async () => {
    const metadata = {
      issuer: 'https://login.example',
      authorization_endpoint: 'http://127.0.0.1:631/admin',
      token_endpoint: 'https://login.example/token',
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    };
    const server = {
      url: new URL('https://docs.example/mcp'),
      fetch,
      issuer: metadata.issuer,
      metadata,
      resource: undefined,
      scope: undefined,
    };
    await expect(authorizationRequest(server, { client_id: 'x' }, 'http://127.0.0.1:9/callback', 'state')).rejects.toThrow(
      /on this machine/,
    );
  });

  it('where the authorization server does not accept metadata documents', async () => {
    expect(await refusal(await startProtected(), { clientId: 'https://client.example/footbridge.json' })).toMatch(/metadata document/);
  });

  it('where the user denies it', async () => {
    const world = await startProtected();
    const bridge = footbridge(world, loginFolder());
    await bridge.listed();
    const link = linkIn(await bridge.text('sign_in_to_docs'));
    expect(await (await world.browse(link, { deny: true })).text()).toContain('Access was denied');
    expect(bridge.tools).toEqual(['sign_in_to_docs']);
  });

  it.each([
    ['with another state', (answer: URLSearchParams) => answer.set('state', 'x'.repeat(43)), 404],
    ['from another issuer', (answer: URLSearchParams) => answer.set('iss', 'https://elsewhere.example'), 400],
    ['without its issuer', (answer: URLSearchParams) => answer.delete('iss'), 400],
  ])('when the browser returns %s', async (_title, change, status) => {
    const world = await startProtected();
    const bridge = footbridge(world, loginFolder());
    await bridge.listed();
    const redirect = await world.returned(linkIn(await bridge.text('sign_in_to_docs')));
    change(redirect.searchParams);
    expect((await fetch(redirect)).status).toBe(status);
    expect(world.grants).toEqual([]);
    expect(bridge.tools).toEqual(['sign_in_to_docs']);
  });
});
