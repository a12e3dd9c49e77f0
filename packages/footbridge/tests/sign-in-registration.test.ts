/** Footbridge as a client of a real authorization server: registered, registered again, or configured with a secret. */
import { describe, expect, it } from 'vitest';
import type { LoginRecord } from '../src/sources/upstream/sign-in/login-storage.js';
import { LoginStore, loginId } from '../src/sources/upstream/sign-in/login-store.js';
import { revoke } from '../src/sources/upstream/sign-in/revocation.js';
import { type ProtectedWorld, startProtected } from './support/protected-server.js';
import { type Bridge, footbridge, linkIn, loginFolder, REGISTERED, signIn } from './support/sign-in-bridge.js';

function recordIn(folder: string, { url }: ProtectedWorld, clientId?: string): LoginRecord {
  const found = new LoginStore(folder).read(loginId(url, { clientId }));
  if (found === undefined) throw new Error('no login is stored');
  return found;
}

const change = (folder: string, { url }: ProtectedWorld, record: LoginRecord) => new LoginStore(folder).write(loginId(url, {}), record);

/** Until the tool to sign in is back. */
async function ended(bridge: Bridge, tool = 'whoami'): Promise<void> {
  await expect(bridge.call(tool)).rejects.toThrow(/sign_in_to_docs/);
  await expect.poll(() => bridge.tools).toContain('sign_in_to_docs');
}

describe('a registration', () => {
  it('is reused for the next sign-in', async () => {
    const [world, folder] = [await startProtected(), loginFolder()];
    const bridge = footbridge(world, folder);
    await signIn(bridge, world);
    await world.revokeAll();
    await ended(bridge);
    await signIn(bridge, world);
    expect(world.registrations).toHaveLength(1);
    expect(recordIn(folder, world).isClientInDoubt).toBeUndefined();
  });

  it('that the authorization server deleted is replaced at the next sign-in', async () => {
    const world = await startProtected();
    const bridge = footbridge(world, loginFolder());
    await signIn(bridge, world);
    await world.forgetClients();
    world.expire();
    await ended(bridge);
    await signIn(bridge, world);
    expect(await bridge.text('whoami')).toContain('ada');
    expect(world.registrations).toHaveLength(2);
  });

  it('is replaced after an unfinished sign-in, and kept after a denied one', async () => {
    const [world, folder] = [await startProtected({ refresh: false }), loginFolder()];
    const bridge = footbridge(world, folder);
    await signIn(bridge, world);
    world.expire();
    await ended(bridge);
    expect((await world.browse(linkIn(await bridge.text('sign_in_to_docs')), { deny: true })).status).toBe(400);
    expect(recordIn(folder, world).isClientInDoubt).toBe(false);
    await world.forgetClients();
    const page = await world.browse(linkIn(await bridge.text('sign_in_to_docs')));
    expect(await page.text()).toContain('invalid_client');
    expect(world.registrations).toHaveLength(1);
    const restarted = footbridge(world, folder);
    await signIn(restarted, world);
    expect(await restarted.text('whoami')).toContain('ada');
    expect(world.registrations).toHaveLength(2);
  });

  it('is replaced by one with the scope that a call needs', async () => {
    const world = await startProtected({ scopes: ['read', 'write'] });
    const bridge = footbridge(world, loginFolder());
    await signIn(bridge, world);
    await ended(bridge, 'write');
    await signIn(bridge, world);
    expect(await bridge.text('write')).toContain('written');
    const scopes = world.registrations.map(({ scope = '' }) => scope.split(' ').sort());
    expect(scopes).toEqual([
      ['offline_access', 'read'],
      ['offline_access', 'read', 'write'],
    ]);
  });

  it('is replaced when its secret has expired', async () => {
    const [world, folder] = [await startProtected({ refresh: false }), loginFolder()];
    const bridge = footbridge(world, folder);
    await signIn(bridge, world);
    const record = recordIn(folder, world);
    const secret = { client_secret: 'x', client_secret_issued_at: 1, client_secret_expires_at: Math.floor(Date.now() / 1000) - 1 };
    await change(folder, world, { ...record, client: { ...record.client, ...secret } });
    world.expire();
    await ended(bridge);
    await signIn(bridge, world);
    expect(world.registrations).toHaveLength(2);
  });

  it.each([
    [['client_secret_post', 'none'], 'none'],
    [['client_secret_post', 'client_secret_basic'], 'client_secret_basic'],
    [['private_key_jwt', 'client_secret_post'], 'client_secret_post'],
  ])('where the authorization server supports %j asks for %s', async (supported, method) => {
    const world = await startProtected({ metadata: (others) => ({ ...others, token_endpoint_auth_methods_supported: supported }) });
    const bridge = footbridge(world, loginFolder());
    await signIn(bridge, world);
    world.expire();
    expect(await bridge.text('whoami')).toContain('ada');
    expect(world.registrations.map((client) => client.token_endpoint_auth_method)).toEqual([method]);
  });
});

describe('a client with a secret', () => {
  // With characters that mean something else where they are not encoded.
  const secret = 'of Footbridge: +100% & nobody else/';
  const oauth = { clientId: 'footbridge', clientSecretEnv: 'DOCS_SECRET' };
  const environment = { DOCS_SECRET: secret };

  it.each(['client_secret_basic', 'client_secret_post'] as const)(
    'signs in, renews and revokes with %s, and is stored without it',
    async (method) => {
      const clients = [{ ...REGISTERED, token_endpoint_auth_method: method, client_secret: secret }];
      const metadata = (others: Record<string, unknown>) => ({ ...others, token_endpoint_auth_methods_supported: [method] });
      const [world, folder] = [await startProtected({ registration: false, clients, metadata }), loginFolder()];
      const bridge = footbridge(world, folder, oauth, environment);
      await signIn(bridge, world);
      const record = recordIn(folder, world, 'footbridge');
      expect(JSON.stringify(record)).not.toContain(secret);
      world.expire();
      expect(await bridge.text('whoami')).toContain('ada');
      expect(world.grants).toEqual(['authorization_code', 'refresh_token']);
      await revoke(recordIn(folder, world, 'footbridge'), environment);
      world.expire();
      await ended(bridge);
    },
  );

  it('in an unset variable keeps its login, and the missing variable is reported', async () => {
    const clients = [{ ...REGISTERED, token_endpoint_auth_method: 'client_secret_basic' as const, client_secret: secret }];
    const [world, folder] = [await startProtected({ registration: false, clients }), loginFolder()];
    await signIn(footbridge(world, folder, oauth, environment), world);
    const bridge = footbridge(world, folder, oauth);
    await bridge.listed();
    world.expire();
    await expect(bridge.call('whoami')).rejects.toThrow(/could not be renewed.*DOCS_SECRET.*not set/);
    expect(recordIn(folder, world, 'footbridge').tokens).toBeDefined();
  });
});
