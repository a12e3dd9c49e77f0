/** Packs over HTTP: who sees and calls their content, and their routes beside MCP. */
import { realpathSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import type { Json } from './support/client.js';
import { createWorld } from './support/folders.js';
import { Host, http } from './support/host.js';
import { type HttpProcess, post, startHttp } from './support/http-server.js';
import { GARDEN, notesIn } from './support/packs.js';
import { freePort } from './support/programs.js';
import { exchange } from './support/raw-http.js';
import { textOf } from './support/server.js';
import { useSources } from './support/start.js';
import { soon } from './support/to-order.js';
import { bearer, tokensOf } from './support/tokens.js';

useSources();

const STATELESS = { 'mcp-protocol-version': '2025-11-25' };
const requestOf = (method: string, params: Json = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const callOf = (name: string, args: Json = {}, more: Json = {}) => requestOf('tools/call', { name, arguments: args, ...more });
const json = (body: unknown, headers: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

describe('a 2025 host without a session', () => {
  it('gets the tools of a pack, and progress before the result', async () => {
    const world = createWorld();
    const { endpoint, stderr } = await startHttp(world, { args: ['--pack', GARDEN] });
    const { message } = await post(endpoint, requestOf('tools/list'), STATELESS);
    expect(message.result.tools.map(({ name }: Json) => name)).toContain('plant');
    const planted = await post(endpoint, callOf('plant', { what: 'beans' }), STATELESS);
    expect(JSON.parse(textOf(planted.message.result))).toMatchObject({ what: 'beans', canElicitUrl: false });
    const { text } = await post(endpoint, callOf('water', { rows: 2 }, { _meta: { progressToken: 7 } }), STATELESS);
    expect([...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data))).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 7, progress: 1 } },
      { method: 'notifications/progress', params: { progressToken: 7, progress: 2 } },
      { result: { content: [{ text: 'wet' }] } },
    ]);
    expect(textOf((await post(endpoint, callOf('invite'), STATELESS)).message.result)).toBe('nobody can come');
    await post(endpoint, callOf('dig'), STATELESS);
    await vi.waitFor(() => expect(stderr()).toContain('tool dig: password hunter2'), soon);
  });

  it('cancels a tool call by disconnecting', async () => {
    const world = createWorld();
    const { endpoint } = await startHttp(world, { args: ['--pack', GARDEN] });
    const leaving = new AbortController();
    const headers = { accept: 'application/json, text/event-stream', ...STATELESS };
    const left = fetch(endpoint, { ...json(callOf('grow'), headers), signal: leaving.signal }).then(
      (response) => response.text(),
      () => '',
    );
    await vi.waitFor(() => expect(notesIn(world.project)).toContain('growing'), soon);
    leaving.abort();
    await left.catch(() => {});
    await vi.waitFor(() => expect(notesIn(world.project)).toContain('called off'), soon);
  });
});

describe('an authenticated caller', () => {
  const roles = {
    gardener: { tools: ['*'], resources: ['*'], skills: ['*'] },
    stranger: { tools: ['list_skills', 'get_*'], resources: ['other://**'], skills: [] },
  };

  it('gets what its roles allow, through tools and routes', async () => {
    const config = { packs: [GARDEN], http: { tokens: tokensOf('gardener', 'stranger'), roles } };
    const { endpoint, origin } = await startHttp(createWorld(), { config });
    const connect = (name: string) => Host.connect({ era: 'modern', open: http(endpoint, bearer(name)) });
    const gardener = await connect('gardener');
    const stranger = await connect('stranger');
    const listed = async (host: Host) => JSON.stringify([await host.request('tools/list'), await host.request('resources/list')]);
    expect(await listed(gardener)).toMatch(/"plant".*garden:\/\/beds/s);
    expect(await listed(stranger)).not.toMatch(/"plant"|garden:\/\//);
    const { caller } = await gardener.ask('plant', { what: 'beans' });
    expect((await stranger.request('tools/call', { name: 'plant', arguments: { what: 'beans' } })).error.message).toContain('plant');
    expect((await gardener.request('resources/read', { uri: 'garden://beds' })).result.contents).toHaveLength(1);
    for (const uri of ['garden://beds', 'garden://bed/north']) {
      expect(await stranger.request('resources/read', { uri })).toHaveProperty('error');
      expect((await stranger.request('tools/call', { name: 'get_resource', arguments: { uri } })).result.isError).toBe(true);
    }

    const plants = (headers: Record<string, string>) => fetch(`${origin}/garden/plants`, json({}, headers));
    expect(await (await plants(bearer('gardener'))).json()).toBe('planted');
    const refused = await plants(bearer('stranger'));
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('Access to the tool plant is required')]);
    const nobody = await plants({});
    expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Bearer')]);
    expect((await plants({ authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await fetch(`${origin}/garden/me`)).status).toBe(401);
    expect(await (await fetch(`${origin}/garden/me`, { headers: bearer('gardener') })).json()).toEqual(caller);
    expect(await (await fetch(`${origin}/garden/me`, { headers: bearer('stranger') })).json()).toMatchObject({ name: 'stranger' });
    // An open route needs no token, and no caller is authenticated.
    const page = await fetch(`${origin}/garden/welcome/key`, { headers: bearer('gardener') });
    expect(await page.text()).toContain('whoever you are');
    expect((await fetch(`${origin}/garden/welcome/key`)).status).toBe(200);
  });

  it('is the same person with other roles', async () => {
    const callers: Json[] = [];
    for (const role of ['gardener', 'stranger']) {
      const config = { packs: [GARDEN], http: { tokens: tokensOf('me').map((token) => ({ ...token, roles: [role] })) } };
      const { origin, stop } = await startHttp(createWorld(), { config });
      callers.push(await (await fetch(`${origin}/garden/me`, { headers: bearer('me') })).json());
      await stop();
    }
    const [first, second] = callers;
    expect([first.roles, second.roles]).toEqual([['gardener'], ['stranger']]);
    expect(first.person).toBe(second.person);
    expect(first.id).not.toBe(second.id);
  });
});

/** An address of this machine that is not loopback, where it has one. */
const ELSEWHERE = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address;

describe('routes of a pack', () => {
  const raw = async ({ origin }: HttpProcess, head: string, body = '') => {
    const host = /^host:/im.test(head) ? [] : [`Host: ${new URL(origin).host}`];
    const lines = [head, ...host, 'Connection: close', `Content-Length: ${Buffer.byteLength(body)}`];
    return exchange(origin, { pieces: [`${lines.join('\r\n')}\r\n\r\n${body}`] });
  };

  it('match whole segments only', async () => {
    const world = createWorld();
    const server = await startHttp(world, { args: ['--pack', GARDEN] });
    const status = async (line: string) => (await raw(server, `${line} HTTP/1.1`)).status;
    expect(await status('DELETE /garden/beds/north-1/rows/~2.b_c?x=/garden')).toBe(204);
    expect(notesIn(world.project)).toContain('removed {"bed":"north-1","row":"~2.b_c"}');
    for (const path of [
      'a%2Fb/rows/1',
      '%/rows/1',
      '%41/rows/1',
      '../rows/1',
      './rows/1',
      '%2e%2e/rows/1',
      '/rows/1',
      'a/rows',
      'a/rows/1/',
      'a/Rows/1',
      'a b/rows/1',
    ])
      expect([path, await status(`DELETE /garden/beds/${path}`)]).toEqual([path, path.includes(' ') ? 400 : 404]);
    expect(await status('POST /garden/beds/north/rows/1')).toBe(404);
    expect(await status('PUT /garden/beds/north/rows/1')).toBe(405);
    expect(notesIn(world.project)).toHaveLength(2);

    const page = await raw(server, 'GET /garden/welcome/key HTTP/1.1');
    const head = await raw(server, 'HEAD /garden/welcome/key HTTP/1.1');
    expect([head.status, head.body]).toEqual([200, '']);
    const length = /content-length: (\d+)/i;
    expect(length.exec(head.headers)?.[1]).toBe(length.exec(page.headers)?.[1]);
    expect(page.headers).toMatch(/content-type: text\/html; charset=utf-8/i);
    expect(page.headers).toMatch(/cache-control: no-store/i);
    expect(page.headers).toMatch(/referrer-policy: no-referrer/i);
  });

  it('accept JSON up to a limit, and reject pages of other origins', async () => {
    const server = await startHttp(createWorld(), { args: ['--pack', GARDEN] });
    const letters = (body: string, type = 'application/json') =>
      raw(server, `POST /garden/letters HTTP/1.1\r\nContent-Type: ${type}`, body);
    expect(JSON.parse((await letters('{"dear":"bee"}')).body)).toEqual({ got: { dear: 'bee' } });
    for (const body of ['', '{']) expect((await letters(body)).body).toBe('{"got":null}');
    expect((await letters('dear=bee', 'application/x-www-form-urlencoded')).body).toBe('{"got":null}');
    expect((await letters(JSON.stringify('x'.repeat(70_000)))).status).toBe(413);
    for (const header of ['Host: example.org', `Host: ${new URL(server.origin).host}\r\nOrigin: https://example.org`])
      expect((await raw(server, `GET /garden/welcome/key HTTP/1.1\r\n${header}`)).status).toBe(403);
    const fault = await raw(server, 'GET /garden/fault HTTP/1.1');
    expect([fault.status, fault.body]).toEqual([500, expect.not.stringContaining('hunter2')]);
    await vi.waitFor(() => expect(server.stderr()).toContain('hunter2'), soon);
  });

  it('know whether the server is local and the channel confidential', async () => {
    const world = createWorld();
    const place = async (server: HttpProcess, host = '127.0.0.1') =>
      (await fetch(`http://${host}:${new URL(server.origin).port}/garden/place`)).json();
    const folder = realpathSync(world.project);
    const local = await startHttp(world, { args: ['--pack', GARDEN] });
    expect(await place(local)).toEqual({ isPrivate: true, isLocal: true, folder });
    if (ELSEWHERE === undefined) return;
    const open = await startHttp(createWorld(), { address: '0.0.0.0:0', args: ['--insecure', '--pack', GARDEN] });
    expect(await place(open)).toMatchObject({ isPrivate: true, isLocal: false });
    expect(await place(open, ELSEWHERE)).toMatchObject({ isPrivate: false, isLocal: false });
    const config = { http: { publicUrl: 'https://bridge.example.org' } };
    const address = `0.0.0.0:${await freePort()}`;
    const proxied = await startHttp(createWorld(), { address, args: ['--insecure', '--pack', GARDEN], config });
    expect(await place(proxied, ELSEWHERE)).toMatchObject({ isPrivate: true, isLocal: false });
  });

  it('are logged without their variables', async () => {
    const server = await startHttp(createWorld(), { args: ['--pack', GARDEN] });
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT'])
      await fetch(`${server.origin}/garden/welcome/key-of-a-person`, { method });
    await fetch(`${server.origin}/garden/welcome/key-of-a-person%21`);
    await raw(server, 'GET /garden/welcome/key-of-a-person HTTP/1.1\r\nHost: example.org');
    const paths = () =>
      server
        .stderr()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).path)
        .filter((path) => path !== undefined);
    await vi.waitFor(() => expect(paths()).toEqual(Array(7).fill('/garden/welcome/:key')), soon);
    expect(server.stderr()).not.toContain('key-of-a-person');
  });
});
