/** Which authorization server a sign-in goes to, among those that a server names, and where each publishes its metadata. */
import { describe, expect, it } from 'vitest';
import type { OAuthSettings } from '../src/sources/upstream/options.js';
import { AuthorizationServer } from './support/authorization-server.js';
import { type ProtectedOptions, startProtected } from './support/protected-server.js';
import { footbridge, linkIn, loginFolder, REGISTERED, signIn } from './support/sign-in-bridge.js';
import { sendJson, serveWeb } from './support/web-server.js';

/** What the tool answers: a link, or why it is missing. */
async function answer(options: ProtectedOptions, oauth?: OAuthSettings): Promise<string> {
  const bridge = footbridge(await startProtected(options), loginFolder(), oauth);
  await bridge.listed();
  return bridge.text('sign_in_to_docs');
}

const naming = (...servers: readonly string[]) => ({
  resource: (others: Record<string, unknown>) => ({ ...others, authorization_servers: [...servers, issuerIn(others)] }),
});
const issuerIn = ({ authorization_servers: servers }: Record<string, unknown>) => String(servers);

/** An authorization server with this metadata. */
async function publishing(metadata: object, status = 200): Promise<string> {
  const server = await serveWeb(({ request, response }) =>
    sendJson(response, status, { ...metadata, issuer: `http://${request.headers.host}` }),
  );
  return new URL(server.url).origin;
}

describe('of several authorization servers', () => {
  it('the first one that can be used is used', async () => {
    const endpoints = { authorization_endpoint: 'http://127.0.0.1:9/a', token_endpoint: 'http://127.0.0.1:9/t' };
    const unusable = await Promise.all([
      publishing({}, 404),
      publishing({}, 503),
      publishing({ unrelated: true }),
      publishing({ ...endpoints, response_types_supported: ['code'] }),
    ]);
    const world = await startProtected(naming('http://127.0.0.1:1', ...unusable));
    const bridge = footbridge(world, loginFolder());
    await signIn(bridge, world);
    expect(await bridge.text('whoami')).toContain('ada');
  });

  it('one that names another issuer is not skipped', async () => {
    const liar = await serveWeb(({ response }) => sendJson(response, 200, { issuer: 'https://elsewhere.example' }));
    const metadata = {
      issuer: 'https://elsewhere.example',
      authorization_endpoint: 'https://elsewhere.example/a',
      token_endpoint: 'https://elsewhere.example/t',
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    };
    const other = await serveWeb(({ response }) => sendJson(response, 200, metadata));
    expect(await answer(naming(new URL(other.url).origin))).toContain('names another issuer');
    expect(liar.calls).toHaveLength(0);
  });

  it('the one of an earlier login is preferred', async () => {
    const second = await AuthorizationServer.start({ audience: 'docs' });
    let servers: readonly string[] = [];
    const world = await startProtected({ resource: (others) => ({ ...others, authorization_servers: [...servers, issuerIn(others)] }) });
    const bridge = footbridge(world, loginFolder());
    await signIn(bridge, world);
    await world.revokeAll();
    servers = [second.issuer];
    await expect(bridge.call('whoami')).rejects.toThrow(/sign_in_to_docs/);
    expect(linkIn(await bridge.text('sign_in_to_docs'))).toContain(world.issuer);
    expect(linkIn(await answer(naming(second.issuer)))).toContain(second.issuer);
  });
});

describe('an authorization server', () => {
  it.each([
    ['with a path in its issuer', { path: '/tenant/one' }, '/.well-known/oauth-authorization-server/tenant/one'],
    ['with OpenID metadata alone', { metadata: 'openid' }, '/.well-known/openid-configuration'],
    ['with a path and OpenID metadata alone', { path: '/tenant', metadata: 'openid' }, '/tenant/.well-known/openid-configuration'],
  ] as const)('%s is found', async (_title, options, last) => {
    const server = await AuthorizationServer.start({ audience: 'docs', ...options });
    expect(linkIn(await answer({ resource: (others) => ({ ...others, authorization_servers: [server.issuer] }) }))).toContain(
      `${server.issuer}/authorize`,
    );
    expect(server.requests.filter((path) => path.includes('.well-known')).at(-1)).toBe(last);
  });

  it('without authorization codes is refused with the reason', async () => {
    expect(await answer({ metadata: (others) => ({ ...others, response_types_supported: ['id_token'] }) })).toContain(
      'does not support authorization codes',
    );
  });

  it('need not support PKCE for client credentials', async () => {
    const client = {
      ...REGISTERED,
      client_secret: 'of the machine, and nobody else',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_basic' as const,
    };
    const metadata = ({ code_challenge_methods_supported: _, ...others }: Record<string, unknown>) => others;
    const world = await startProtected({ registration: false, clients: [client], metadata });
    const oauth = { clientId: 'footbridge', clientSecretEnv: 'SECRET', grant: 'client_credentials', scopes: ['read'] } as const;
    expect(await footbridge(world, loginFolder(), oauth, { SECRET: client.client_secret }).listed()).toEqual(['whoami', 'write']);
  });
});

describe('the metadata of a server', () => {
  /** A server that requires a sign-in and answers requests for its metadata with this. */
  async function guarded(status: number, type: string, body: string): Promise<string> {
    const server = await serveWeb(({ request, response }) => {
      if (request.method !== 'GET') return response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      const isAuthorization = request.url?.includes('oauth-authorization-server') || request.url?.includes('openid');
      return response.writeHead(isAuthorization ? 404 : status, { 'content-type': type, location: 'https://example.org/' }).end(body);
    });
    const bridge = footbridge(server, loginFolder());
    await bridge.listed();
    return bridge.text('sign_in_to_docs');
  }

  it.each([
    [500, 'application/json', '{}', /cannot be used \(HTTP 500\)/],
    [503, 'text/html', '<p>', /cannot be used \(HTTP 503\)/],
    [200, 'application/json', '{', /cannot be used\./],
    [200, 'application/json', '{"authorization_servers":[]}', /cannot be used\./],
  ])('that is HTTP %i, %s, %s is an error', async (status, type, body, words) => {
    expect(await guarded(status, type, body)).toMatch(words);
  });

  it.each([
    [404, 'application/json', '{}'],
    [401, 'text/plain', ''],
    [302, 'text/plain', ''],
    [200, 'text/html', '<p>'],
  ])('that is HTTP %i, %s does not exist: the server is its own authorization server, as in 2025-03-26', async (status, type, body) => {
    // It registers there, which this one refuses.
    expect(await guarded(status, type, body)).toMatch(/refused to register Footbridge \(HTTP 401\).*takes a key instead/);
  });
});
