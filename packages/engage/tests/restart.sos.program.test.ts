/** The program is stopped or killed in the middle of the workflow and restarted. */
import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../footbridge/tests/support/client.js';
import { createWorld, type World } from '../../footbridge/tests/support/folders.js';
import { ENVELOPE, type HttpProcess, until } from '../../footbridge/tests/support/http-server.js';
import type { JiraServer } from './support/jira-server.js';
import { inSession, isRunningWith } from './support/process-watch.js';
import { FAST, type Host, newKey, startStdio, startTeam, stateOf } from './support/program.js';
import { ahead } from './support/time.js';
import { newJira } from './support/use-jira.js';

const PAT = 'a-personal-access-token-of-nobody';
const HOUR_MS = 3600_000;

function jobUri(jobId: string): string {
  return `resource://engage/sosreport/jobs/${jobId}`;
}

function fillIn(url: string, { baseUrl }: JiraServer): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jira_base_url: baseUrl, pat: PAT }),
  });
}

/** Returns the id of an active connection. */
async function connect(host: Host, jira: JiraServer): Promise<string> {
  const { connect_url, connection_id } = (await host.call('jira_connect')).structuredContent;
  expect((await fillIn(connect_url, jira)).status).toBe(201);
  return connection_id;
}

async function mint(host: Host): Promise<string> {
  await host.call('select_engage_product', { product: 'linux' });
  return (await host.call('mint_engage_consent_token', { permission_granted: true })).structuredContent.consent_token;
}

interface RunningJob {
  readonly id: string;
  /** The session of its sos. */
  readonly session: number;
  /** The result of the call; undefined if the program ended first. */
  readonly result: Promise<Json | undefined>;
}

function jobIds(world: World): readonly string[] {
  const folder = stateOf(world, 'job-starts');
  return existsSync(folder) ? readdirSync(folder).flatMap((name) => /^([\da-f-]+)\.json$/.exec(name)?.[1] ?? []) : [];
}

/** Starts a job, and resolves when sos is running. */
async function begin(world: World, call: () => Promise<Json>): Promise<RunningJob> {
  const before = jobIds(world);
  const result = call().catch(() => undefined);
  let found: { id: string; session: number } | undefined;
  await until(() => {
    const id = jobIds(world).find((each) => !before.includes(each));
    if (id === undefined) return false;
    const record = JSON.parse(readFileSync(stateOf(world, 'job-starts', `${id}.json`), 'utf8'));
    if (record.sos !== undefined) found = { id, session: record.sos.pid };
    return found !== undefined;
  });
  const { id = '', session = 0 } = found ?? {};
  expect(inSession(session)).not.toEqual([]);
  return { id, session, result };
}

/** With all plugins, it runs until it is terminated. */
async function beginAs(world: World, host: Host, plugins: object = {}): Promise<RunningJob> {
  const consent_token = await mint(host);
  return begin(world, () => host.call('generate_sosreport', { consent_token, ...plugins }));
}

async function expectFailed(host: Host, world: World, { id, session }: RunningJob, reason: RegExp): Promise<void> {
  const { structuredContent } = await host.call('get_generate_sosreport_status', { job_id: id });
  expect(structuredContent).toMatchObject({
    status: 'failed',
    error: { code: 'unexpected_error', message: expect.stringMatching(reason) },
  });
  expect(inSession(session)).toEqual([]);
  expect(isRunningWith(stateOf(world, 'jobs', id))).toBe(false);
  await until(() => !existsSync(stateOf(world, 'jobs', id)));
}

/** Returns the text of a stream so far. */
function following(response: Response): () => string {
  let text = '';
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const read = async (): Promise<void> => {
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) text += part.value;
  };
  read().catch(() => {});
  return () => text;
}

const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Listens as hosts of 2026-07-28 do. */
async function listen({ endpoint }: HttpProcess, headers: Readonly<Record<string, string>>, uri: string): Promise<() => string> {
  const params = { notifications: { resourceSubscriptions: [uri] }, _meta: ENVELOPE };
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { ...ACCEPT, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'listen', method: 'subscriptions/listen', params }),
  });
  return following(response);
}

/** Subscribes as hosts of 2025-11-25 do. */
async function subscribe({ endpoint }: HttpProcess, who: Readonly<Record<string, string>>, uri: string): Promise<() => string> {
  const post = (method: string, params: Json, id: number | undefined, more: Readonly<Record<string, string>> = {}) =>
    fetch(endpoint, {
      method: 'POST',
      headers: { ...ACCEPT, ...who, ...more },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    });
  const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const handshake = await post('initialize', opening, 1);
  await handshake.text();
  const session = { 'mcp-session-id': handshake.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' };
  await (await post('notifications/initialized', {}, undefined, session)).text();
  const said = following(await fetch(endpoint, { headers: { accept: 'text/event-stream', ...who, ...session } }));
  await (await post('resources/subscribe', { uri }, 2, session)).text();
  return said;
}

const UPDATED = 'notifications/resources/updated';

describe('over HTTP', () => {
  it('keeps the state of each caller through SIGKILL and SIGTERM, fails the running job, and expires everything in time', async () => {
    const world = createWorld();
    const jira = await newJira({ pat: PAT });
    const key = newKey();
    const start = (env: Readonly<Record<string, string>> = {}) => startTeam(world, ['ada', 'grace'], { key, env });

    const first = await start();
    const ada = first.host('ada');
    const connection_id = await connect(ada, jira);
    const job = await beginAs(world, ada, FAST);
    const uri = jobUri(job.id);
    const hers = [await listen(first.server, first.headers('ada'), uri), await subscribe(first.server, first.headers('ada'), uri)];
    const others = [await listen(first.server, first.headers('grace'), uri), await subscribe(first.server, first.headers('grace'), uri)];
    const done = (await job.result)?.structuredContent;
    expect(done).toMatchObject({ job_id: job.id, status: 'completed' });
    await until(() => hers.every((said) => said().includes(UPDATED) && said().includes(uri)));
    expect((await first.host('grace').request('resources/read', { uri })).error).toBeDefined();
    for (const said of others) for (const word of [done.archive_name, 'Collecting', 'fetch_reference']) expect(said()).not.toContain(word);
    const fetched = (await ada.call('fetch_sosreport', { fetch_reference: done.fetch_reference })).structuredContent;
    const expectKept = async (host: Host) => {
      expect((await host.call('get_generate_sosreport_status', { job_id: job.id })).structuredContent).toEqual(done);
      expect((await host.call('fetch_sosreport', { fetch_reference: done.fetch_reference })).structuredContent).toEqual(fetched);
      expect((await host.call('jira_connection_status', { connection_id })).structuredContent.status).toBe('active');
      const { artifact_ref } = fetched;
      const attached = await host.call('jira_attach_artifact', { connection_id, issue_key: 'ABC-1', artifact_ref });
      expect(attached.structuredContent.attachment).toMatchObject({ filename: done.archive_name });
    };

    const killed = await beginAs(world, ada);
    await first.server.stop('SIGKILL');
    const second = await start();
    await expectFailed(second.host('ada'), world, killed, /restarted/);
    await expectKept(second.host('ada'));
    expect((await second.host('grace').call('jira_connection_status')).structuredContent.connections).toEqual([]);
    expect((await second.host('grace').call('fetch_sosreport', { fetch_reference: done.fetch_reference })).isError).toBe(true);

    const stopped = await beginAs(world, second.host('ada'));
    expect(await second.server.stop('SIGTERM')).toBe(0);
    expect((await stopped.result)?.structuredContent).toMatchObject({ code: 'unexpected_error', job_id: stopped.id });
    expect(inSession(stopped.session)).toEqual([]);
    const third = await start();
    await expectFailed(third.host('ada'), world, stopped, /stopped/);
    await expectKept(third.host('ada'));
    expect(await third.server.stop()).toBe(0);

    const abandoned = stateOf(world, 'connections', `x.sealed.${'0'.repeat(16)}.draft`);
    writeFileSync(abandoned, 'half of it');
    utimesSync(abandoned, 0, 0);
    const later = await start(ahead(25 * HOUR_MS));
    await until(() => !existsSync(abandoned) && !existsSync(fetched.path) && !jobIds(world).includes(job.id));
    expect(readdirSync(stateOf(world, 'jobs'))).toEqual([]);
    expect(readdirSync(stateOf(world, 'artifacts'))).toEqual([]);
    const late = later.host('ada');
    for (const [tool, args, code] of [
      ['fetch_sosreport', { fetch_reference: done.fetch_reference }, 'validation_error'],
      ['get_generate_sosreport_status', { job_id: job.id }, 'validation_error'],
      ['jira_list_attachments', { connection_id, issue_key: 'ABC-1' }, 'connection_expired'],
      ['jira_attach_artifact', { connection_id, issue_key: 'ABC-1', artifact_ref: fetched.artifact_ref }, 'connection_expired'],
    ] as const)
      expect(await late.call(tool, args)).toMatchObject({ isError: true, structuredContent: { code } });
    await later.server.stop();
    await start(ahead(9 * 24 * HOUR_MS));
    await until(() => readdirSync(stateOf(world, 'connections')).every((name) => name === 'vault.json'));
  }, 60_000);
});

describe('two hosts of one person over stdio', () => {
  it('share connections, consents, the job queue and job states', async () => {
    const world = createWorld();
    const jira = await newJira({ pat: PAT });
    const key = newKey();
    const one = await startStdio(world, { key, version: '2025-11-25' });
    const other = await startStdio(world, { key, version: '2026-07-28' });
    const connection_id = await connect(one, jira);
    expect((await other.call('jira_list_attachments', { connection_id, issue_key: 'ABC-1' })).structuredContent.attachments).toEqual([]);
    expect((await other.call('jira_connection_status')).structuredContent.connections).toHaveLength(1);

    const job = await beginAs(world, one);
    await one.client.listen([jobUri(job.id)]);
    const refused = await other.call('generate_sosreport', { consent_token: await mint(other) });
    expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'validation_error', job_id: job.id } });
    const isToldTo = ({ notifications }: typeof one.client, uri: string) =>
      notifications.some(({ method, params }) => method === UPDATED && params?.['uri'] === uri);
    await one.client.waitFor(() => isToldTo(one.client, jobUri(job.id)));
    await one.client.close();
    await expectFailed(other, world, job, /stopped/);

    const again = await startStdio(world, { key, version: '2025-11-25' });
    const consent_token = await mint(again);
    const race = Promise.all([again, other].map((host) => host.call('generate_sosreport', { consent_token }).catch(() => undefined)));
    const raced = await begin(world, () => race);
    await Promise.all([again, other].map(({ client }) => client.listen([jobUri(raced.id)])));
    const file = stateOf(world, 'job-starts', `${raced.id}.json`);
    const { runner } = JSON.parse(readFileSync(file, 'utf8'));
    const [winner, loser] = again.client.process.pid === runner.pid ? [again, other] : [other, again];
    await winner.client.waitFor(() => isToldTo(winner.client, jobUri(raced.id)));
    winner.client.process.kill('SIGKILL');
    // As if it had been killed between starting sos and recording its process.
    const { sos: _, ...unaware } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify(unaware));
    const lost = (await race).find((result) => result !== undefined);
    expect(lost).toMatchObject({ isError: true, structuredContent: { code: 'consent_replayed' } });
    await expectFailed(loser, world, raced, /restarted/);
    expect((await loser.call('jira_list_attachments', { connection_id, issue_key: 'ABC-1' })).isError).not.toBe(true);
  }, 60_000);
});

describe('killed repeatedly during submissions', () => {
  it('keeps every confirmed connection, and no partial ones', async () => {
    const world = createWorld();
    const jira = await newJira({ pat: PAT });
    const key = newKey();
    const answered = new Set<string>();
    const asked = new Set<string>();
    for (let round = 0; round < 6; round++) {
      const host = await startStdio(world, { key });
      const ended = new Promise((resolve) => host.client.process.once('exit', resolve));
      const handIn = async () => {
        for (;;) {
          const { connect_url, connection_id } = (await host.call('jira_connect')).structuredContent;
          asked.add(connection_id);
          if ((await fillIn(connect_url, jira)).status === 201) answered.add(connection_id);
        }
      };
      const handed = Promise.allSettled([handIn(), handIn()]);
      const before = asked.size;
      await host.client.waitFor(() => asked.size > before && (round > 0 || answered.size > 0));
      await sleep(randomInt(120));
      host.client.process.kill('SIGKILL');
      await ended;
      await handed;
    }
    expect(answered.size).toBeGreaterThan(0);
    const host = await startStdio(world, { key });
    for (const connection_id of asked) {
      const { isError, structuredContent } = await host.call('jira_connection_status', { connection_id });
      expect(isError).not.toBe(true);
      if (answered.has(connection_id)) expect(structuredContent.status).toBe('active');
      const listed = await host.call('jira_list_attachments', { connection_id, issue_key: 'ABC-1' });
      expect(listed.isError === true).toBe(structuredContent.status !== 'active');
    }
  }, 60_000);
});

describe('a damaged vault', () => {
  it('is rejected by every tool that needs it, while other tools work', async () => {
    const world = createWorld();
    const jira = await newJira({ pat: PAT });
    const key = newKey();
    const host = await startStdio(world, { key });
    const connection_id = await connect(host, jira);
    const record = stateOf(world, 'connections', `${connection_id}.sealed`);
    const header = stateOf(world, 'connections', 'vault.json');
    const asked = jira.requests.length;
    const byId = [
      ['jira_connection_status', { connection_id }],
      ['jira_list_attachments', { connection_id, issue_key: 'ABC-1' }],
      ['jira_attach_artifact', { connection_id, issue_key: 'ABC-1', artifact_ref: 'x' }],
      ['jira_disconnect', { connection_id }],
    ] as const;
    const every = [...byId, ['jira_connect', {}], ['jira_connection_status', {}]] as const;
    const expectFailure = async (by: Host, tools: readonly (readonly [string, object])[]) => {
      for (const [tool, args] of tools)
        expect(await by.call(tool, { ...args })).toMatchObject({ isError: true, structuredContent: { code: 'vault_refused' } });
      expect((await by.call('select_engage_product', { product: 'linux' })).isError).not.toBe(true);
      expect((await by.call('list_skills')).isError).not.toBe(true);
    };
    const whole = readFileSync(record, 'utf8');
    const changed = [
      whole.replace(/"sealed":"(.)/, (_, digit) => `"sealed":"${digit === '0' ? '1' : '0'}`),
      whole.replace(jira.baseUrl, 'https://jira.example.com'),
      whole.replace(/"owner":"(.)/, (_, digit) => `"owner":"${digit === '0' ? '1' : '0'}`),
      whole.slice(0, -10),
      '',
    ];
    for (const text of changed) {
      writeFileSync(record, text);
      await expectFailure(host, byId);
    }
    writeFileSync(record, whole);
    const proof = readFileSync(header, 'utf8');
    writeFileSync(
      header,
      proof.replace(/"salt":"(.)/, (_, digit) => `"salt":"${digit === '0' ? '1' : '0'}`),
    );
    await expectFailure(host, every);
    writeFileSync(header, proof);
    await expectFailure(await startStdio(world, { key: newKey() }), every);
    expect(jira.requests).toHaveLength(asked);
    expect((await host.call('jira_list_attachments', { connection_id, issue_key: 'ABC-1' })).isError).not.toBe(true);
  });
});
