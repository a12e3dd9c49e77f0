/** Every error code of the contract, through the tools of the program. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Json, UNPRIVILEGED } from '../../footbridge/tests/support/client.js';
import { createWorld, type World } from '../../footbridge/tests/support/folders.js';
import { useSources } from '../../footbridge/tests/support/start.js';
import { expectFailure } from './support/expect-failure.js';
import { type FakeSos, fakeSos } from './support/fake-sos.js';
import type { Misbehaviour } from './support/jira-misbehaviour.js';
import { type JiraServer, startJira } from './support/jira-server.js';
import { type Host, type HttpTeam, newKey, startStdio, startTeam } from './support/program.js';
import { type ShiftedClock, shiftedClock } from './support/shifted-clock.js';

useSources();

const PAT = 'a-personal-access-token-of-nobody';
const KEY = newKey();
const SECRETS = [PAT, KEY];
const DAY_MS = 24 * 3600 * 1000;
const PEOPLE = ['ada', 'grace', 'alan', 'edsger', 'barbara', 'donald', 'frances', 'radia'] as const;
type Person = (typeof PEOPLE)[number];
const QUICK = { only_plugins: ['host'] };

const ends: (() => void | Promise<void>)[] = [];
const atEnd = (end: () => void | Promise<void>) => void ends.unshift(end);

let world: World;
let jira: JiraServer;
let sos: FakeSos;
let clock: ShiftedClock;
let team: HttpTeam;

beforeAll(async () => {
  world = createWorld(atEnd);
  jira = await startJira({ pat: PAT });
  atEnd(() => jira.close());
  sos = fakeSos(world);
  clock = shiftedClock(world);
  const config = { packs: [['@footbridge/engage', { maxArtifactMib: 0.05 }]] };
  team = await startTeam(world, PEOPLE, { config, key: KEY, env: clock.env, through: [...UNPRIVILEGED, ...sos.through], atEnd });
});

afterAll(async () => {
  for (const end of ends) await end();
});

const state = (...names: string[]) => join(world.home, '.local', 'state', 'footbridge', 'engage', ...names);

async function session(host: Host): Promise<string> {
  return (await host.call('select_engage_product', { product: 'linux' })).structuredContent.workflow_session_id;
}

async function consent(host: Host, sessionId?: string): Promise<string> {
  const workflow_session_id = sessionId ?? (await session(host));
  const minted = await host.call('mint_engage_consent_token', { permission_granted: true, workflow_session_id });
  return minted.structuredContent.consent_token;
}

async function generate(host: Host, args: object = {}): Promise<Json> {
  return host.call('generate_sosreport', { consent_token: await consent(host), ...QUICK, ...args });
}

async function connection(person: Person): Promise<string> {
  const response = await team.fetch(person, '/api/jira/connections', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jira_base_url: jira.baseUrl, pat: PAT }),
  });
  expect(response.status).toBe(201);
  return JSON.parse(await response.text()).connection_id;
}

/** Changes one character; not the last one of a signature, whose low bits are unused. */
function changed(text: string, at: number): string {
  return `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
}

describe('before anything is collected', () => {
  it('requires a product, then permission, in a session of the same owner', async () => {
    const ada = team.host('ada');
    const grace = team.host('grace');
    const mint = (host: Host, args: object) => host.call('mint_engage_consent_token', { ...args });
    expectFailure(await mint(grace, { permission_granted: true }), 'product_selection_required');
    const hers = await session(ada);
    for (const args of [{}, { permission_granted: false }, { permission_granted: false, workflow_session_id: hers }])
      expectFailure(await mint(ada, args), 'explicit_permission_required');
    for (const workflow_session_id of [hers, '00000000-0000-4000-8000-000000000000', '../sessions', ''])
      expectFailure(await mint(grace, { permission_granted: true, workflow_session_id }), 'workflow_session_invalid');
    expectFailure(await ada.call('select_engage_product', { product: 'windows' }), 'validation_error');
    expectFailure(await mint(ada, { permission_granted: 'yes' }), 'validation_error');
  });

  it('accepts a consent only unchanged, from its owner, in its session', async () => {
    const ada = team.host('ada');
    const [here, elsewhere] = [await session(ada), await session(ada)];
    const token = await consent(ada, here);
    const collect = (host: Host, args: object) => host.call('generate_sosreport', { ...QUICK, ...args });
    for (const args of [{}, { consent_token: '' }]) expectFailure(await collect(ada, args), 'consent_missing');
    const [payload = ''] = token.split('.');
    for (const other of [
      changed(token, 10),
      changed(token, payload.length + 5),
      token.slice(0, -1),
      `${token}A`,
      'token',
      token.repeat(20),
    ])
      expectFailure(await collect(ada, { consent_token: other }), 'consent_invalid', [token]);
    expectFailure(await collect(team.host('grace'), { consent_token: token }), 'consent_wrong_user', [token]);
    for (const workflow_session_id of [elsewhere, 'none'])
      expectFailure(await collect(ada, { consent_token: token, workflow_session_id }), 'consent_session_mismatch', [token]);
  });

  it('accepts a consent for 120 seconds and a session for a day', async () => {
    const ada = team.host('ada');
    const here = await session(ada);
    const token = await consent(ada, here);
    clock.forward(119_000);
    // Not expired yet: another error comes first.
    expectFailure(await ada.call('generate_sosreport', { consent_token: token, workflow_session_id: 'none' }), 'consent_session_mismatch');
    clock.forward(121_000);
    expectFailure(await ada.call('generate_sosreport', { consent_token: token, workflow_session_id: here }), 'consent_expired', [token]);
    clock.forward(DAY_MS + 1000);
    expectFailure(
      await ada.call('mint_engage_consent_token', { permission_granted: true, workflow_session_id: here }),
      'workflow_session_invalid',
    );
    expectFailure(await ada.call('mint_engage_consent_token', { permission_granted: true }), 'product_selection_required');
  });
});

describe('one consent, from a missing sos to a fetched archive', () => {
  /** Runs once for all tests of this block. */
  let collected: Promise<{ fetchReference: string; archive: string; used: string; spare: string; host: Host }> | undefined;
  const collectOnce = () => {
    collected ??= (async () => {
      const host = team.host('alan');
      const here = await session(host);
      const [used, spare] = [await consent(host, here), await consent(host, here)];
      const args = { consent_token: used, workflow_session_id: here, ...QUICK };
      sos.none();
      expectFailure(await host.call('generate_sosreport', args), 'dependency_missing', [used]);
      expectFailure(await host.call('generate_sosreport', { ...args, enable_plugins: ['date'] }), 'validation_error', [used]);
      sos.real();
      const { isError = false, structuredContent } = await host.call('generate_sosreport', args);
      expect({ isError, ...structuredContent }).toMatchObject({ isError: false, status: 'completed' });
      const { archive_name, fetch_reference: fetchReference, job_id } = structuredContent;
      return { host, used, spare, fetchReference, archive: state('jobs', job_id, archive_name) };
    })();
    return collected;
  };

  it('gives it back while nothing was started, and accepts it once', async () => {
    const { host, used, fetchReference } = await collectOnce();
    expectFailure(await host.call('generate_sosreport', { consent_token: used, ...QUICK }), 'consent_replayed', [used]);
    expectFailure(await host.call('generate_sosreport', { consent_token: fetchReference, ...QUICK }), 'consent_wrong_scope', [
      fetchReference,
    ]);
  });

  it('reports each problem of an archive, and fetches it once it is intact again', async () => {
    const { host, archive, fetchReference, spare } = await collectOnce();
    const fetchIt = () => host.call('fetch_sosreport', { fetch_reference: fetchReference });
    const aside = `${archive}.aside`;

    renameSync(archive, aside);
    expectFailure(await fetchIt(), 'archive_not_found');
    for (const target of [aside, '/etc/passwd']) {
      symlinkSync(target, archive);
      expectFailure(await fetchIt(), 'path_unsafe');
      rmSync(archive);
    }
    renameSync(aside, archive);
    chmodSync(archive, 0);
    expectFailure(await fetchIt(), 'read_failed');
    chmodSync(archive, 0o600);
    const limit = (bytes: string) => execFileSync('prlimit', ['--pid', String(team.server.child.pid), `--fsize=${bytes}:unlimited`]);
    limit('1024');
    expectFailure(await fetchIt(), 'copy_failed');
    limit('unlimited');
    const artifacts = state('artifacts');
    renameSync(artifacts, `${artifacts}.aside`);
    writeFileSync(artifacts, '');
    expectFailure(await fetchIt(), 'copy_failed');
    rmSync(artifacts);
    renameSync(`${artifacts}.aside`, artifacts);
    expect(readdirSync(artifacts)).toEqual([]);

    expect((await fetchIt()).structuredContent).toMatchObject({ size_bytes: readFileSync(archive).length });
    // The workflow has advanced.
    expectFailure(await host.call('generate_sosreport', { consent_token: spare, ...QUICK }), 'consent_wrong_step', [spare]);
  });

  it('accepts only the owner’s own fetch references, until they expire', async () => {
    const { host, fetchReference, used } = await collectOnce();
    for (const fetch_reference of [changed(fetchReference, 10), used, '', '/etc/passwd'])
      expectFailure(await host.call('fetch_sosreport', { fetch_reference }), 'validation_error', [used]);
    expectFailure(await team.host('ada').call('fetch_sosreport', { fetch_reference: fetchReference }), 'validation_error', [
      fetchReference,
    ]);
    for (const job_id of ['none', '../job-starts', ''])
      expectFailure(await host.call('get_generate_sosreport_status', { job_id }), 'validation_error');
    clock.forward(DAY_MS + 1000);
    expectFailure(await host.call('fetch_sosreport', { fetch_reference: fetchReference }), 'validation_error', [fetchReference]);
  });

  it('attaches only an unmodified fetched file, within the limits of Jira', async () => {
    const { host, fetchReference } = await collectOnce();
    const fetched = (await host.call('fetch_sosreport', { fetch_reference: fetchReference })).structuredContent;
    const connection_id = await connection('alan');
    const attach = (args: object) =>
      host.call('jira_attach_artifact', { connection_id, issue_key: 'ABC-2', artifact_ref: fetched.artifact_ref, ...args });
    const before = jira.attachments.length;
    for (const artifact_ref of [changed(fetched.artifact_ref, 10), fetchReference, fetched.path, '/etc/passwd', ''])
      expectFailure(await attach({ artifact_ref }), 'artifact_invalid', [...SECRETS, fetchReference]);
    for (const [how, code] of [
      ['413', 'artifact_invalid'],
      ['early 413', 'artifact_invalid'],
      ['403', 'forbidden'],
      ['reset in upload', 'upstream_unavailable'],
      ['other size', 'upstream_unavailable'],
      ['early 401', 'invalid_credentials'],
    ] as const) {
      jira.misbehave(how);
      expectFailure(await attach({}), code, SECRETS);
    }
    jira.behave();
    expectFailure(await attach({ issue_key: 'ABC-9' }), 'not_found', SECRETS);
    expectFailure(await attach({ issue_key: '../ABC-1' }), 'validation_error', SECRETS);
    renameSync(fetched.path, `${fetched.path}.aside`);
    expectFailure(await attach({}), 'artifact_invalid', SECRETS);
    symlinkSync(`${fetched.path}.aside`, fetched.path);
    expectFailure(await attach({}), 'artifact_invalid', SECRETS);
    rmSync(fetched.path);
    writeFileSync(fetched.path, '');
    expectFailure(await attach({}), 'artifact_invalid', SECRETS);
    rmSync(fetched.path);
    renameSync(`${fetched.path}.aside`, fetched.path);
    appendFileSync(fetched.path, 'more');
    expectFailure(await attach({}), 'artifact_invalid', SECRETS);
    expect(jira.attachments).toHaveLength(before);
  });
});

describe('collecting', () => {
  const SAVED = 'echo "Your sosreport has been generated and saved in:"';

  it.each([
    ['reports no archive', 'exit 0', 'archive_not_found'],
    ['reports a missing archive', `${SAVED}; echo "$DIR/sosreport.tar.xz"`, 'archive_not_found'],
    ['reports an archive elsewhere', `${SAVED}; echo /etc/passwd`, 'path_unsafe'],
    ['writes an empty archive', `: > "$DIR/a.tar"; ${SAVED}; echo "$DIR/a.tar"`, 'archive_not_found'],
    ['leaves a link', `ln -s /etc/passwd "$DIR/a.tar"; ${SAVED}; echo "$DIR/a.tar"`, 'path_unsafe'],
    ['fails', 'echo "a-secret at /etc/shadow" >&2; exit 3', 'unexpected_error'],
    ['does not mask', `echo data > "$DIR/a.tar"; ${SAVED}; echo "$DIR/a.tar"`, 'unexpected_error'],
  ])('fails if sos %s, and the job has the same error', async (_, lines, code) => {
    sos.script(lines);
    const host = team.host('edsger');
    const job = { job_id: expect.any(String) };
    const { job_id, ...error } = expectFailure(await generate(host, { redaction: true }), code, ['a-secret'], job);
    const status = await host.call('get_generate_sosreport_status', { job_id });
    expect(status.isError).not.toBe(true);
    expect(status.structuredContent).toMatchObject({ job_id, status: 'failed', error });
    expect(status.content[0].text).toContain(error.text);
    expect(readdirSync(state('jobs'))).not.toContain(job_id);
  });

  it('reports unknown plugins and invalid options', async () => {
    sos.real();
    const host = team.host('edsger');
    const job = { job_id: expect.any(String) };
    const token = await consent(host);
    const unknown = { consent_token: token, only_plugins: ['no-such-plugin'] };
    // Nothing was collected, so the consent is still valid.
    for (let time = 0; time < 2; time++) expectFailure(await host.call('generate_sosreport', unknown), 'validation_error', [token], job);
    expect((await host.call('generate_sosreport', { ...unknown, ...QUICK })).structuredContent.status).toBe('completed');
    expectFailure(await host.call('generate_sosreport', unknown), 'consent_replayed', [token]);
    for (const args of [{ only_plugins: ['a b'] }, { only_plugins: ['--help;'] }, { log_size: '5 m' }, { log_size: '0' }, { unknown: 1 }])
      expectFailure(await generate(host, args), 'validation_error');
  });

  it('fetches an archive that is too large, but does not attach it', async () => {
    sos.script(`head -c 60000 /dev/zero > "$DIR/a.tar"; ${SAVED}; echo "$DIR/a.tar"`);
    const host = team.host('edsger');
    const { fetch_reference } = (await generate(host)).structuredContent;
    const { artifact_ref } = (await host.call('fetch_sosreport', { fetch_reference })).structuredContent;
    const args = { connection_id: await connection('edsger'), issue_key: 'ABC-1', artifact_ref };
    const sent = jira.attachments.length;
    expect(expectFailure(await host.call('jira_attach_artifact', args), 'artifact_invalid', SECRETS).text).toContain(
      'attachment limit of 0.05 MiB',
    );
    expect(jira.attachments).toHaveLength(sent);
  });

  it('does not start a second job of the same owner', async () => {
    const go = world.path('outside/go');
    sos.script(`while [ ! -e '${go}' ]; do sleep 0.05; done`);
    const host = team.host('barbara');
    const before = readdirSync(state('job-starts')).length;
    const first = generate(host);
    while (readdirSync(state('job-starts')).length === before) await new Promise((resolve) => setTimeout(resolve, 20));
    const token = await consent(host);
    const args = { consent_token: token, ...QUICK };
    const { job_id } = expectFailure(await host.call('generate_sosreport', args), 'validation_error', [token], {
      job_id: expect.any(String),
    });
    writeFileSync(go, '');
    expect((await first).structuredContent).toMatchObject({ code: 'archive_not_found', job_id });
    // The rejected call did not use the consent.
    expect((await host.call('generate_sosreport', args)).structuredContent.code).toBe('archive_not_found');
  });

  it('requires root or sudo, and gives the consent back without', async () => {
    const own = createWorld();
    chmodSync(dirname(own.home), 0o755);
    for (const folder of [own.home, own.project]) chownSync(folder, 65_534, 65_534);
    const nobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
    const host = await startStdio(own, { key: undefined, through: nobody });
    const args = { consent_token: await consent(host), ...QUICK };
    for (let time = 0; time < 2; time++) expectFailure(await host.call('generate_sosreport', args), 'privilege_required');
    // There is no encryption key either.
    expectFailure(await host.call('jira_connect'), 'vault_key_required');
  });

  it('terminates sos after the timeout, and stores no secret under another key', async () => {
    const id = await connection('frances');
    const key = newKey();
    const host = await startStdio(world, { key, env: { FOOTBRIDGE_ENGAGE_SOS_TIMEOUT: '1' } });
    const job = { job_id: expect.any(String) };
    const args = { consent_token: await consent(host) };
    expectFailure(await host.call('generate_sosreport', args), 'timeout', [], job);
    expectFailure(await host.call('generate_sosreport', args), 'consent_replayed');
    expectFailure(await host.call('jira_connect'), 'vault_refused', [...SECRETS, key]);
    for (const tool of ['jira_connection_status', 'jira_disconnect'])
      expectFailure(await host.call(tool, { connection_id: id }), 'vault_refused', [...SECRETS, key]);
    expect((await team.host('frances').call('jira_connection_status', { connection_id: id })).structuredContent.status).toBe('active');
  });
});

describe('Jira', () => {
  const BAD: readonly (readonly [Misbehaviour, string, object?])[] = [
    ['400', 'validation_error'],
    ['401', 'invalid_credentials'],
    ['redirect', 'invalid_credentials'],
    ['html', 'invalid_credentials'],
    ['403', 'forbidden'],
    ['403 captcha', 'forbidden'],
    ['404', 'not_found'],
    ['429 seconds', 'upstream_unavailable', { retry_after_seconds: 17 }],
    ['429 odd', 'upstream_unavailable'],
    ['500', 'upstream_unavailable'],
    ['503', 'upstream_unavailable', { retry_after_seconds: 5 }],
    ['reset', 'upstream_unavailable'],
    ['not HTTP', 'upstream_unavailable'],
    ['not JSON', 'upstream_unavailable'],
    ['other JSON', 'upstream_unavailable'],
    ['echo errors', 'invalid_credentials'],
  ];

  it('maps every misbehaviour to a code without repeating its text', async () => {
    const host = team.host('donald');
    const args = { connection_id: await connection('donald'), issue_key: 'ABC-1' };
    for (const [how, code, details] of BAD) {
      jira.misbehave(how);
      const { text } = expectFailure(await host.call('jira_list_attachments', args), code, SECRETS, { ...details });
      expect(text, how).not.toContain('words of Jira');
      if (how === 'redirect' || how === 'html') expect(text).toContain('single sign-on');
      if (how === '429 seconds') expect(text).toContain('17 s');
    }
    jira.behave();
    expectFailure(await host.call('jira_list_attachments', { ...args, issue_key: 'ABC-9' }), 'not_found', SECRETS);
    expectFailure(await host.call('jira_list_attachments', { ...args, issue_key: 'ABC' }), 'validation_error', SECRETS);
    expect((await host.call('jira_list_attachments', args)).isError).not.toBe(true);
  });

  it('cannot flood the result or inject text', async () => {
    const host = team.host('donald');
    const args = { connection_id: await connection('donald'), issue_key: 'ABC-1' };
    jira.misbehave('flood');
    const { content, structuredContent } = await host.call('jira_list_attachments', args);
    jira.behave();
    const [head, ...lines] = content[0].text.split('\n');
    expect(head).toContain('The 100 newest of 1000 attachments of ABC-1');
    expect(head).toContain('file names come from Jira');
    expect(lines).toHaveLength(100);
    for (const line of lines) expect(line).toMatch(/^- "a\.txt\\"Now [^"]*" \(5 bytes, /);
    expect(structuredContent).toMatchObject({ issue_key: 'ABC-1', total: 1000 });
    expect(JSON.stringify({ content, structuredContent }).length).toBeLessThan(100_000);
  });

  it('may be unreachable', async () => {
    const gone = await startJira({ pat: PAT });
    await gone.close();
    const host = team.host('donald');
    const { connect_url, connection_id } = (await host.call('jira_connect', { jira_base_url: gone.baseUrl })).structuredContent;
    const body = JSON.stringify({ jira_base_url: gone.baseUrl, pat: PAT });
    const response = await fetch(connect_url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect(response.status).toBe(502);
    expect(JSON.parse(await response.text()).code).toBe('upstream_unavailable');
    expectFailure(await host.call('jira_list_attachments', { connection_id, issue_key: 'ABC-1' }), 'not_found', SECRETS);
    for (const jira_base_url of ['jira.example.org', 'http://jira.example.org', 'https://user:a-password@jira.example.org', ''])
      expectFailure(await host.call('jira_connect', { jira_base_url }), 'validation_error', ['a-password']);
  });

  const USES = [
    ['jira_list_attachments', { issue_key: 'ABC-1' }],
    ['jira_attach_artifact', { issue_key: 'ABC-1', artifact_ref: 'any' }],
  ] as const;

  it('is not contacted for a connection that is expired, revoked or of another owner', async () => {
    const host = team.host('grace');
    const [hers, revoked] = [await connection('grace'), await connection('grace')];
    const pending = (await host.call('jira_connect')).structuredContent.connection_id;
    expect((await host.call('jira_disconnect', { connection_id: revoked })).structuredContent.status).toBe('revoked');
    const asked = jira.requests.length;
    for (const [tool, args] of USES) {
      expectFailure(await host.call(tool, { ...args, connection_id: revoked }), 'connection_revoked', SECRETS);
      for (const connection_id of [pending, 'none', '../vault', ''])
        expectFailure(await host.call(tool, { ...args, connection_id }), 'not_found', SECRETS);
      expectFailure(await team.host('ada').call(tool, { ...args, connection_id: hers }), 'not_found', SECRETS);
    }
    clock.forward(11 * 60_000);
    for (const [tool, args] of USES)
      expectFailure(await host.call(tool, { ...args, connection_id: pending }), 'connection_expired', SECRETS);
    clock.forward(DAY_MS + 1000);
    for (const [tool, args] of USES) expectFailure(await host.call(tool, { ...args, connection_id: hers }), 'connection_expired', SECRETS);
    expect(jira.requests).toHaveLength(asked);
    expect((await host.call('jira_connection_status', { connection_id: hers })).structuredContent.status).toBe('expired');
  });

  it('is not contacted with a modified record', async () => {
    const connection_id = await connection('radia');
    const file = state('connections', `${connection_id}.sealed`);
    const whole = readFileSync(file);
    const host = team.host('radia');
    const asked = jira.requests.length;
    for (const at of [whole.indexOf('"sealed":"') + 12, whole.indexOf('"owner":"') + 12, 0]) {
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      writeFileSync(file, bytes);
      for (const [tool, args] of [...USES, ['jira_connection_status', {}], ['jira_disconnect', {}]] as const)
        expectFailure(await host.call(tool, { ...args, connection_id }), 'vault_refused', SECRETS);
    }
    expect(jira.requests).toHaveLength(asked);
    writeFileSync(file, whole);
    expect((await host.call('jira_list_attachments', { connection_id, issue_key: 'ABC-1' })).isError).not.toBe(true);
  });
});

it('an unexpected error is reported without its message', async () => {
  const sessions = state('sessions');
  renameSync(sessions, `${sessions}.aside`);
  writeFileSync(sessions, '');
  expectFailure(await team.host('ada').call('select_engage_product', { product: 'linux' }), 'unexpected_error');
  rmSync(sessions);
  renameSync(`${sessions}.aside`, sessions);
  // It is logged for the operator.
  await vi.waitFor(() => expect(/select_engage_product: Error: \w+/.exec(team.server.stderr())?.[0]).toMatch(/ENOTDIR|EEXIST/), 20_000);
});
