/** Signing in to servers on each SDK, against a real authorization server. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { upstreams } from '../src/sources/upstream/index.js';
import { LoginStore } from '../src/sources/upstream/sign-in/login-store.js';
import { startProtected } from './support/protected-server.js';
import { SDKS } from './support/resource-servers.js';
import { footbridge, linkIn, loginFolder, REGISTERED, signIn } from './support/sign-in-bridge.js';

describe.each(SDKS)('a server on SDK %s that requires its users to sign in', (sdk) => {
  it('is listed with one sign-in tool; after the sign-in its own tools appear', async () => {
    const world = await startProtected({ sdk });
    const bridge = footbridge(world, loginFolder());
    expect(await bridge.listed()).toEqual(['sign_in_to_docs']);
    expect(bridge.failure).toMatchObject({ kind: 'auth', message: expect.stringContaining('footbridge login docs') });
    await signIn(bridge, world);
    expect(await bridge.text('whoami')).toContain('ada');
    expect(world.grants).toEqual(['authorization_code']);
  });

  it('renews an expired login once for many calls', async () => {
    const world = await startProtected({ sdk });
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

  it('renews a login that another host renewed and that has expired since', async () => {
    const [world, folder] = [await startProtected({ sdk }), loginFolder()];
    const hosts = [footbridge(world, folder), footbridge(world, folder)] as const;
    await signIn(hosts[0], world);
    await hosts[1].listed();
    for (const { text } of [hosts[1], ...hosts, ...hosts]) {
      expect(await text('whoami')).toContain('ada');
      world.expire();
    }
    expect(world.grants).toEqual(['authorization_code', ...Array(4).fill('refresh_token')]);
  });

  it('requests a sign-in again after the login was revoked, also in calls', async () => {
    const world = await startProtected({ sdk });
    const bridge = footbridge(world, loginFolder());
    await signIn(bridge, world);
    await world.revokeAll();
    await expect(bridge.call('whoami')).rejects.toThrow(/requires you to sign in.*sign_in_to_docs/);
    await expect.poll(() => bridge.tools).toContain('sign_in_to_docs');
    await signIn(bridge, world);
    expect(await bridge.text('whoami')).toContain('ada');
  });

  it('requests a sign-in again after a login without renewal expired', async () => {
    const world = await startProtected({ sdk, refresh: false });
    const bridge = footbridge(world, loginFolder());
    await signIn(bridge, world);
    world.expire();
    await expect(bridge.call('whoami')).rejects.toThrow(/sign_in_to_docs/);
    await expect.poll(() => bridge.tools).toContain('sign_in_to_docs');
    await signIn(bridge, world);
    expect(await bridge.text('whoami')).toContain('ada');
  });

  it('does not repeatedly renew a login that the server never accepts', async () => {
    const world = await startProtected({ sdk, audience: 'https://elsewhere.example/mcp' });
    const bridge = footbridge(world, loginFolder());
    await bridge.listed();
    expect((await world.browse(linkIn(await bridge.text('sign_in_to_docs')))).status).toBe(200);
    await expect.poll(() => bridge.failure?.message).toMatch(/sign_in_to_docs.*refused the last login.*ask its operator/);
    expect(await bridge.listed()).toContain('sign_in_to_docs');
    expect(world.grants).toEqual(['authorization_code', 'refresh_token']);
    // It can be tried again.
    expect((await world.browse(linkIn(await bridge.text('sign_in_to_docs')))).status).toBe(200);
    await expect.poll(() => world.grants).toHaveLength(4);
    await expect.poll(() => bridge.tools).toContain('sign_in_to_docs');
  });

  it('requests more scopes if a call needs them, and keeps the earlier ones', async () => {
    const world = await startProtected({ sdk });
    const bridge = footbridge(world, loginFolder());
    await signIn(bridge, world);
    await expect(bridge.call('write')).rejects.toThrow(/sign_in_to_docs/);
    await expect.poll(() => bridge.tools).toContain('sign_in_to_docs');
    await signIn(bridge, world);
    expect(await bridge.text('write')).toContain('written');
    expect(await bridge.text('whoami')).toContain('ada');
  });

  it('uses a client that was registered by hand', async () => {
    const world = await startProtected({ sdk, registration: false, clients: [REGISTERED] });
    const bridge = footbridge(world, loginFolder(), { clientId: 'footbridge' });
    await signIn(bridge, world);
    expect(await bridge.text('whoami')).toContain('ada');
  });

  it('uses the URL of a metadata document as its client', async () => {
    const clientId = 'https://client.example/footbridge.json';
    const document = { ...REGISTERED, client_id: clientId, client_name: 'Footbridge' };
    const world = await startProtected({ sdk, registration: false, documents: { [clientId]: document } });
    const bridge = footbridge(world, loginFolder(), { clientId });
    await signIn(bridge, world);
    expect(await bridge.text('whoami')).toContain('ada');
    world.expire();
    expect(await bridge.text('whoami')).toContain('ada');
    expect(world.grants).toEqual(['authorization_code', 'refresh_token']);
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
    const world = await startProtected({ sdk, registration: false, clients: [client] });
    const oauth = { clientId: 'machine', clientSecretEnv: 'MACHINE_SECRET', grant: 'client_credentials', scopes: ['read'] } as const;
    const bridge = footbridge(world, loginFolder(), oauth, { MACHINE_SECRET: client.client_secret });
    expect(await bridge.listed()).toEqual(['whoami', 'write']);
    world.expire();
    expect(await bridge.text('whoami')).toContain('ada');
    expect(world.grants).toEqual(['client_credentials', 'client_credentials']);
  });
});

describe.each(SDKS)('a server on SDK %s that requires a login for calls alone', (sdk) => {
  it('is listed unchanged, with the sign-in tool from the first call on', async () => {
    const world = await startProtected({ sdk, protects: 'calls' });
    const bridge = footbridge(world, loginFolder());
    expect(await bridge.listed()).toEqual(['whoami', 'write']);
    await expect(bridge.call('whoami')).rejects.toThrow(/requires you to sign in.*sign_in_to_docs/);
    await expect.poll(() => bridge.tools).toContain('sign_in_to_docs');
    await signIn(bridge, world);
    expect(await bridge.text('whoami')).toContain('ada');
  });
});

describe('a server with the transport of 2024', () => {
  it('is signed in to, and its login is renewed when a message is rejected', async () => {
    const world = await startProtected({ sdk: 'sse' });
    const folder = loginFolder();
    const bridge = footbridge(world, folder);
    expect(await bridge.listed()).toEqual(['sign_in_to_docs']);
    expect(bridge.failure).toMatchObject({ kind: 'auth', message: expect.stringContaining('requires you to sign in') });
    await signIn(bridge, world);
    expect(await bridge.text('whoami')).toContain('ada');
    world.expire();
    expect(await bridge.text('whoami')).toContain('ada');
    expect(world.grants).toEqual(['authorization_code', 'refresh_token']);
    // A new stream with a login that has expired meanwhile.
    world.expire();
    expect(await footbridge(world, folder).listed()).toEqual(['whoami', 'write']);
    expect(world.grants).toHaveLength(3);
    await world.revokeAll();
    await expect(bridge.call('whoami')).rejects.toThrow(/requires you to sign in/);
  });
});

it('requires one sign-in for two hosts and a restart', async () => {
  const world = await startProtected();
  const folder = loginFolder();
  const running = footbridge(world, folder);
  expect(await running.listed()).toEqual(['sign_in_to_docs']);
  await signIn(footbridge(world, folder), world);
  await expect.poll(() => running.tools, { timeout: 10_000 }).toEqual(['whoami', 'write']);
  expect(await footbridge(world, folder).listed()).toEqual(['whoami', 'write']);
  expect(world.grants).toEqual(['authorization_code']);
});

it('servers have tools to sign in with names of their own', async () => {
  const { url } = await startProtected();
  const names = ['日本', '中国', 'a.b', 'a b'];
  const source = upstreams({
    servers: Object.fromEntries(names.map((name) => [name, { url }])),
    logins: { store: new LoginStore(loginFolder()), environment: {} },
  });
  onTestFinished(() => source.end());
  const shown: string[][] = [];
  await source.open(
    ({ tools = [] }) => shown.push(tools.map(({ entry }) => entry.name)),
    () => {},
  );
  await source.listed();
  await expect.poll(() => shown.at(-1)).toEqual(['sign_in_to_65e5672c', 'sign_in_to_4e2d56fd', 'sign_in_to_a_b']);
});
