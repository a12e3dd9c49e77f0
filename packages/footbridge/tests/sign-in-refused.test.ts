/** Sign-ins that must be refused, with servers on each SDK, and their errors. */
import { describe, expect, it } from 'vitest';
import type { OAuthSettings } from '../src/sources/upstream/options.js';
import { authorizationRequest } from '../src/sources/upstream/sign-in/authorization-server.js';
import { type ProtectedOptions, type ProtectedWorld, startProtected } from './support/protected-server.js';
import { SDKS } from './support/resource-servers.js';
import { footbridge, linkIn, loginFolder } from './support/sign-in-bridge.js';
import { serveWeb } from './support/web-server.js';

/** What the tool says when a sign-in cannot begin. */
async function refusal(world: ProtectedWorld, oauth?: OAuthSettings): Promise<string> {
  const bridge = footbridge(world, loginFolder(), oauth);
  await bridge.listed();
  return bridge.text('sign_in_to_docs');
}

describe.each(SDKS)('a sign-in to a server on SDK %s is rejected', (sdk) => {
  it('when the authorization server redirects to another host', async () => {
    const elsewhere = await serveWeb(({ response }) => response.end('{}'));
    const redirecting = await serveWeb(({ response }) => response.writeHead(302, { location: elsewhere.url }).end());
    const world = await startProtected({
      sdk,
      resource: (others) => ({ ...others, authorization_servers: [new URL(redirecting.url).origin] }),
    });
    expect(await refusal(world)).toMatch(/publishes no metadata/);
    expect(elsewhere.calls).toHaveLength(0);
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
    const world = await startProtected({ ...options, sdk });
    expect(await refusal(world)).toMatch(words);
    expect(world.grants).toEqual([]);
  });

  it('when the authorization server issues no tokens for the server', async () => {
    const world = await startProtected({
      sdk,
      resource: (others) => ({ ...others, resource: new URL('/', String(others['resource'])).href }),
    });
    const bridge = footbridge(world, loginFolder());
    await bridge.listed();
    const page = await world.browse(linkIn(await bridge.text('sign_in_to_docs')));
    expect(await page.text()).toContain('refused the sign-in (invalid_target)');
    expect(bridge.tools).toEqual(['sign_in_to_docs']);
  });

  it('when the authorization server does not accept metadata documents', async () => {
    expect(await refusal(await startProtected({ sdk }), { clientId: 'https://client.example/footbridge.json' })).toMatch(
      /metadata document/,
    );
  });

  it('when the user denies it', async () => {
    const world = await startProtected({ sdk });
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
    const world = await startProtected({ sdk });
    const bridge = footbridge(world, loginFolder());
    await bridge.listed();
    const redirect = await world.returned(linkIn(await bridge.text('sign_in_to_docs')));
    change(redirect.searchParams);
    expect((await fetch(redirect)).status).toBe(status);
    expect(world.grants).toEqual([]);
    expect(bridge.tools).toEqual(['sign_in_to_docs']);
  });
});

describe('a sign-in is rejected', () => {
  it('when a remote authorization server redirects the browser to this machine', async () => {
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
      isInside: false,
      issuer: metadata.issuer,
      metadata,
      resource: undefined,
      scope: undefined,
    };
    await expect(authorizationRequest(server, { client_id: 'x' }, 'http://127.0.0.1:9/callback', 'state')).rejects.toThrow(
      /on this machine/,
    );
  });
});
