/** A full run with every failure: the token appears nowhere except encrypted in the vault. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../../footbridge/tests/support/client.js';
import { createWorld, type World } from '../../footbridge/tests/support/folders.js';
import { exchange } from '../../footbridge/tests/support/raw-http.js';
import { CONNECTION } from '../src/jira/connection-store.js';
import { operatorKey } from '../src/vault/encryption.js';
import { Vault } from '../src/vault/vault.js';
import { MISBEHAVIOURS, type Misbehaviour } from './support/jira-misbehaviour.js';
import { type JiraServer, startJira } from './support/jira-server.js';
import { type ProcessWatch, watchProcesses } from './support/process-watch.js';
import { FAST, type Host, newKey, startStdio, startTeam, stateOf } from './support/program.js';
import { allFileContents, occurrencesOf, tracesOf } from './support/secrets.js';
import { shortTimeouts } from './support/time.js';

/** Made of ordinary words, so that pattern-based redaction does not hide a leak. */
interface Secrets {
  readonly pat: string;
  readonly email: string;
  readonly token: string;
  /** Rejected by Jira. */
  readonly wrong: string;
}

function newSecrets(): Secrets {
  const unique = () => randomBytes(4).toString('hex');
  return {
    pat: `the-token-of-ada-${unique()}`,
    email: 'ada@example.org',
    token: `"cloud"\\token+of/ada=%26&${unique()}`,
    wrong: `not a token`.replaceAll(' ', '~') + unique(),
  };
}

/** A person's browser and MCP host. */
interface Station {
  readonly host: Host;
  readonly jira: JiraServer;
  readonly secrets: Secrets;
  /** Sends a request to the program and records the response. */
  send(url: string, init?: RequestInit): Promise<{ status: number; body: Json }>;
  /** The intake endpoint, over HTTP. */
  readonly intake: string | undefined;
}

function json(body: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** The result of a tool, or the protocol error. */
async function tried(host: Host, tool: string, args: Readonly<Record<string, unknown>>): Promise<Json> {
  return host.call(tool, args).catch((cause: unknown) => ({ isError: true, thrown: String(cause) }));
}

async function newPage({ host, jira }: Station, baseUrl = jira.baseUrl): Promise<{ url: string; id: string }> {
  const { structuredContent } = await host.call('jira_connect', { jira_base_url: baseUrl });
  return { url: structuredContent.connect_url, id: structuredContent.connection_id };
}

function bodies({ email, pat, token }: Secrets, baseUrl: string): readonly object[] {
  return [
    { jira_base_url: baseUrl, pat },
    { jira_base_url: baseUrl, auth_mode: 'basic_cloud', account_email: email, api_token: token },
  ];
}

/** Two active connections, one with each kind of credentials. */
async function connected(station: Station): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const [index, body] of bodies(station.secrets, station.jira.baseUrl).entries()) {
    const { id, url } = index === 0 ? await newPage(station) : { id: '', url: station.intake ?? (await newPage(station)).url };
    const answer = await station.send(url, json(body));
    expect(answer).toMatchObject({ status: 201, body: { status: 'active' } });
    if (id !== '') expect(answer.body.connection_id).toBe(id);
    ids.push(answer.body.connection_id);
  }
  return ids;
}

/** Returns the artifact_ref of a fetched archive. */
async function collected({ host }: Station): Promise<string> {
  await host.call('select_engage_product', { product: 'linux' });
  const consent = await host.call('mint_engage_consent_token', { permission_granted: true });
  const { consent_token } = consent.structuredContent;
  const { result } = await host.callWithProgress('generate_sosreport', { consent_token, ...FAST });
  return (await host.call('fetch_sosreport', { fetch_reference: result.structuredContent.fetch_reference })).structuredContent.artifact_ref;
}

/** Jira misbehaves in every way, during verification and use. Returns the error codes. */
async function tryMisbehaviours(station: Station, connections: readonly string[], artifactRef: string): Promise<ReadonlySet<string>> {
  const codes = new Set<string>();
  const note = (outcome: Json) => codes.add(outcome.structuredContent?.code ?? outcome.body?.code ?? 'none');
  const using = MISBEHAVIOURS.flatMap((how, index) => {
    const issue_key = `BAD-${index + 1}`;
    station.jira.misbehave(how, issue_key);
    return connections.flatMap((connection_id) => [
      station.host.call('jira_list_attachments', { connection_id, issue_key }).then(note),
      station.host.call('jira_attach_artifact', { connection_id, issue_key, artifact_ref: artifactRef }).then(note),
    ]);
  });
  const connect = async (how: Misbehaviour) => {
    const jira = await startJira();
    jira.misbehave(how);
    const { url } = await newPage(station, jira.baseUrl);
    const sent = bodies(station.secrets, jira.baseUrl).flatMap((body) =>
      [url, ...(station.intake === undefined ? [] : [station.intake])].map((address) => station.send(address, json(body)).then(note)),
    );
    await Promise.all(sent);
    await jira.close();
  };
  await Promise.all(using);
  // At most ten pages are open at once.
  for (let first = 0; first < MISBEHAVIOURS.length; first += 10) await Promise.all(MISBEHAVIOURS.slice(first, first + 10).map(connect));
  return codes;
}

/** The secret is sent wherever it does not belong. */
async function misplaceSecrets(station: Station, connection: string): Promise<void> {
  const { host, jira, secrets } = station;
  const { baseUrl } = jira;
  for (const secret of Object.values(secrets)) {
    if (secret === secrets.email) continue;
    for (const args of [
      { pat: secret },
      { jira_base_url: baseUrl, pat: secret },
      { [secret]: 'x' },
      { jira_base_url: secret },
      { jira_base_url: { pat: secret } },
      { jira_base_url: `https://ada:${encodeURIComponent(secret)}@jira.example.org` },
      { jira_base_url: `https://jira.example.org/?pat=${encodeURIComponent(secret)}` },
    ])
      expect(await tried(host, 'jira_connect', args)).toMatchObject({ isError: true, structuredContent: { code: 'validation_error' } });
    for (const [tool, args] of [
      ['jira_connection_status', { connection_id: secret }],
      ['jira_list_attachments', { connection_id: secret, issue_key: 'ABC-1' }],
      ['jira_list_attachments', { connection_id: connection, issue_key: secret }],
      ['jira_attach_artifact', { connection_id: connection, issue_key: 'ABC-1', artifact_ref: secret }],
      ['jira_disconnect', { connection_id: secret }],
      ['jira_disconnect', { connection_id: 'x', pat: secret }],
      ['select_engage_product', { product: secret }],
      ['mint_engage_consent_token', { permission_granted: secret }],
      ['mint_engage_consent_token', { permission_granted: true, workflow_session_id: secret }],
      ['generate_sosreport', { consent_token: secret, only_plugins: [secret], log_size: secret }],
      ['generate_sosreport', { consent_token: secret }],
      ['get_generate_sosreport_status', { job_id: secret }],
      ['fetch_sosreport', { fetch_reference: secret }],
    ] as const)
      expect(await tried(host, tool, args)).toMatchObject({ isError: true });
    for (const url of [(await newPage(station)).url, ...(station.intake === undefined ? [] : [station.intake])]) {
      for (const body of [
        secret,
        [secret],
        { pat: secret },
        { jira_base_url: secret, pat: secret },
        { jira_base_url: `${baseUrl}/${encodeURIComponent(secret)}`, pat: secret },
        { jira_base_url: baseUrl, pat: [secret] },
        { jira_base_url: baseUrl, pat: `${secret}\n` },
        { jira_base_url: baseUrl, auth_mode: secret, pat: secret },
        { jira_base_url: baseUrl, token: secret, [secret]: secret },
        { jira_base_url: baseUrl, auth_mode: 'basic_cloud', account_email: `${secret}:`, api_token: secret },
        { jira_base_url: baseUrl, pat: secret, api_token: secret },
      ])
        expect((await station.send(url, json(body))).status).toBe(422);
      for (const [type, body] of [
        ['application/json', `{"pat": "${secret}"`],
        ['application/json', `${secret}`],
        ['application/x-www-form-urlencoded', `pat=${secret}`],
        ['text/plain', JSON.stringify({ jira_base_url: baseUrl, pat: secret })],
        ['multipart/form-data; boundary=x', `--x\r\ncontent-disposition: form-data; name="pat"\r\n\r\n${secret}\r\n--x--`],
      ] as const)
        expect((await station.send(url, { method: 'POST', headers: { 'content-type': type }, body })).status).toBe(422);
      const long = json({ jira_base_url: baseUrl, pat: secret.repeat(10_000) });
      expect((await station.send(url, long)).status).toBe(413);
      expect((await station.send(url, json({ jira_base_url: baseUrl, pat: secrets.wrong }))).body.code).toBe('invalid_credentials');
    }
  }
}

/** The secret in paths and queries, with every method. */
async function misplaceInUrls({ send, secrets }: Station, origin: string): Promise<void> {
  for (const secret of [secrets.pat, secrets.token, secrets.wrong].map(encodeURIComponent))
    for (const path of ['/engage/connect/', '/engage/connect/x/', '/api/jira/connections/', '/engage?pat=', '/api/jira/connections?pat='])
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'OPTIONS'])
        await send(`${origin}${path}${secret}`, { method, ...(method === 'POST' ? { body: secret } : {}) });
}

/** The content of every file, archives unpacked. */
async function everyFile(world: World): Promise<string> {
  const texts = await Promise.all([world.home, world.project, world.outside].map(allFileContents));
  const archives = readdirSync(stateOf(world), { recursive: true, withFileTypes: true }).filter(({ name }) => name.endsWith('.tar.xz'));
  expect(archives.length).toBeGreaterThan(0);
  const unpacked = archives.map(({ name, parentPath }) =>
    execFileSync('xz', ['-dc', join(parentPath, name)], { maxBuffer: 2 ** 30 }).toString('latin1'),
  );
  return [...texts, ...unpacked].join('\n');
}

/** No secret in output, files, command lines or environments; the key is in the program's own environment only. */
async function expectNoTrace(
  { pat, token, wrong }: Secrets,
  key: string,
  { reported, watch, world, program }: { reported: readonly string[]; watch: ProcessWatch; world: World; program: number },
): Promise<void> {
  const files = await everyFile(world);
  // A forked child that has not called exec yet still has this command line.
  const commandsOfOwn = watch.seen.filter(({ pid }) => pid === program).map(({ command }) => command);
  const own = watch.seen.filter(({ command }) => commandsOfOwn.includes(command));
  const children = watch.seen.filter((each) => !own.includes(each));
  expect(children.some(({ command }) => /\bsos\0report\0/.test(command))).toBe(true);
  expect(own.some(({ environment }) => environment.includes(key))).toBe(true);
  const commands = watch.seen.map(({ command }) => command).join('\n');
  const environments = children.map(({ environment }) => environment).join('\n');
  for (const secret of [pat, token, wrong]) {
    expect(occurrencesOf(secret, reported.join('\n'))).toEqual({});
    expect(occurrencesOf(secret, files)).toEqual({});
    expect(occurrencesOf(secret, `${commands}\n${environments}\n${own.map(({ environment }) => environment).join('\n')}`)).toEqual({});
  }
  expect(occurrencesOf(key, [...reported, files, commands, environments].join('\n'))).toEqual({});
  const bytes = operatorKey(key)?.toString('latin1') ?? '';
  expect(files.includes(bytes)).toBe(false);
}

/** The secret is where it belongs, which also validates the search. */
async function expectInPlace(station: Station, key: string, world: World, ids: readonly string[]): Promise<void> {
  const { jira, secrets } = station;
  const asked = jira.requests.map(({ headers }) => headers.authorization).join('\n');
  expect(tracesOf(secrets.pat, asked)).toContain('raw');
  expect(tracesOf(`${secrets.email}:${secrets.token}`, asked)).toContain('base64');
  expect(tracesOf(secrets.token, asked).join()).toContain('base64');
  const vault = new Vault({ stateFolder: stateOf(world), key: operatorKey(key), schema: CONNECTION });
  const [first = '', second = ''] = ids;
  expect(JSON.parse((await vault.get(first))?.secret ?? '')).toEqual({ mode: 'bearer_pat', pat: secrets.pat });
  expect(JSON.parse((await vault.get(second))?.secret ?? '')).toMatchObject({ mode: 'basic_cloud', token: secrets.token });
}

const EVERY_CODE = [
  'invalid_credentials',
  'forbidden',
  'not_found',
  'artifact_invalid',
  'upstream_unavailable',
  'validation_error',
  'none',
];

async function run(station: Station): Promise<readonly string[]> {
  const ids = await connected(station);
  const artifactRef = await collected(station);
  const [first = ''] = ids;
  expect(await tryMisbehaviours(station, ids, artifactRef)).toEqual(new Set(EVERY_CODE));
  await misplaceSecrets(station, first);
  const attach = { connection_id: first, issue_key: 'ABC-1', artifact_ref: artifactRef };
  expect((await station.host.call('jira_attach_artifact', attach)).isError).not.toBe(true);
  await station.host.call('jira_connection_status');
  return ids;
}

async function newStation(): Promise<{ world: World; jira: JiraServer; secrets: Secrets; env: Record<string, string> }> {
  const world = createWorld();
  const secrets = newSecrets();
  const jira = await startJira({ pat: secrets.pat, account: secrets });
  onTestFinished(() => jira.close());
  mkdirSync(join(world.outside, 'tmp'));
  return { world, jira, secrets, env: { ...shortTimeouts(), TMPDIR: join(world.outside, 'tmp') } };
}

function sender(reported: string[], headers: Readonly<Record<string, string>> = {}): Station['send'] {
  return async (url, init = {}) => {
    const response = await fetch(url, { ...init, headers: { ...headers, ...init.headers } });
    const text = await response.text();
    reported.push(text, JSON.stringify([...response.headers]), response.statusText);
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  };
}

describe('in a full run with every failure, the token is found only encrypted in the vault', () => {
  it('over stdio', async () => {
    const { env, world, ...rest } = await newStation();
    const key = newKey();
    const host = await startStdio(world, { env, key, args: ['--log-level', 'debug'] });
    const program = host.client.process.pid ?? 0;
    const watch = watchProcesses(program);
    const reported: string[] = [];
    const station = { ...rest, host, send: sender(reported), intake: undefined };
    const ids = await run(station);
    await misplaceInUrls(station, new URL((await newPage(station)).url).origin);
    for (const secret of [rest.secrets.pat, JSON.stringify(rest.secrets.token).slice(1, -1)]) {
      host.client.write(`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"jira_connect","arguments":{"pat":"${secret}"`);
      host.client.write(`{"jsonrpc":"2.0","pat":"${secret}"}`);
      host.client.write(`${secret}`);
    }
    await host.call('start_engage_red_hat_support');
    watch.stop();
    await expect.poll(() => host.client.stderr).toContain('debug');
    const { lines, stderr } = host.client;
    await expectNoTrace(rest.secrets, key, { reported: [...reported, ...lines, stderr], watch, world, program });
    await expectInPlace(station, key, world, ids);
  }, 60_000);

  it('over HTTP, with a log of every request', async () => {
    const { env, world, ...rest } = await newStation();
    const key = newKey();
    const limits = { callsPerMinute: 1_000_000, burst: 1_000_000, concurrent: 1000 };
    const people = ['ada', 'grace'];
    const reported: string[] = [];
    const team = await startTeam(world, people, { env, key, limits, args: ['--log-level', 'debug', '--log-format', 'json'], reported });
    const { child, origin, output, stderr } = team.server;
    const program = child.pid ?? 0;
    const watch = watchProcesses(program);
    const send = sender(reported, team.headers('ada'));
    const station = { ...rest, host: team.host('ada'), send, intake: `${origin}/api/jira/connections` };
    const ids = await run(station);
    await misplaceInUrls(station, origin);
    await misplaceInUrls({ ...station, send: sender(reported) }, origin);
    for (const secret of [rest.secrets.pat, rest.secrets.token]) {
      const broken = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"pat":"${secret}"`;
      await send(`${origin}/mcp`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: broken });
      const body = JSON.stringify({ jira_base_url: rest.jira.baseUrl, pat: secret });
      const half = `POST /api/jira/connections HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n${body}`;
      reported.push(JSON.stringify(await exchange(origin, { pieces: [half], end: true })));
    }
    watch.stop();
    await expect.poll(stderr).toContain('"path":"/engage/connect/:ticket"');
    await expectNoTrace(rest.secrets, key, { reported: [...reported, output(), stderr()], watch, world, program });
    await expectInPlace(station, key, world, ids);
    for (const id of ids) expect((await team.host('grace').call('jira_connection_status', { connection_id: id })).isError).toBe(true);
  }, 60_000);
});

describe('without a valid operator key', () => {
  const HOW = 'openssl rand -base64 32';

  it('accepts no secret, says how to generate a key, and stores nothing', async () => {
    const { jira, secrets, world } = await newStation();
    const kept = () => ['connections', 'invitations', 'invitation-claims'].filter((name) => existsSync(join(stateOf(world), name)));
    const stdio = await startStdio(world, { key: undefined });
    const refused = await stdio.call('jira_connect', { jira_base_url: jira.baseUrl });
    expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'vault_key_required' } });
    expect(refused.content[0].text).toContain(HOW);
    const team = await startTeam(world, ['ada'], { key: undefined });
    expect((await team.host('ada').call('jira_connect')).content[0].text).toContain(HOW);
    for (const body of bodies(secrets, jira.baseUrl)) {
      const answer = await team.fetch('ada', '/api/jira/connections', json(body));
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({ code: 'vault_key_required', text: expect.stringContaining(HOW) });
    }
    expect((await stdio.call('jira_connection_status')).structuredContent.connections).toEqual([]);
    expect(jira.requests).toEqual([]);
    expect(kept()).toEqual([]);
  });

  it.each([
    ['too short', 'c2hvcnQta2V5LW9mLXRoZS1vcGVyYXRvcg=='],
    ['not base64', 'a pass phrase of the operator, with blanks!'],
    ['one hex digit short', 'abcdef0123456789'.repeat(4).slice(1)],
  ])('does not start with a key that is %s, and does not repeat it', async (_, key) => {
    const world = createWorld();
    for (const start of [() => startStdio(world, { key }), () => startTeam(world, ['ada'], { key })]) {
      const said = await start().then(
        () => 'it started',
        (cause: unknown) => String(cause),
      );
      expect(said).toContain('FOOTBRIDGE_ENGAGE_KEY');
      expect(said).toContain(HOW);
      expect(tracesOf(key, said)).toEqual([]);
      expect(tracesOf(key, await allFileContents(world.home))).toEqual([]);
    }
  });
});
