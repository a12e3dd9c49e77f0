/** How the browser returns to a sign-in: by a port of this machine, or by an address that is pasted. */
import { describe, expect, it } from 'vitest';
import { silentLog } from '../src/log.js';
import type { OAuthSettings } from '../src/sources/upstream/options.js';
import { Login } from '../src/sources/upstream/sign-in/login.js';
import { LoginStore } from '../src/sources/upstream/sign-in/login-store.js';
import { freePort } from './support/programs.js';
import { type ProtectedWorld, startProtected } from './support/protected-server.js';
import { loginFolder, REGISTERED } from './support/sign-in-bridge.js';
import { serveWeb } from './support/web-server.js';

function loginTo({ url }: ProtectedWorld, settings: OAuthSettings = {}): Login {
  return new Login({ url, settings, store: new LoginStore(loginFolder()), log: silentLog, environment: {} });
}

describe('a pasted redirect URL', () => {
  it('finishes the sign-in', async () => {
    const world = await startProtected();
    const login = loginTo(world);
    const pending = await login.begin();
    await pending.finish((await world.returned(pending.url)).href);
    expect(login.header).toMatch(/^Bearer /);
  });

  it.each([
    ['with another state', (address: URL) => address.searchParams.set('state', 'x'.repeat(43))],
    ['without a state', (address: URL) => address.searchParams.delete('state')],
    ['of another page', (address: URL) => Object.assign(address, { pathname: '/else' })],
    ['of another port', (address: URL) => Object.assign(address, { port: '9' })],
  ])('%s is rejected, and the correct one still finishes the sign-in', async (_title, change) => {
    const world = await startProtected();
    const login = loginTo(world);
    const pending = await login.begin();
    const address = await world.returned(pending.url);
    const wrong = new URL(address);
    change(wrong);
    await expect(pending.finish(wrong.href)).rejects.toThrow('not the address');
    await expect(pending.finish('what is this')).rejects.toThrow('not the address');
    expect(world.grants).toEqual([]);
    await pending.finish(address.href);
    expect(world.grants).toEqual(['authorization_code']);
  });

  it('of a denied sign-in is reported, and the next sign-in works', async () => {
    const world = await startProtected();
    const login = loginTo(world);
    const pending = await login.begin();
    const address = new URL(pending.redirectUrl);
    const state = new URL(pending.url).searchParams.get('state') ?? '';
    address.search = new URLSearchParams({ error: 'access_denied', state, iss: world.issuer }).toString();
    await expect(pending.finish(address.href)).rejects.toThrow('Access was denied');
    const next = await login.begin();
    await next.finish((await world.returned(next.url)).href);
    expect(login.header).toMatch(/^Bearer /);
  });
});

describe('a redirect port', () => {
  const settings = (redirectPort: number) => ({ clientId: 'footbridge', redirectPort });

  it('is used when it is free', async () => {
    const world = await startProtected({ registration: false, clients: [REGISTERED] });
    const port = await freePort();
    const pending = await loginTo(world, settings(port)).begin();
    expect(pending.redirectUrl).toBe(`http://127.0.0.1:${port}/callback`);
    expect((await world.browse(pending.url)).status).toBe(200);
    await pending.done;
  });

  it('is reported with a fix when it is in use', async () => {
    const world = await startProtected({ registration: false, clients: [REGISTERED] });
    const busy = await serveWeb(({ response }) => response.end());
    const { port } = new URL(busy.url);
    await expect(loginTo(world, settings(Number(port))).begin()).rejects.toThrow(
      new RegExp(`^Port ${port}, .*EADDRINUSE.*set another "redirectPort"`),
    );
  });
});
