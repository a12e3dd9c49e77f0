/** Callers of a team server sign in to upstream servers, each with their own login. */
import { describe, expect, it } from 'vitest';
import { ask, call, link, press, signIn, team, toolsOf } from '../support/caller-sign-in.js';
import { createWorld } from '../support/folders.js';
import { startHttp, until } from '../support/http-server.js';
import { startProtected } from '../support/protected-server.js';
import { secretsIn } from '../support/secret-forms.js';
import { bearer } from '../support/tokens.js';

const OWN = ['whoami', 'write'];

describe('a caller who signs in', () => {
  it('uses the server with a token that no other caller uses', async () => {
    const upstream = await startProtected();
    const server = await team(upstream);
    expect(await signIn(server, 'alice', upstream)).toMatchObject({ status: 200, text: expect.stringContaining('alice can now use') });
    await until(async () => (await toolsOf(server, 'alice')).includes('whoami'));
    expect(await toolsOf(server, 'alice')).toEqual(OWN);
    expect(await toolsOf(server, 'bob')).toEqual(['sign_in_to_docs']);
    // The command would sign in the operator.
    expect((await call(server, 'bob', 'whoami')).error.message).not.toContain('footbridge login');
    expect(JSON.stringify(await call(server, 'bob', 'sign_in_to_docs'))).not.toContain('runs Footbridge');
    await call(server, 'alice', 'whoami');
    const ofAlice = new Set(upstream.used);
    upstream.used.clear();
    await signIn(server, 'bob', upstream);
    await until(async () => (await toolsOf(server, 'bob')).includes('whoami'));
    await call(server, 'bob', 'whoami');
    expect(upstream.used.size).toBeGreaterThan(0);
    for (const token of upstream.used) expect(ofAlice.has(token)).toBe(false);
    // Neither their tokens nor those for us are anywhere else.
    expect(secretsIn(server.output() + server.stderr(), upstream.secrets)).toEqual([]);
    for (const token of upstream.used) expect(bearer('bob').authorization).not.toContain(token);
  });

  it('must authenticate first, and finish in the same browser', async () => {
    const upstream = await startProtected();
    const server = await team(upstream);
    const address = await link(server, 'alice');
    const shown = await (await fetch(address)).text();
    expect(shown).toContain('Continue only if you are alice');
    expect((await press(address, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    const { cookie, page } = await press(address);
    expect((await press(address)).status).toBe(410);
    const back = await upstream.returned(page);
    const elsewhere = await fetch(back);
    expect({ status: elsewhere.status, text: await elsewhere.text() }).toMatchObject({
      status: 400,
      text: expect.stringContaining('another browser'),
    });
    expect((await fetch(back, { headers: { cookie } })).status).toBe(200);
    expect((await fetch(back, { headers: { cookie } })).status).toBe(400);
    expect((await fetch(address)).status).toBe(410);
    expect((await fetch(`${server.origin}/sign-in/${'x'.repeat(43)}`)).status).toBe(410);
    expect(server.stderr()).not.toContain(new URL(address).pathname);
  });

  it('can renew the login, and sees the tool again when the login ends', async () => {
    const upstream = await startProtected();
    const server = await team(upstream);
    await signIn(server, 'alice', upstream);
    await until(async () => (await toolsOf(server, 'alice')).includes('whoami'));
    upstream.expire();
    expect((await call(server, 'alice', 'whoami')).result.isError).toBeUndefined();
    expect(upstream.grants).toEqual(['authorization_code', 'refresh_token']);
    await upstream.revokeAll();
    await call(server, 'alice', 'whoami');
    await until(async () => (await toolsOf(server, 'alice')).includes('sign_in_to_docs'));
  });
});

describe('a login that is shared', () => {
  it('belongs to the operator, so callers cannot sign in', async () => {
    const upstream = await startProtected();
    const server = await team(upstream, { signIn: 'shared' });
    await until(async () => JSON.stringify(await ask(server, 'alice', 'tools/list')).includes('server_unavailable'));
    expect(JSON.stringify(await call(server, 'alice', 'server_unavailable'))).toContain('footbridge login docs');
    expect(await toolsOf(server, 'alice')).not.toContain('sign_in_to_docs');
  });
});

describe('settings', () => {
  it('without authentication of callers are rejected', async () => {
    const upstream = await startProtected();
    const config = { mcpServers: { docs: { url: upstream.url, signIn: 'caller' } } };
    await expect(startHttp(createWorld(), { config })).rejects.toThrow('requires http.publicUrl');
  });
});
