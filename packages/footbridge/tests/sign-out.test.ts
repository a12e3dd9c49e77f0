/** Running hosts when the user signs out, or signs in as another user. */
import { expect, it } from 'vitest';
import { LoginStore, loginId } from '../src/sources/upstream/sign-in/login-store.js';
import { startProtected } from './support/protected-server.js';
import { footbridge, loginFolder, signIn } from './support/sign-in-bridge.js';

/** Tokens stay valid after they are removed from the store, as those that no authorization server can revoke. */
async function signedIn() {
  const [world, folder] = [await startProtected(), loginFolder()];
  const hosts = [footbridge(world, folder), footbridge(world, folder)] as const;
  await signIn(hosts[0], world);
  for (const host of hosts) {
    await host.listed();
    expect(await host.text('whoami')).toContain('ada');
  }
  return { world, hosts, folder, store: new LoginStore(folder), id: loginId(world.url, {}) };
}

it('stop using a login that was removed, although the server would still accept it', async () => {
  const { hosts, id, store, world } = await signedIn();
  await store.remove(id);
  for (const host of hosts) {
    const refused = () => host.call('whoami').then(String, ({ message }: Error) => message);
    await expect.poll(refused, { timeout: 5000 }).toMatch(/requires you to sign in/);
    await expect.poll(() => host.tools).toContain('sign_in_to_docs');
  }
  expect(world.grants).toEqual(['authorization_code']);
});

it('use the token of the user who signed in last', async () => {
  const { folder, hosts, id, store, world } = await signedIn();
  const before = new Set(world.used);
  await store.remove(id);
  await signIn(footbridge(world, folder), world);
  const latest = store.read(id)?.tokens?.access_token ?? '';
  expect(before.has(latest)).toBe(false);
  for (const host of hosts) {
    await expect
      .poll(
        async () => {
          world.used.clear();
          await host.text('whoami');
          return [...world.used];
        },
        { timeout: 5000 },
      )
      .toEqual([latest]);
  }
  expect(world.grants).toEqual(['authorization_code', 'authorization_code']);
});
