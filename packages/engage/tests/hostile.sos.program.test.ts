/** Attacks by other callers, other web pages, and other users of the machine. */
import { chmodSync, chownSync, existsSync, lchownSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../footbridge/src/log.js';
import { loopbackAddress } from '../../footbridge/src/serve/packs/loopback.js';
import type { Json } from '../../footbridge/tests/support/client.js';
import { createWorld } from '../../footbridge/tests/support/folders.js';
import { startHttp } from '../../footbridge/tests/support/http-server.js';
import { exchange } from '../../footbridge/tests/support/raw-http.js';
import { useSources } from '../../footbridge/tests/support/start.js';
import type { JiraServer } from './support/jira-server.js';
import { type Host, newKey, pack, startStdio, startTeam, stateOf } from './support/program.js';
import { newJira } from './support/use-jira.js';

useSources();

const PAT = 'a-personal-access-token-of-nobody';

function bodyFor({ baseUrl }: JiraServer): string {
  return JSON.stringify({ jira_base_url: baseUrl, pat: PAT });
}

async function pageOf(host: Host): Promise<{ url: string; id: string }> {
  const { connect_url, connection_id } = (await host.call('jira_connect')).structuredContent;
  return { url: connect_url, id: connection_id };
}

/** A request with arbitrary headers. */
function raw(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): Promise<{ status: number; headers: string }> {
  const { host, origin, pathname } = new URL(url);
  const lines = Object.entries({ host, 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)), ...headers });
  const head = [`${method} ${pathname} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n');
  return exchange(origin, { pieces: [head, body] });
}

const ELSEWHERE = ['http://evil.example', 'http://localhost:3000', 'http://127.0.0.1:1', 'https://[::1]', 'null', 'file://'];

describe('another caller over HTTP', () => {
  it('cannot use ids, consents or references of others, or path traversal', async () => {
    const jira = await newJira({ pat: PAT });
    const team = await startTeam(createWorld(), ['ada', 'mallory']);
    const [ada, mallory] = [team.host('ada'), team.host('mallory')];
    const made = await team.fetch('ada', '/api/jira/connections', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: bodyFor(jira),
    });
    const connection_id: string = JSON.parse(await made.text()).connection_id;
    const { workflow_session_id } = (await ada.call('select_engage_product', { product: 'linux' })).structuredContent;
    const { consent_token } = (await ada.call('mint_engage_consent_token', { permission_granted: true })).structuredContent;
    await mallory.call('select_engage_product', { product: 'linux' });
    const { id: pending } = await pageOf(ada);
    const [payload = '', signature = ''] = consent_token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const forged = (change: object) => `${Buffer.from(JSON.stringify({ ...claims, ...change })).toString('base64url')}.${signature}`;
    for (const [tool, args, code] of [
      ['generate_sosreport', { consent_token }, 'consent_wrong_user'],
      ['generate_sosreport', { consent_token, workflow_session_id }, 'consent_wrong_user'],
      ['generate_sosreport', { consent_token: forged({ exp: 9e15 }) }, 'consent_invalid'],
      ['generate_sosreport', { consent_token: `${payload}.` }, 'consent_invalid'],
      ['mint_engage_consent_token', { permission_granted: true, workflow_session_id }, 'workflow_session_invalid'],
      ['fetch_sosreport', { fetch_reference: consent_token }, 'validation_error'],
      ['fetch_sosreport', { fetch_reference: forged({ scope: 'sosreport:fetch' }) }, 'validation_error'],
      ['jira_list_attachments', { connection_id, issue_key: 'ABC-1' }, 'not_found'],
      ['jira_attach_artifact', { connection_id, issue_key: 'ABC-1', artifact_ref: consent_token }, 'not_found'],
      ['jira_disconnect', { connection_id: pending }, 'not_found'],
      ['jira_connection_status', { connection_id: pending }, 'not_found'],
      ['jira_connection_status', { connection_id: `../connections/${connection_id}` }, 'not_found'],
      ['jira_connection_status', { connection_id: `${connection_id}.sealed` }, 'not_found'],
      ['jira_connection_status', { connection_id: `${connection_id}\0` }, 'not_found'],
      ['jira_connection_status', { connection_id: '__proto__' }, 'not_found'],
      ['get_generate_sosreport_status', { job_id: '../references.key' }, 'validation_error'],
    ] as const)
      expect(await mallory.call(tool, args)).toMatchObject({ isError: true, structuredContent: { code } });
    expect(await ada.call('jira_attach_artifact', { connection_id, issue_key: 'ABC-1', artifact_ref: consent_token })).toMatchObject({
      isError: true,
      structuredContent: { code: 'artifact_invalid' },
    });
    expect(await ada.call('jira_list_attachments', { connection_id, issue_key: '../myself' })).toMatchObject({
      structuredContent: { code: 'validation_error' },
    });
    for (const tried of [connection_id, `..%2f${connection_id}`, `${connection_id}%00`, '%'])
      expect((await team.fetch('mallory', `/api/jira/connections/${tried}`)).status).toBe(404);
    expect((await fetch(`${team.server.origin}/api/jira/connections/${connection_id}`)).status).toBe(401);
    expect((await ada.call('jira_connection_status', { connection_id })).structuredContent.status).toBe('active');
  });

  it('creates one connection from concurrent submissions, and the ticket is never logged', async () => {
    const jira = await newJira({ pat: PAT });
    const team = await startTeam(createWorld(), ['ada'], { args: ['--log-level', 'debug'] });
    const { id, url } = await pageOf(team.host('ada'));
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE', 'PUT']) await fetch(url, { method });
    await fetch(`${url}/`);
    await fetch(`${url}?x`);
    await fetch(url.replace('/engage/', '/behind-a-proxy/engage/'));
    const { origin, port } = new URL(url);
    await exchange(origin, { pieces: [`GET ${url} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`] });
    const send = () => fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: bodyFor(jira) });
    const answers = await Promise.all(Array.from({ length: 8 }, send));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect((await fetch(url)).status).toBe(410);
    expect((await team.host('ada').call('jira_connection_status')).structuredContent.connections).toEqual([
      expect.objectContaining({ connection_id: id, status: 'active' }),
    ]);
    await expect.poll(() => team.server.stderr()).toContain('/engage/connect/:ticket');
    expect(team.server.stderr()).not.toContain(url.split('/').at(-1));
  });
});

describe('a page of another origin', () => {
  it('cannot use the loopback page of a stdio host, which closes after it was submitted', async () => {
    const jira = await newJira({ pat: PAT });
    const host = await startStdio(createWorld());
    const { id, url } = await pageOf(host);
    const { origin, port } = new URL(url);
    for (const headers of [...ELSEWHERE.map((each) => ({ origin: each })), { host: `evil.example:${port}` }, { host: 'evil.example' }])
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const answer = await raw(url, method, headers, bodyFor(jira));
        expect(answer.status).toBe(403);
        expect(answer.headers).not.toMatch(/access-control/i);
      }
    for (const path of ['/mcp', '/api/jira/connections', `/api/jira/connections/${id}`, '/api/engage/consent-tokens', '/metrics'])
      for (const method of ['GET', 'POST', 'DELETE']) expect((await fetch(`${origin}${path}`, { method })).status).toBe(404);
    expect(jira.requests).toEqual([]);
    expect((await raw(url, 'POST', { origin }, bodyFor(jira))).status).toBe(201);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('does not keep the loopback server closed for the next request', async () => {
    const routes = [{ method: 'GET', path: '/here', access: 'open', answer: () => ({ status: 200 }) }] as const;
    const reach = loopbackAddress(routes, silentLog);
    const first = await reach();
    first.release();
    first.release();
    const next = await reach();
    expect((await fetch(`${next.url}/here`)).status).toBe(200);
    next.release();
    await expect(fetch(`${first.url}/here`)).rejects.toThrow('fetch failed');
  });

  it('cannot submit a token or consent to a local server without authentication', async () => {
    const jira = await newJira({ pat: PAT });
    const world = createWorld();
    const server = await startHttp(world, {
      args: [...pack()],
      env: { FOOTBRIDGE_ENGAGE_KEY: newKey() },
      config: { standardFolders: false },
    });
    const intake = `${server.origin}/api/jira/connections`;
    const consent = `${server.origin}/api/engage/consent-tokens`;
    // Content types that a form can send without a CORS preflight.
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])
      for (const origin of [...ELSEWHERE, server.origin, undefined]) {
        const headers = { 'content-type': type, ...(origin === undefined ? {} : { origin }) };
        const isOwn = origin === undefined || origin === server.origin;
        expect((await raw(intake, 'POST', headers, bodyFor(jira))).status).toBe(isOwn ? 422 : 403);
        expect((await raw(consent, 'POST', headers, '{"permission_granted":true}')).status).toBe(isOwn ? 400 : 403);
      }
    for (const origin of ELSEWHERE) {
      expect((await raw(intake, 'POST', { origin }, bodyFor(jira))).status).toBe(403);
      expect((await raw(`${intake}/x`, 'DELETE', { origin })).status).toBe(403);
      expect((await raw(`${server.origin}/engage/connect/x`, 'POST', { origin }, bodyFor(jira))).status).toBe(403);
    }
    expect((await raw(intake, 'POST', { host: 'evil.example' }, bodyFor(jira))).status).toBe(403);
    expect(jira.requests).toEqual([]);
    expect(existsSync(stateOf(world, 'connections'))).toBe(false);
    expect((await raw(intake, 'POST', { origin: server.origin }, bodyFor(jira))).status).toBe(201);
  });
});

describe('another user of the machine', () => {
  const SOMEBODY = 65534;

  /** The outcome of a start with this state folder. */
  async function startedWith(folder: string): Promise<string> {
    const world = createWorld();
    world.write('project/footbridge.json', JSON.stringify({ packs: [['@footbridge/engage', { folder }]] }));
    return startStdio(world).then(
      () => 'it started',
      (cause: unknown) => String(cause),
    );
  }

  it('cannot own or write to the state folder', async () => {
    const world = createWorld();
    const open = join(world.outside, 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);
    expect(await startedWith(open)).toBe('it started');
    expect(statSync(open).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(open, { recursive: true, withFileTypes: true }))
      expect(statSync(join(name.parentPath, name.name)).mode & 0o077).toBe(0);
    chmodSync(open, 0o777);
    expect(await startedWith(open)).toMatch(/is writable by other users/);
    chmodSync(open, 0o750);
    expect(await startedWith(open)).toBe('it started');
    expect(statSync(open).mode & 0o777).toBe(0o700);
    // Only root can create files of another user; otherwise a folder of root serves.
    const isRoot = process.getuid?.() === 0;
    const foreign = isRoot ? join(world.outside, 'foreign') : '/usr';
    const link = join(world.outside, 'link');
    symlinkSync(isRoot ? open : foreign, link);
    if (isRoot) {
      mkdirSync(foreign);
      chownSync(foreign, SOMEBODY, SOMEBODY);
      lchownSync(link, SOMEBODY, SOMEBODY);
    }
    for (const folder of [foreign, link]) expect(await startedWith(folder)).toMatch(/belongs to another user/);
    if (isRoot) expect(readdirSync(foreign)).toEqual([]);
  });

  it('cannot inject a program through the working directory or the configuration', async () => {
    const world = createWorld();
    const marker = join(world.outside, 'marker');
    for (const folder of ['project', 'project/bin']) chmodSync(world.write(`${folder}/sos`, `#!/bin/sh\ntouch ${marker}\n`), 0o755);
    const host = await startStdio(world, { env: { PATH: ['.', 'bin', '', './bin', process.env['PATH'] ?? ''].join(delimiter) } });
    await host.call('select_engage_product', { product: 'linux' });
    const { consent_token } = (await host.call('mint_engage_consent_token', { permission_granted: true })).structuredContent;
    const refused = await host.call('generate_sosreport', { consent_token, only_plugins: ['no-such-plugin'] });
    expect(refused.structuredContent.message).toContain('sos has no plugin "no-such-plugin"');
    expect(existsSync(marker)).toBe(false);
    for (const options of [{ path: '/tmp' }, { sos: '/tmp/sos' }, { env: { PATH: '/tmp' } }]) {
      world.write('project/footbridge.json', JSON.stringify({ packs: [['@footbridge/engage', options]] }));
      await expect(startStdio(world)).rejects.toThrow(/options of pack/);
    }
  });

  it('gets no file outside the folder of the job, whatever sos prints', async () => {
    const world = createWorld();
    const secret = world.write('outside/secret.tar.xz', 'of somebody else');
    const says = (path: string) => `echo 'Your sosreport has been generated and saved in:'; echo "	${path}"`;
    const script = (name: string, lines: string) => chmodSync(world.write(`outside/${name}/sos`, `#!/bin/sh\n${lines}\n`), 0o755);
    script('elsewhere', says(secret));
    script('above', says('$4/../../references.key'));
    script('link', `ln -s ${secret} $4/a.tar.xz; ${says('$4/a.tar.xz')}`);
    script('folder', `mkdir $4/a.tar.xz; ${says('$4/a.tar.xz')}`);
    script('inner', `mkdir $4/b; cp ${secret} $4/b/a.tar.xz; ${says('$4/b/a.tar.xz')}`);
    script('pipe', `mkfifo $4/a.tar.xz; ${says('$4/a.tar.xz')}`);
    script('name', `cp ${secret} "$4/-rf a.tar.xz"; ${says('$4/-rf a.tar.xz')}`);
    script('nothing', says('$4/a.tar.xz'));
    const found: Record<string, Json> = {};
    for (const way of ['elsewhere', 'above', 'link', 'folder', 'inner', 'pipe', 'name', 'nothing']) {
      const host = await startStdio(world, { env: { PATH: `${join(world.outside, way)}${delimiter}${process.env['PATH']}` } });
      await host.call('select_engage_product', { product: 'linux' });
      const { consent_token } = (await host.call('mint_engage_consent_token', { permission_granted: true })).structuredContent;
      const { structuredContent } = await host.call('generate_sosreport', { consent_token });
      found[way] = structuredContent.code;
      expect(existsSync(stateOf(world, 'jobs', structuredContent.job_id))).toBe(false);
      await host.client.close();
    }
    const unsafe = Object.fromEntries(Object.keys(found).map((way) => [way, 'path_unsafe']));
    expect(found).toEqual({ ...unsafe, nothing: 'archive_not_found' });
  });
});
