/** Logins of servers that share an authorization server, or have a malicious one, are not mixed up. */
import { describe, expect, it } from 'vitest';
import { startProtected } from './support/protected-server.js';
import { SDKS } from './support/resource-servers.js';
import { footbridge, linkIn, loginFolder, REGISTERED, signIn } from './support/sign-in-bridge.js';
import { sendJson, serveWeb } from './support/web-server.js';

describe.each(SDKS)('two servers on SDK %s with one authorization server', (sdk) => {
  it('each receive the tokens that were issued for them, also renewed ones', async () => {
    const world = await startProtected({ sdk });
    const folder = loginFolder();
    const [one, other] = [footbridge(world, folder), footbridge({ url: world.otherUrl }, folder)];
    await signIn(one, world);
    expect(await other.listed()).toEqual(['sign_in_to_docs']);
    await signIn(other, world);
    world.expire();
    for (const bridge of [one, other]) expect(await bridge.text('whoami')).toContain('ada');
    expect(world.grants).toHaveLength(4);
    expect([world.received.size, world.receivedByOther.size]).toEqual([2, 2]);
    for (const token of world.received) expect(world.receivedByOther.has(token)).toBe(false);
  });

  it('are not signed in to with the code of the other', async () => {
    const world = await startProtected({ sdk });
    const folder = loginFolder();
    const [one, other] = [footbridge(world, folder), footbridge({ url: world.otherUrl }, folder)];
    const returns = [];
    for (const bridge of [one, other]) {
      await bridge.listed();
      returns.push(await world.returned(linkIn(await bridge.text('sign_in_to_docs'))));
    }
    const [first, second] = returns as [URL, URL];
    const swapped = new URL(first);
    swapped.searchParams.set('code', second.searchParams.get('code') ?? '');
    const answer = await fetch(swapped);
    expect({ status: answer.status, text: await answer.text() }).toMatchObject({
      status: 400,
      text: expect.stringContaining('invalid_grant'),
    });
    expect([one.tools, other.tools]).toEqual([['sign_in_to_docs'], ['sign_in_to_docs']]);
    expect(world.received.size + world.receivedByOther.size).toBe(0);
  });

  it('cannot obtain a token for the other', async () => {
    const honest = await startProtected({ sdk });
    const naming = (resource: string) => (others: object) => ({ ...others, resource, authorization_servers: [honest.issuer] });
    const pretending = await startProtected({ sdk, resource: naming(honest.url) });
    const bridge = footbridge(pretending, loginFolder());
    await bridge.listed();
    expect(await bridge.text('sign_in_to_docs')).toMatch(/another server/);
    const stranger = await startProtected({ sdk, resource: (others) => ({ ...others, authorization_servers: [honest.issuer] }) });
    const second = footbridge(stranger, loginFolder());
    await second.listed();
    const page = await honest.browse(linkIn(await second.text('sign_in_to_docs')));
    expect(await page.text()).toContain('invalid_target');
    expect([pretending.received.size, stranger.received.size]).toEqual([0, 0]);
  });

  it('do not send the code of an honest authorization server to a malicious one', async () => {
    const honest = await startProtected({ sdk });
    // It sends the browser to the honest one, as a client that it registered there, and waits for the code.
    const malicious = await serveWeb(
      async ({ request, response }) => {
        const issuer = `http://${request.headers.host}`;
        const { pathname, searchParams } = new URL(request.url ?? '', issuer);
        if (pathname === '/register') {
          const client = { ...REGISTERED, client_id: undefined, grant_types: ['authorization_code'], response_types: ['code'] };
          const registered = await fetch(`${honest.issuer}/reg`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(client),
          });
          return sendJson(response, 201, await registered.json());
        }
        if (pathname === '/authorize') {
          searchParams.set('resource', honest.url);
          return response.writeHead(302, { location: `${honest.issuer}/auth?${searchParams}` }).end();
        }
        return sendJson(response, 200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          registration_endpoint: `${issuer}/register`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
        });
      },
      { reads: false },
    );
    const { origin } = new URL(malicious.url);
    const server = await startProtected({ sdk, resource: (others) => ({ ...others, authorization_servers: [origin] }) });
    const bridge = footbridge(server, loginFolder());
    await bridge.listed();
    const page = await honest.browse(linkIn(await bridge.text('sign_in_to_docs')));
    expect(await page.text()).toContain('did not come from the authorization server');
    const asked = malicious.calls.map(({ request }) => new URL(request.url ?? '', origin).pathname);
    expect(asked).toContain('/authorize');
    expect(asked).not.toContain('/token');
    expect(bridge.tools).toEqual(['sign_in_to_docs']);
  });
});

describe.each(SDKS)('a client with a secret for a server on SDK %s', (sdk) => {
  const client = {
    client_id: 'machine',
    client_secret: 'of the machine, and nobody else',
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    token_endpoint_auth_method: 'client_secret_basic' as const,
  };
  const oauth = { clientId: 'machine', clientSecretEnv: 'MACHINE_SECRET', grant: 'client_credentials', scopes: ['read'] } as const;
  const environment = { MACHINE_SECRET: client.client_secret };

  /** A server that names a malicious authorization server as soon as it `turns`. */
  async function turning(names: (malicious: string, own: string) => readonly string[]) {
    const malicious = await serveWeb(
      ({ request, response }) => {
        const issuer = `http://${request.headers.host}`;
        sendJson(response, 200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          access_token: 'x',
          token_type: 'Bearer',
        });
      },
      { reads: false },
    );
    const { origin } = new URL(malicious.url);
    let hasTurned = false;
    const world = await startProtected({
      sdk,
      registration: false,
      clients: [client],
      resource: (others) =>
        hasTurned ? { ...others, authorization_servers: names(origin, String(others['authorization_servers'])) } : others,
    });
    const asked = () => malicious.calls.filter(({ request }) => request.method === 'POST').length;
    return { world, asked, turn: () => (hasTurned = true) };
  }

  it('does not send it to another authorization server than before', async () => {
    const { asked, turn, world } = await turning((malicious) => [malicious]);
    const bridge = footbridge(world, loginFolder(), oauth, environment);
    expect(await bridge.listed()).toEqual(['whoami', 'write']);
    turn();
    world.expire();
    await expect(bridge.call('whoami')).rejects.toThrow(/where this client signed in before.*footbridge logout/);
    expect(asked()).toBe(0);
  });

  it('never sends it to another one than "issuer" names', async () => {
    const { asked, turn, world } = await turning((malicious) => [malicious]);
    turn();
    const bridge = footbridge(world, loginFolder(), { ...oauth, issuer: world.issuer }, environment);
    await bridge.listed();
    expect(bridge.failure?.message).toMatch(/that "issuer" under "oauth" names/);
    expect(asked()).toBe(0);
  });

  it('uses the one that "issuer" names among several', async () => {
    const { asked, turn, world } = await turning((malicious, own) => [malicious, own]);
    turn();
    const bridge = footbridge(world, loginFolder(), { ...oauth, issuer: `${world.issuer}/` }, environment);
    expect(await bridge.listed()).toEqual(['whoami', 'write']);
    expect(asked()).toBe(0);
  });
});
