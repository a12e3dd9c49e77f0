/** How the browser returns to a sign-in: to a local port, or through a pasted address. */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../src/log.js';
import type { OAuthSettings } from '../src/sources/upstream/options.js';
import { Login } from '../src/sources/upstream/sign-in/login.js';
import { LoginStore } from '../src/sources/upstream/sign-in/login-store.js';
import { until } from './support/http-server.js';
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

  it('is shared by several sign-ins, which end in any order', async () => {
    const world = await startProtected({ registration: false, clients: [REGISTERED] });
    const port = await freePort();
    const logins = [1, 2, 3, 4].map(() => loginTo(world, settings(port)));
    const pending = [];
    for (const login of logins) pending.push(await login.begin());
    expect(new Set(pending.map(({ redirectUrl }) => redirectUrl))).toEqual(new Set([`http://127.0.0.1:${port}/callback`]));
    for (const at of [2, 0, 1, 3]) {
      // After the one that listened has ended, another one listens within a moment.
      await until(() => answers(port));
      const shown = await world.browse(pending[at]?.url ?? '');
      expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('Signed in')]);
      await pending[at]?.done;
      expect(logins[at]?.header).toMatch(/^Bearer /);
    }
    expect(new Set(logins.map(({ header }) => header)).size).toBe(4);
    await expect.poll(() => answers(port)).toBe(false);
  });

  it('is free again when the sign-ins that wait for it are cancelled', async () => {
    const world = await startProtected({ registration: false, clients: [REGISTERED] });
    const port = await freePort();
    const pending = [await loginTo(world, settings(port)).begin(), await loginTo(world, settings(port)).begin()];
    for (const each of pending) each.cancel();
    await setTimeout(700);
    expect(await answers(port)).toBe(false);
  });

  it('is not opened to requests of web pages, or for sign-ins that have ended', async () => {
    const world = await startProtected({ registration: false, clients: [REGISTERED] });
    const port = await freePort();
    await loginTo(world, settings(port)).begin();
    const state = 'known to this page';
    const digest = createHash('sha256').update(state).digest('hex');
    const callback = `http://127.0.0.1:${port}/callback`;
    const statusOf = async (method: string, query: string, headers = {}) =>
      (await fetch(`${callback}?${query}`, { method, headers, redirect: 'manual' })).status;
    const announcement = `digest=${digest}&port=9`;
    expect(await statusOf('PUT', announcement)).toBe(404);
    expect(await statusOf('POST', announcement, { 'footbridge-sign-in': '1' })).toBe(404);
    expect(await statusOf('OPTIONS', announcement, { 'access-control-request-headers': 'footbridge-sign-in' })).toBe(404);
    expect(await statusOf('PUT', 'digest=x&port=9', { 'footbridge-sign-in': '1' })).toBe(404);
    expect(await statusOf('PUT', `digest=${digest}&port=70000`, { 'footbridge-sign-in': '1' })).toBe(404);
    expect(await statusOf('GET', `state=${state}&code=1`)).toBe(404);
    expect(await statusOf('PUT', announcement, { 'footbridge-sign-in': '1' })).toBe(204);
    expect(await statusOf('GET', `state=${state}&code=1`)).toBe(302);
    expect(await statusOf('GET', 'state=another&code=1')).toBe(404);
    vi.setSystemTime(Date.now() + 60_000);
    onTestFinished(() => void vi.useRealTimers());
    expect(await statusOf('GET', `state=${state}&code=1`)).toBe(404);
  });

  it.each([
    ['answers', ({ response }: { response: ServerResponse }) => response.end()],
    ['never answers', () => {}],
  ])('is reported with a fix when another program uses it and %s', async (_how, answer) => {
    const world = await startProtected({ registration: false, clients: [REGISTERED] });
    const busy = await serveWeb(answer);
    const { port } = new URL(busy.url);
    await expect(loginTo(world, settings(Number(port))).begin()).rejects.toThrow(
      new RegExp(`^Port ${port}, .*EADDRINUSE.*set another "redirectPort"`),
    );
  });
});

async function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}
