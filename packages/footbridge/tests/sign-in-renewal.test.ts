/** When a login is renewed, and what happens if it cannot be. */
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../src/log.js';
import { Login } from '../src/sources/upstream/sign-in/login.js';
import { LoginStore, loginId } from '../src/sources/upstream/sign-in/login-store.js';
import { type ProtectedWorld, startProtected } from './support/protected-server.js';
import { footbridge, linkIn, loginFolder, signIn } from './support/sign-in-bridge.js';
import { sendJson } from './support/web-server.js';

const renewals = ({ grants }: ProtectedWorld) => grants.filter((grant) => grant === 'refresh_token').length;

async function signedIn(world: ProtectedWorld, folder = loginFolder()) {
  const bridge = footbridge(world, folder);
  await signIn(bridge, world);
  return bridge;
}

describe('a login', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([20, 3600])('for %i seconds is renewed shortly before it expires, not on every call', async (lifetime) => {
    const [world, folder] = [await startProtected({ lifetime }), loginFolder()];
    const bridge = await signedIn(world, folder);
    const { expiresAt = 0 } = new LoginStore(folder).read(loginId(world.url, {})) ?? {};
    const renewedAt = expiresAt - Math.min(30_000, lifetime * 200);
    // Only the clock stands still.
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(renewedAt - 500);
    for (let count = 0; count < 3; count++) await bridge.text('whoami');
    expect(renewals(world)).toBe(0);
    vi.setSystemTime(renewedAt + 500);
    for (let count = 0; count < 3; count++) expect(await bridge.text('whoami')).toContain('ada');
    expect(renewals(world)).toBe(1);
  });
});

describe('a renewal', () => {
  const answered = (status: number, body: object) => async (response: ServerResponse) => sendJson(response, status, body);
  const page = (status: number) => async (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end('<p>Sorry.</p>');
  };
  const fails = async () => {
    throw new Error('down');
  };

  it.each<[string, ProtectedWorld['beforeToken'], RegExp]>([
    ['HTTP 503', fails, /HTTP 503/],
    ['a page with HTTP 502', page(502), /HTTP 502/],
    ['a page in place of tokens', page(200), /HTTP 200/],
    ['HTTP 429', page(429), /HTTP 429/],
    ['temporarily_unavailable', answered(400, { error: 'temporarily_unavailable' }), /temporarily_unavailable/],
    ['server_error', answered(400, { error: 'server_error' }), /server_error/],
    ['slow_down', answered(400, { error: 'slow_down' }), /slow_down/],
  ])('that meets %s keeps the login, and the call says why and what to do', async (_title, answer, reason) => {
    const world = await startProtected();
    const folder = loginFolder();
    const bridge = await signedIn(world, folder);
    world.expire();
    world.beforeToken = answer;
    const message = await bridge.call('whoami').then(String, (cause: Error) => cause.message);
    expect(message).toMatch(/login to 'docs' could not be renewed\./);
    expect(message).toMatch(reason);
    expect(message).toContain('Try again, or run `footbridge login docs`.');
    expect(bridge.tools).toEqual(['whoami', 'write']);
    world.beforeToken = async () => {};
    expect(await footbridge(world, folder).listed()).toEqual(['whoami', 'write']);
  });

  it.each<[string, ProtectedWorld['beforeToken'], RegExp]>([
    ['invalid_request', answered(400, { error: 'invalid_request' }), /The last login ended early.*\(invalid_request\)/],
    ['a page with HTTP 404', page(404), /The last login ended early.*\(HTTP 404\)/],
    ['a code of its own with HTTP 200', answered(200, { error: 'bad_refresh_token' }), /The last login ended early.*\(bad_refresh_token\)/],
    ['invalid_grant', answered(400, { error: 'invalid_grant' }), /or run `footbridge login docs`\.$/],
  ])('that is refused with %s ends the login: the call says so, and the tool to sign in is there', async (_title, answer, words) => {
    const world = await startProtected();
    const bridge = await signedIn(world);
    world.expire();
    world.beforeToken = answer;
    await expect(bridge.call('whoami')).rejects.toThrow(/requires you to sign in/);
    await expect(bridge.call('whoami')).rejects.toThrow(words);
    await expect.poll(() => bridge.tools).toContain('sign_in_to_docs');
    world.beforeToken = async () => {};
    await signIn(bridge, world);
    expect(await bridge.text('whoami')).toContain('ada');
  });

  it('finds a token endpoint that moved', async () => {
    const world = await startProtected();
    const bridge = await signedIn(world);
    world.tokenPath = '/oauth2/v2/token';
    for (const count of [1, 2]) {
      world.expire();
      expect(await bridge.text('whoami')).toContain('ada');
      expect(renewals(world)).toBe(count);
    }
  });
});

it('a stream that the server refuses with every token costs one renewal', async () => {
  const world = await startProtected({ sdk: 'v1', refusesStreams: true });
  const bridge = await signedIn(world);
  await expect.poll(() => world.refusedStreams, { timeout: 5000 }).toBeGreaterThan(1);
  for (const _ of [1, 2, 3]) expect(await bridge.text('whoami')).toContain('ada');
  expect(renewals(world)).toBe(1);
});

describe('a scope that a login lacks', () => {
  it('is not assumed because another process renewed the login', async () => {
    const [world, folder] = [await startProtected(), loginFolder()];
    const bridge = await signedIn(world, folder);
    await expect(bridge.call('write')).rejects.toThrow(/sign_in_to_docs/);
    await expect.poll(() => bridge.tools).toContain('sign_in_to_docs');
    // Its only file, where it is looked for.
    const store = new LoginStore(folder);
    const other = new Login({ url: world.url, settings: {}, store, log: silentLog, environment: {} });
    let seen = 0;
    const stop = store.watch(loginId(world.url, {}), () => seen++);
    await other.renew();
    expect(renewals(world)).toBe(1);
    await expect.poll(() => seen, { timeout: 5000 }).toBe(1);
    stop();
    await bridge.text('whoami');
    expect(bridge.tools).toContain('sign_in_to_docs');
    await signIn(bridge, world);
    expect(await bridge.text('write')).toContain('written');
  });

  it('is one that the server lists, if the challenge names none', async () => {
    const listed = (others: Record<string, unknown>) => ({ ...others, scopes_supported: ['read', 'write'] });
    const world = await startProtected({ resource: listed, challenge: (header) => header.replace(/,? *scope="[^"]*"/, '') });
    const bridge = footbridge(world, loginFolder(), { scopes: ['read'] });
    await signIn(bridge, world);
    await expect(bridge.call('write')).rejects.toThrow(/sign_in_to_docs/);
    const link = linkIn(await bridge.text('sign_in_to_docs'));
    expect(new URL(link).searchParams.get('scope')?.split(' ')).toContain('write');
    expect((await world.browse(link)).status).toBe(200);
    expect(await bridge.text('write')).toContain('written');
  });

  it('that is not listed is reported', async () => {
    const world = await startProtected({ challenge: (header) => header.replace(/,? *scope="[^"]*"/, '') });
    const bridge = await signedIn(world);
    await expect(bridge.call('write')).rejects.toThrow(/sign_in_to_docs/);
    expect(await bridge.text('sign_in_to_docs')).toContain('requires a scope that it does not name');
  });

  const machine = {
    client_id: 'machine',
    client_secret: 'of the machine, and nobody else',
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    token_endpoint_auth_method: 'client_secret_basic' as const,
  };
  const oauth = { clientId: 'machine', clientSecretEnv: 'MACHINE_SECRET', grant: 'client_credentials', scopes: ['read'] } as const;
  const environment = { MACHINE_SECRET: machine.client_secret };

  it('is requested with client credentials, and kept when the login is renewed', async () => {
    const world = await startProtected({ registration: false, clients: [machine] });
    const folder = loginFolder();
    const bridge = footbridge(world, folder, oauth, environment);
    await bridge.listed();
    expect(await bridge.text('write')).toContain('written');
    expect(world.grants).toHaveLength(2);
    world.expire();
    const restarted = footbridge(world, folder, oauth, environment);
    await restarted.listed();
    expect(await restarted.text('write')).toContain('written');
    expect(world.grants).toHaveLength(3);
  });

  it('that is not granted is requested once', async () => {
    const world = await startProtected({ registration: false, clients: [{ ...machine, scope: 'read' }], scopes: ['read', 'write'] });
    const bridge = footbridge(world, loginFolder(), oauth, environment);
    await bridge.listed();
    for (const words of [/invalid_scope/, /"write", which was requested and not granted/, /requested and not granted/])
      await expect(bridge.call('write')).rejects.toThrow(words);
    expect(await bridge.text('whoami')).toContain('ada');
    expect(world.grants).toHaveLength(2);
  });

  it.each([
    ['which the login has', 'read'],
    ['which was requested and not granted', 'nobody'],
  ])('is reported if it is one %s, and no further sign-in is requested', async (what, scope) => {
    const world = await startProtected({ challenge: (header) => header.replace('scope="write"', `scope="${scope}"`) });
    const bridge = await signedIn(world);
    if (scope === 'nobody') {
      await expect(bridge.call('write')).rejects.toThrow(/sign_in_to_docs/);
      await signIn(bridge, world);
    }
    for (const _ of [1, 2])
      await expect(bridge.call('write')).rejects.toThrow(`requires the scope "${scope}", ${what}. Ask its operator for access.`);
    expect(await bridge.text('whoami')).toContain('ada');
    expect(bridge.tools).toEqual(['whoami', 'write']);
  });

  it('and that is another one each time is requested three times for one call', async () => {
    const many = Array.from({ length: 20 }, (_, at) => `extra-${at}`);
    const left = [...many];
    const world = await startProtected({
      registration: false,
      clients: [machine],
      scopes: ['read', 'write', ...many],
      challenge: (header) => header.replace('scope="write"', () => `scope="${left.shift()}"`),
    });
    const bridge = footbridge(world, loginFolder(), oauth, environment);
    await bridge.listed();
    await expect(bridge.call('write')).rejects.toThrow(/HTTP 403/);
    expect(world.grants.length).toBeLessThanOrEqual(3);
    expect(await bridge.text('whoami')).toContain('ada');
  });
});
