/** Successful results: the text is complete without the structured content. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { Json } from '../../footbridge/tests/support/client.js';
import { createWorld } from '../../footbridge/tests/support/folders.js';
import { useSources } from '../../footbridge/tests/support/start.js';
import { type JiraServer, startJira } from './support/jira-server.js';
import { FAST, type Host, startStdio, stateOf } from './support/program.js';
import { tracesOf } from './support/secrets.js';

useSources();

const PAT = 'a-personal-access-token-of-nobody';

/** Fields whose values the text must contain. */
const NEEDED =
  /(?:_id|_ref|_reference|_token|_ur[il]|_at|_bytes|_key|_name|_tool|^sha256|^path|^filename|^uri|^code|^product|^tool|^title)$/;

/** The required values, with their paths. */
function needed(value: Json, place = ''): readonly (readonly [place: string, value: string])[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => needed(each, `${place}[${index}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries<Json>(value).flatMap(([key, inner]) =>
    typeof inner === 'object' ? needed(inner, `${place}.${key}`) : NEEDED.test(key) ? [[`${place}.${key}`, String(inner)] as const] : [],
  );
}

/** Checks that the text is complete, except for `besides`. Returns the structured content. */
function standsAlone(result: Json, ...besides: readonly string[]): Json {
  expect(result.isError ?? false, JSON.stringify(result)).toBe(false);
  expect(result.content).toEqual([{ type: 'text', text: expect.stringMatching(/\S/) }]);
  const [{ text }] = result.content;
  for (const [place, value] of needed(result.structuredContent)) if (!besides.includes(place)) expect(text, place).toContain(value);
  expect(tracesOf(PAT, JSON.stringify(result))).toEqual([]);
  return result.structuredContent;
}

/** Hash and modification time of every file in a folder. */
function filesIn(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [file, `${createHash('sha256').update(readFileSync(file)).digest('hex')} ${statSync(file).mtimeMs}`];
    }),
  );
}

it('each text contains the structured content, and read-only tools change nothing', async () => {
  const world = createWorld();
  const jira: JiraServer = await startJira({ pat: PAT });
  const host: Host = await startStdio(world);
  const state = stateOf(world);
  const called = new Set<string>();
  const call = (tool: string, args: object = {}) => {
    called.add(tool);
    return host.call(tool, { ...args });
  };
  /** Calls a read-only tool twice. */
  const look = async (tool: string, args: object = {}) => {
    const before = filesIn(state);
    const asked = jira.requests.length;
    const first = await call(tool, args);
    expect(await call(tool, args)).toEqual(first);
    expect(filesIn(state), tool).toEqual(before);
    expect(jira.requests.slice(asked).every(({ method }) => method === 'GET')).toBe(true);
    return first;
  };

  standsAlone(await look('list_skills'));
  const uri = 'skill://engage-red-hat-support/SKILL.md';
  const skill = await look('get_skill', { uri });
  expect(standsAlone(skill)).toMatchObject({ uri });
  expect(skill.content[0].text).toContain(skill.structuredContent.text);
  standsAlone(await look('start_engage_red_hat_support'));

  const { workflow_session_id } = standsAlone(await call('select_engage_product', { product: 'linux' }));
  const { consent_token } = standsAlone(await call('mint_engage_consent_token', { permission_granted: true, workflow_session_id }));
  const generating = call('generate_sosreport', { consent_token, workflow_session_id, ...FAST });
  const starts = join(state, 'job-starts');
  const running = await vi.waitFor(() => readdirSync(starts).find((name) => name.endsWith('.json')) ?? expect.fail(), 20_000);
  const early = await call('get_generate_sosreport_status', { job_id: running.replace('.json', '') });
  expect(standsAlone(early).status).toBe('running');

  const generated = await generating;
  const { fetch_reference, job_id } = standsAlone(generated);
  expect(running).toBe(`${job_id}.json`);
  expect(await look('get_generate_sosreport_status', { job_id })).toEqual(generated);
  // Creates the private copy.
  const fetched = await call('fetch_sosreport', { fetch_reference });
  const { artifact_ref } = standsAlone(fetched);
  // The reader may be on another machine.
  expect(fetched.content[0].text).toContain(`on the machine ${hostname()}`);
  expect(await look('fetch_sosreport', { fetch_reference })).toEqual(fetched);

  expect((await look('jira_connection_status')).structuredContent.connections).toEqual([]);
  const { connect_url, connection_id } = standsAlone(await call('jira_connect', { jira_base_url: jira.baseUrl }));
  standsAlone(await look('jira_connection_status', { connection_id }));
  const body = JSON.stringify({ jira_base_url: jira.baseUrl, pat: PAT });
  const filledIn = await fetch(connect_url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  expect(filledIn.status).toBe(201);
  standsAlone(await look('jira_connection_status', { connection_id }));
  standsAlone(await call('jira_connect'));
  expect((await look('jira_connection_status')).structuredContent.connections).toHaveLength(2);

  const issue = { connection_id, issue_key: 'abc-1' };
  expect(standsAlone(await look('jira_list_attachments', issue)).attachments).toEqual([]);
  standsAlone(await call('jira_attach_artifact', { ...issue, artifact_ref }));
  expect(standsAlone(await look('jira_list_attachments', issue)).attachments).toHaveLength(1);
  // The times of a revoked connection are not shown.
  standsAlone(await call('jira_disconnect', { connection_id }), '.expires_at', '.last_verified_at');
  standsAlone(await look('jira_connection_status', { connection_id }), '.expires_at', '.last_verified_at');

  const { tools } = (await host.request('tools/list')).result;
  const ours = tools.filter(({ _meta }: Json) => _meta?.['openai/outputTemplate'] !== undefined).map(({ name }: Json) => name);
  expect([...called].toSorted()).toEqual(ours.toSorted());
  await jira.close();
});
