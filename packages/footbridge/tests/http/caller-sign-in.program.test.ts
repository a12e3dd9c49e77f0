/** Callers of a team's server sign in to upstream servers, each for themselves. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../support/client.js';
import { createWorld } from '../support/folders.js';
import { type HttpProcess, postModern, startHttp, until } from '../support/http-server.js';
import { freePort } from '../support/programs.js';
import { type ProtectedWorld, startProtected } from '../support/protected-server.js';
import { startRedis } from '../support/redis.js';
import { describeWith } from '../support/requirements.js';
import { bearer, tokensOf } from '../support/tokens.js';

const KEY = '0123456789abcdef'.repeat(4);

interface TeamOptions {
  readonly args?: readonly string[];
  readonly publicPort?: number;
  readonly signIn?: 'caller' | 'shared';
}

/** A team's server in front of one that requires a sign-in. */
async function team(upstream: ProtectedWorld, { args = [], publicPort, signIn = 'caller' }: TeamOptions = {}): Promise<HttpProcess> {
  const port = await freePort();
  const world = createWorld();
  return startHttp(world, {
    address: `127.0.0.1:${port}`,
    args,
    env: { FOOTBRIDGE_LOGIN_KEY: KEY },
    config: {
      standardFolders: false,
      mcpServers: { docs: { url: upstream.url, signIn } },
      http: { tokens: tokensOf('alice', 'bob'), publicUrl: `http://127.0.0.1:${publicPort ?? port}` },
    },
  });
}

async function ask({ endpoint }: HttpProcess, name: string, method: string, params: Json = {}): Promise<Json> {
  return (await postModern(endpoint, method, params, { headers: bearer(name) })).message;
}

async function toolsOf(server: HttpProcess, name: string): Promise<readonly string[]> {
  const { result } = await ask(server, name, 'tools/list');
  return result.tools.map((tool: Json) => tool.name).filter((tool: string) => !tool.startsWith('get_resource'));
}

const call = (server: HttpProcess, name: string, tool: string) => ask(server, name, 'tools/call', { name: tool, arguments: {} });

async function link(server: HttpProcess, name: string): Promise<string> {
  await until(async () => (await toolsOf(server, name)).includes('sign_in_to_docs'));
  const { result } = await call(server, name, 'sign_in_to_docs');
  return /http:\S+/.exec(result.content[0].text)?.[0] ?? '';
}

/** Presses the button of the page behind the link, as a browser with this cookie. */
async function press(address: string, headers: Record<string, string> = {}) {
  const response = await fetch(address, { method: 'POST', redirect: 'manual', headers: { 'sec-fetch-site': 'same-origin', ...headers } });
  const cookie = /footbridge_sign_in=[\w-]+/.exec(response.headers.get('set-cookie') ?? '')?.[0] ?? '';
  return { status: response.status, cookie, page: response.headers.get('location') ?? '' };
}

/** Signs in as a person would; `through` is the replica that the browser returns to. */
async function signIn(server: HttpProcess, name: string, upstream: ProtectedWorld, through = server) {
  const address = await link(server, name);
  const { cookie, page } = await press(address);
  const back = await upstream.returned(page);
  const answer = await fetch(`${through.origin}${back.pathname}${back.search}`, { headers: { cookie } });
  return { status: answer.status, text: await answer.text(), back, cookie };
}

const OWN = ['whoami', 'write'];

describe('a caller who signs in', () => {
  it('uses the server with a token that no other caller uses', async () => {
    const upstream = await startProtected();
    const server = await team(upstream);
    expect(await signIn(server, 'alice', upstream)).toMatchObject({ status: 200, text: expect.stringContaining('alice can now use') });
    await until(async () => (await toolsOf(server, 'alice')).includes('whoami'));
    expect(await toolsOf(server, 'alice')).toEqual(OWN);
    expect(await toolsOf(server, 'bob')).toEqual(['sign_in_to_docs']);
    expect((await call(server, 'bob', 'whoami')).error).toBeDefined();
    await call(server, 'alice', 'whoami');
    const ofAlice = new Set(upstream.used);
    upstream.used.clear();
    await signIn(server, 'bob', upstream);
    await until(async () => (await toolsOf(server, 'bob')).includes('whoami'));
    await call(server, 'bob', 'whoami');
    expect(upstream.used.size).toBeGreaterThan(0);
    for (const token of upstream.used) expect(ofAlice.has(token)).toBe(false);
    // Neither their tokens nor those for us are anywhere else.
    const printed = server.output() + server.stderr();
    for (const secret of upstream.secrets) expect(printed).not.toContain(secret);
    for (const token of upstream.used) expect(bearer('bob').authorization).not.toContain(token);
  });

  it('is asked first who they are, and finishes in the browser in which they began', async () => {
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

  it('can renew the login, and sees the tool again when it has ended', async () => {
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
  it('is that of the operator: callers cannot sign in', async () => {
    const upstream = await startProtected();
    const server = await team(upstream, { signIn: 'shared' });
    await until(async () => JSON.stringify(await ask(server, 'alice', 'tools/list')).includes('server_unavailable'));
    expect(JSON.stringify(await call(server, 'alice', 'server_unavailable'))).toContain('footbridge login docs');
    expect(await toolsOf(server, 'alice')).not.toContain('sign_in_to_docs');
  });
});

describe('settings', () => {
  it('without a way to tell callers apart are refused', async () => {
    const upstream = await startProtected();
    const config = { mcpServers: { docs: { url: upstream.url, signIn: 'caller' } } };
    await expect(startHttp(createWorld(), { config })).rejects.toThrow('requires http.publicUrl');
  });
});

describeWith('redis-server', 'on two replicas', (path) => {
  it('a sign-in that begins on one can end on the other, and both use it for that caller alone', async () => {
    const redis = await startRedis(path);
    const upstream = await startProtected();
    const args = ['--redis', redis.url];
    const one = await team(upstream, { args });
    const other = await team(upstream, { args, publicPort: Number(new URL(one.origin).port) });
    onTestFinished(() => redis.stop());
    expect((await signIn(one, 'alice', upstream, other)).status).toBe(200);
    for (const server of [one, other]) {
      await until(async () => (await toolsOf(server, 'alice')).includes('whoami'));
      expect(await toolsOf(server, 'bob')).toEqual(['sign_in_to_docs']);
    }
    await Promise.all([one, other].map((server) => call(server, 'alice', 'whoami')));
    expect(upstream.used.size).toBe(1);
    upstream.expire();
    await Promise.all([one, other, one, other].map((server) => call(server, 'alice', 'whoami')));
    expect(upstream.grants).toEqual(['authorization_code', 'refresh_token']);
  });
});
