/** Authentication, rate limits and the log over HTTP. */
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { AuthorizationServer } from '../support/authorization-server.js';
import type { Json } from '../support/client.js';
import { createWorld } from '../support/folders.js';
import { post, postModern, startHttp, until } from '../support/http-server.js';
import { followChallenge, signIn, signInV1 } from '../support/sign-in.js';

const AUDIENCE = 'footbridge';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const TOKEN = 'fb_a-token-that-is-in-no-log';
const tokens = (...names: string[]) => names.map((name) => ({ name, sha256: sha256(`${TOKEN}-${name}`), roles: [] }));
const bearer = (name: string) => ({ authorization: `Bearer ${TOKEN}-${name}` });

describe('an authorization server', () => {
  it('authenticates clients of both SDKs', async () => {
    const authority = await AuthorizationServer.start({ audience: AUDIENCE });
    const world = createWorld();
    world.skill('project/.agents/skills/git');
    const config = { http: { oauth: { issuer: authority.issuer, audience: AUDIENCE } } };
    const server = await startHttp(world, { config });
    await followChallenge(server);
    for (const client of [await signIn(server, 'auto'), await signIn(server, 'legacy'), await signInV1(server)]) {
      expect(JSON.stringify(await client.listTools())).toContain('git');
      await client.close();
    }
    const metadata: Json = await (await fetch(`${server.origin}/.well-known/oauth-protected-resource/mcp`)).json();
    expect(metadata).toMatchObject({ resource: server.endpoint, authorization_servers: [authority.issuer] });
    expect((await fetch(`${server.origin}/.well-known/oauth-protected-resource/other`)).status).toBe(404);
  });

  it('provides roles in its claims', async () => {
    const authority = await AuthorizationServer.start({ audience: AUDIENCE });
    const world = createWorld();
    world.skill('project/.agents/skills/git');
    world.skill('project/.agents/skills/pdf');
    const roles = { reader: { skills: ['git'], tools: ['*'] }, writer: { skills: ['pdf'], tools: ['*'] } };
    const config = { http: { roles, oauth: { issuer: authority.issuer, audience: AUDIENCE, rolesClaim: 'realm.roles' } } };
    const { endpoint } = await startHttp(world, { config });
    const seen = async (claims: Json) => {
      const token = await authority.issue(claims);
      const { message } = await postModern(endpoint, 'resources/list', {}, { headers: { authorization: `Bearer ${token}` } });
      return message.result.resources.map(({ name }: Json) => name);
    };
    expect(await seen({ realm: { roles: ['reader'] } })).toEqual(['git']);
    expect(await seen({ scope: 'writer' })).toEqual(['pdf']);
    expect(await seen({ scope: 'writer', realm: { roles: ['reader'] } })).toEqual(['git', 'pdf']);
    expect(await seen({})).toEqual([]);
  });
});

describe('a token', () => {
  it('ends its session and streams when it expires or loses roles', async () => {
    const authority = await AuthorizationServer.start({ audience: AUDIENCE });
    const { endpoint } = await startHttp(createWorld(), { config: { http: { oauth: { issuer: authority.issuer, audience: AUDIENCE } } } });
    const as = async (claims: Json) => ({ authorization: `Bearer ${await authority.issue({ sub: 'me', ...claims })}` });
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const begun = await post(endpoint, { jsonrpc: '2.0', id: 0, method: 'initialize', params }, await as({ scope: 'admin reader' }));
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
    const list = { jsonrpc: '2.0', id: 1, method: 'resources/list' };
    const status = async (claims: Json) => (await post(endpoint, list, { ...session, ...(await as(claims)) })).status;
    expect(await status({ scope: 'reader admin' })).toBe(200);
    expect(await status({ scope: 'reader' })).toBe(404);
    const short = await as({ scope: 'reader admin', exp: Math.floor(Date.now() / 1000) + 2 });
    const stream = await fetch(endpoint, { headers: { accept: 'text/event-stream', ...session, ...short } });
    expect(stream.status).toBe(200);
    await stream.text();
  });
});

describe('a server reachable from other machines', () => {
  it('requires authentication unless --insecure is given', async () => {
    await expect(startHttp(createWorld(), { address: '0.0.0.0:0' })).rejects.toThrow(
      "'0.0.0.0' is reachable from other machines, and anyone could connect.",
    );
    const open = await startHttp(createWorld(), { address: '0.0.0.0:0', args: ['--insecure'] });
    expect((await postModern(open.endpoint.replace('0.0.0.0', '127.0.0.1'), 'tools/list')).status).toBe(200);
    const closed = await startHttp(createWorld(), { address: '0.0.0.0:0', config: { http: { tokens: tokens('me') } } });
    const endpoint = closed.endpoint.replace('0.0.0.0', '127.0.0.1');
    expect((await postModern(endpoint, 'tools/list')).status).toBe(401);
    expect((await postModern(endpoint, 'tools/list', {}, { headers: bearer('me') })).status).toBe(200);
  });

  it('shows no local paths', async () => {
    const world = createWorld();
    world.skill('outside/team/git');
    const config = { skills: [`${world.outside}/team`], http: { tokens: tokens('me') } };
    const { endpoint } = await startHttp(world, { config, address: '0.0.0.0:0' });
    for (const [name, input] of Object.entries({ skill: { name: 'git' }, list_skills: {} })) {
      const params = { name, arguments: input };
      const { text } = await postModern(endpoint.replace('0.0.0.0', '127.0.0.1'), 'tools/call', params, { headers: bearer('me') });
      expect(text).toContain('git');
      expect(text).not.toContain(world.outside);
    }
    expect(
      await (await fetch(new URL('/api/catalog', endpoint.replace('0.0.0.0', '127.0.0.1')), { headers: bearer('me') })).text(),
    ).not.toContain(world.outside);
  });
});

describe('unused roles', () => {
  it('are reported at the start', async () => {
    const config = { http: { tokens: tokens('me'), roles: { reader: { skills: ['*'] } } } };
    const server = await startHttp(createWorld(), { config });
    await until(() => server.stderr().includes("the token of 'me' has no role of http.roles, so it sees nothing"));
    await until(() => server.stderr().includes("the role 'reader' lists no tools, so a host that supports only tools sees nothing"));
  });
});

describe('limits', () => {
  it('are separate for each caller, with Retry-After', async () => {
    const config = { http: { tokens: tokens('busy', 'quiet'), limits: { callsPerMinute: 60, burst: 3 } } };
    const world = createWorld();
    world.skill('project/.agents/skills/git');
    const { endpoint, origin } = await startHttp(world, { config });
    const call = (name: string) =>
      postModern(endpoint, 'tools/call', { name: 'skill', arguments: { name: 'git' } }, { headers: bearer(name) });
    const answers = await Promise.all(Array.from({ length: 8 }, () => call('busy')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(4);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(refused[0]?.message.error.message).toMatch(/^Too many calls\. Try again in \d+ s\.$/);
    expect((await call('quiet')).status).toBe(200);
    // Lists have more room.
    expect((await postModern(endpoint, 'tools/list', {}, { headers: bearer('busy') })).status).toBe(200);
    const metrics = await fetch(`${origin}/metrics`, { headers: bearer('busy') });
    expect(metrics.status).toBe(403);
  });

  it('apply to the body and the sessions', async () => {
    const { endpoint } = await startHttp(createWorld(), { config: { http: { limits: { bodyBytes: 1000, sessions: 2 } } } });
    expect((await postModern(endpoint, 'tools/call', { name: 'skill', arguments: { name: 'x'.repeat(2000) } })).status).toBe(413);
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const begin = async () =>
      (await post(endpoint, { jsonrpc: '2.0', id: 0, method: 'initialize', params })).headers.get('mcp-session-id') ?? '';
    const [first, second, third] = [await begin(), await begin(), await begin()];
    const list = (session: string) => post(endpoint, { jsonrpc: '2.0', id: 1, method: 'resources/list' }, { 'mcp-session-id': session });
    // The oldest was put away, and comes back when it is asked for.
    for (const session of [third, second, first]) expect((await list(session)).status).toBe(200);
    const controller = new AbortController();
    const streams = await Promise.all(
      [second, first].map((session) =>
        fetch(endpoint, { headers: { accept: 'text/event-stream', 'mcp-session-id': session }, signal: controller.signal }),
      ),
    );
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    const full = await post(endpoint, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
    expect([full.status, full.headers.get('retry-after')]).toEqual([503, '30']);
    controller.abort();
    await until(async () => (await post(endpoint, { jsonrpc: '2.0', id: 0, method: 'initialize', params })).status === 200);
  });
});

describe('requests', () => {
  it('are logged with an ID and without secrets', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/git');
    const server = await startHttp(world, { config: { http: { tokens: tokens('me') } }, args: ['--log-level', 'debug'] });
    const { headers } = await postModern(
      server.endpoint,
      'resources/read',
      { uri: 'skill://git/SKILL.md' },
      { headers: { ...bearer('me'), 'x-request-id': 'from-the-proxy.1' } },
    );
    expect(headers.get('x-request-id')).toBe('from-the-proxy.1');
    await postModern(server.endpoint, 'tools/list', {}, { headers: { authorization: `Bearer ${TOKEN}-wrong` } });
    await fetch(`${server.endpoint}?token=${TOKEN}-in-the-query`);
    await until(() => server.stderr().split('\n').length > 4);
    const lines = server
      .stderr()
      .trim()
      .split('\n')
      .map((line): Json => JSON.parse(line));
    expect(lines.find(({ id }) => id === 'from-the-proxy.1')).toMatchObject({
      level: 'info',
      method: 'POST',
      path: '/mcp',
      status: 200,
      caller: 'me',
      mcpMethod: 'resources/read',
      target: 'skill://git/SKILL.md',
    });
    expect(lines.find(({ status }) => status === 401)).toMatchObject({
      refused: 'Unknown token.',
      remote: '127.0.0.1',
    });
    expect(server.stderr()).toMatch(/read by resource, static: skill:\/\/git\/SKILL\.md, \d+ bytes, [\d.]+ ms/);
    expect(server.stderr()).not.toContain(TOKEN);
  });

  it('are counted', async () => {
    const { endpoint, origin } = await startHttp(createWorld());
    await postModern(endpoint, 'tools/list');
    await postModern(endpoint, 'tools/call', { name: 'skill', arguments: { name: 'nope' } });
    await post(endpoint, 'no json');
    const text = await (await fetch(`${origin}/metrics`)).text();
    expect(text).toContain('footbridge_requests_total{method="tools/list",outcome="ok"} 1');
    expect(text).toContain('footbridge_tool_calls_total{tool="skill",outcome="tool_error"} 1');
    expect(text).toContain('footbridge_refused_total{reason="body"} 1');
    expect(text).toMatch(/footbridge_sessions 0/);
  });
});

describe('pages of other origins', () => {
  it('may connect only if allowed', async () => {
    const config = { http: { origins: ['https://chat.example.org'], hosts: ['skills.internal'] } };
    const { endpoint } = await startHttp(createWorld(), { config, args: ['--insecure'] });
    const send = (method: string, headers: Record<string, string>) =>
      new Promise<{ status: number; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
        const call = request(endpoint, { method, headers }, (response) => {
          response.resume();
          response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
        });
        call.on('error', reject);
        call.end();
      });
    const asked = { 'access-control-request-method': 'POST' };
    const preflight = await send('OPTIONS', { origin: 'https://chat.example.org', ...asked });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-origin']).toBe('https://chat.example.org');
    expect((await send('OPTIONS', { origin: 'https://evil.example', ...asked })).status).toBe(403);
    expect((await send('OPTIONS', { origin: 'null', ...asked })).status).toBe(403);
    expect((await send('GET', { host: 'skills.internal', accept: 'text/event-stream' })).status).toBe(400);
    expect((await send('GET', { host: 'evil.example' })).status).toBe(403);
    expect((await send('GET', { host: '192.168.1.5:80', accept: 'text/event-stream' })).status).toBe(400);
  });
});
