/** The MCP surface of the pack, in both protocol revisions, over stdio and HTTP. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Json, RawClient } from '../../footbridge/tests/support/client.js';
import { createWorld } from '../../footbridge/tests/support/folders.js';
import { post } from '../../footbridge/tests/support/http-server.js';
import { runProgram } from '../../footbridge/tests/support/program.js';
import { useSources } from '../../footbridge/tests/support/start.js';
import { bearer } from '../../footbridge/tests/support/tokens.js';
import { type Host, type HttpTeam, pack, startStdio, startTeam } from './support/program.js';

useSources();

const APP = 'ui://engage-red-hat-support/app.html';
const SKILL = 'skill://engage-red-hat-support/SKILL.md';
const META = { ui: { resourceUri: APP }, 'openai/outputTemplate': APP, 'openai/widgetAccessible': true };
const VERSIONS = ['2025-11-25', '2026-07-28'] as const;
const KEPT = join(import.meta.dirname, '..', 'surface.json');
const NOTES = join(import.meta.dirname, '..', '..', 'footbridge', 'tests', 'fixtures', 'notes-v2.mjs');

const text = { type: 'string' };
const plugins = { type: 'array', items: { type: 'string', pattern: '^[A-Za-z0-9_-]+$' }, maxItems: 100 };

interface Row {
  readonly required?: Readonly<Record<string, object>>;
  readonly optional?: Readonly<Record<string, object>>;
  readonly writes?: true;
  readonly destructive?: true;
}

/** The contract. */
const ROWS: Readonly<Record<string, Row>> = {
  list_skills: { optional: { query: { ...text, maxLength: 500 }, cursor: text } },
  get_skill: { required: { uri: text }, optional: { offset: { type: 'integer' }, limit: { type: 'integer' }, version: text } },
  start_engage_red_hat_support: {},
  select_engage_product: { required: { product: { ...text, const: 'linux' } }, writes: true },
  mint_engage_consent_token: { optional: { permission_granted: { type: 'boolean' }, workflow_session_id: text }, writes: true },
  generate_sosreport: {
    optional: {
      consent_token: text,
      workflow_session_id: text,
      only_plugins: plugins,
      enable_plugins: plugins,
      disable_plugins: plugins,
      log_size: { ...text, pattern: '^\\d+[kKmMgG]?$' },
      redaction: { type: 'boolean' },
    },
    writes: true,
  },
  get_generate_sosreport_status: { required: { job_id: text } },
  fetch_sosreport: { required: { fetch_reference: text } },
  jira_connect: { optional: { jira_base_url: text }, writes: true },
  jira_connection_status: { required: { connection_id: text } },
  jira_list_attachments: { required: { connection_id: text, issue_key: text } },
  jira_attach_artifact: { required: { connection_id: text, issue_key: text, artifact_ref: text }, writes: true },
  jira_disconnect: { required: { connection_id: text }, writes: true, destructive: true },
};
const PAGES = ['app', 'steps/select-product', 'steps/sos-report', 'steps/jira-attach'].map(
  (name) => `ui://engage-red-hat-support/${name}.html`,
);

/** Every page of a list. */
async function listed(host: Host, what: 'tools' | 'resources' | 'resources/templates'): Promise<Json[]> {
  const { result } = await host.request(`${what}/list`);
  expect(result.nextCursor).toBeUndefined();
  return result[what === 'resources/templates' ? 'resourceTemplates' : what];
}

async function toolNamed(host: Host, name: string): Promise<Json> {
  return (await listed(host, 'tools')).find((tool) => tool.name === name);
}

/** The schema without its description. */
function withoutDescription({ description, ...schema }: Json): Json {
  expect(description).toMatch(/\S/);
  return schema;
}

function expectRows(tools: readonly Json[]): void {
  for (const [name, { required = {}, optional = {}, writes = false, destructive = false }] of Object.entries(ROWS)) {
    const found = tools.filter((tool) => tool.name === name);
    expect(found, name).toHaveLength(1);
    const [{ _meta, annotations, description, inputSchema, title }] = found;
    const { properties, required: needed = [], ...rest } = inputSchema;
    expect(Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, withoutDescription(schema)])), name).toEqual({
      ...required,
      ...optional,
    });
    expect(needed.toSorted(), name).toEqual(Object.keys(required).toSorted());
    expect(rest, name).toMatchObject({ type: 'object', additionalProperties: false });
    expect(annotations, name).toMatchObject({ readOnlyHint: !writes, destructiveHint: destructive, openWorldHint: false });
    expect(_meta, name).toMatchObject(META);
    expect(title, name).toMatch(/\S/);
    expect(description, name).toMatch(/\S/);
  }
}

describe('the pack alone', () => {
  const hosts = new Map<string, Host>();
  const ends: (() => void | Promise<void>)[] = [];
  const on = (way: string): Host => hosts.get(way) ?? expect.fail(way);
  let team: HttpTeam;

  beforeAll(async () => {
    const atEnd = (end: () => void | Promise<void>) => void ends.unshift(end);
    for (const version of VERSIONS) hosts.set(version, await startStdio(createWorld(atEnd), { version, atEnd }));
    team = await startTeam(createWorld(atEnd), ['ada'], { atEnd });
    hosts.set('HTTP', team.host('ada'));
  });

  afterAll(async () => {
    for (const end of ends) await end();
  });

  it.each([...VERSIONS, 'HTTP'])('lists the tools of the contract: %s', async (way) => {
    const tools = await listed(on(way), 'tools');
    expectRows(tools);
    const own = ['get_resource', 'get_resources', 'skill'];
    expect(tools.map(({ name }) => name).toSorted()).toEqual([...Object.keys(ROWS), ...own].toSorted());
  });

  it("jira_connection_status requires connection_id, and lists the caller's own connections without it", async () => {
    const host = on('2025-11-25');
    const { inputSchema } = await toolNamed(host, 'jira_connection_status');
    expect(inputSchema.required).toEqual(['connection_id']);
    const none = await host.call('jira_connection_status');
    expect(none).toMatchObject({ isError: true, structuredContent: { code: 'validation_error', connections: [] } });
    expect(none.content[0].text).toBe('connection_id is missing. You have no connections to Jira. Call jira_connect to create one.');
    const { connection_id } = (await host.call('jira_connect', { jira_base_url: 'https://jira.example.com' })).structuredContent;
    for (const input of [{}, { connection_id: null }]) {
      const refused = await host.call('jira_connection_status', input);
      expect(refused).toMatchObject({
        isError: true,
        structuredContent: { code: 'validation_error', connections: [{ connection_id, status: 'pending' }] },
      });
      expect(refused.content[0].text).toContain(`- ${connection_id}: `);
    }
    expect((await host.call('jira_connection_status', { connection_id })).structuredContent.status).toBe('pending');
    const other = await host.call('jira_connection_status', { connection_id: 5 });
    expect(other.structuredContent).toMatchObject({ code: 'validation_error', message: expect.stringContaining('connection_id') });
    expect(other.structuredContent.connections).toBeUndefined();
    await host.call('jira_disconnect', { connection_id });
  });

  it('is the same in both revisions, over stdio and over HTTP', async () => {
    for (const what of ['tools', 'resources', 'resources/templates'] as const) {
      const first = await listed(on('2025-11-25'), what);
      for (const way of ['2026-07-28', 'HTTP']) expect(await listed(on(way), what), way).toEqual(first);
      const legacy = await post(
        team.server.endpoint,
        { jsonrpc: '2.0', id: 1, method: `${what}/list`, params: {} },
        { 'mcp-protocol-version': '2025-11-25', ...bearer('ada') },
      );
      expect(Object.values(legacy.message.result)).toContainEqual(first);
    }
  });

  it('lists the skill and four pages, and a job only as a template', async () => {
    const resources = await listed(on('2025-11-25'), 'resources');
    const templates = await listed(on('2025-11-25'), 'resources/templates');
    expect(Object.fromEntries(resources.map(({ uri, mimeType }) => [uri, mimeType]))).toEqual({
      [SKILL]: 'text/markdown',
      ...Object.fromEntries(PAGES.map((uri) => [uri, 'text/html;profile=mcp-app'])),
    });
    expect(resources).toHaveLength(PAGES.length + 1);
    expect(templates.map(({ uriTemplate, mimeType }) => ({ uriTemplate, mimeType }))).toEqual([
      { uriTemplate: 'skill://{+path}', mimeType: undefined },
      { uriTemplate: 'resource://engage/sosreport/jobs/{job_id}', mimeType: 'application/json' },
    ]);
  });

  it.each([...VERSIONS, 'HTTP'])('returns the same content from resources/read and the tools: %s', async (way) => {
    const host = on(way);
    const file = readFileSync(join(import.meta.dirname, '..', 'skills', 'engage-red-hat-support', 'SKILL.md'), 'utf8');
    expect(file).toMatch(/^---\nname: engage-red-hat-support\n.*title: "Engage Red Hat Support".*\n---\n/s);
    for (const uri of [SKILL, ...PAGES]) {
      const { result } = await host.request('resources/read', { uri });
      const mimeType = uri === SKILL ? 'text/markdown' : 'text/html;profile=mcp-app';
      expect(result.contents).toEqual([{ uri, mimeType, text: expect.stringMatching(uri === SKILL ? /^---\n/ : /^<!doctype html>/i) }]);
      const [{ text: content }] = result.contents;
      const { structuredContent } = await host.call('get_resource', { uri });
      expect(structuredContent).toMatchObject({ success: true, uri, mime_type: mimeType, data: { text: content } });
      if (uri === SKILL) expect(content).toBe(file);
    }

    const { skills } = (await host.call('list_skills')).structuredContent;
    expect(skills).toEqual([expect.objectContaining({ name: 'engage-red-hat-support', uri: SKILL, origin: '@footbridge/engage' })]);
    const got = await host.call('get_skill', { uri: ` ${SKILL} ` });
    expect(got.structuredContent).toEqual({ uri: SKILL, mimeType: 'text/markdown', text: file });
    expect(got.content[0].text).toContain(file);
    expect((await host.call('skill', { name: 'engage-red-hat-support' })).content[0].text).toContain(file);
    expect((await host.request('resources/read', { uri: 'resource://engage/sosreport/jobs/none' })).error).toBeDefined();
  });
});

describe('list_skills and get_skill have the _meta of the pack', () => {
  async function expectMeta(host: Host): Promise<void> {
    for (const name of ['list_skills', 'get_skill']) expect((await toolNamed(host, name))?._meta, name).toMatchObject(META);
  }

  it('with a skills folder, which cannot shadow the skill of the pack', async () => {
    const world = createWorld();
    world.skill('project/.claude/skills/git');
    world.skill('outside/more/engage-red-hat-support', { description: 'An impostor' });
    const host = await startStdio(world, { args: ['--skills', world.path('outside/more')] });
    await expectMeta(host);
    const { skills } = (await host.call('list_skills')).structuredContent;
    expect(skills.map(({ name }: Json) => name).toSorted()).toEqual(['engage-red-hat-support', 'git']);
    expect((await host.call('get_skill', { uri: SKILL })).content[0].text).not.toContain('impostor');
  });

  it('with a wrapped server', async () => {
    const host = await startStdio(createWorld(), { args: ['wrap', '--', process.execPath, NOTES, 'both'] });
    expectRows(await listed(host, 'tools'));
    expect((await host.call('get_skill', { uri: SKILL })).structuredContent.uri).toBe(SKILL);
  });

  it('with several upstream servers', async () => {
    const world = createWorld();
    const server = { command: process.execPath, args: [NOTES, 'both'] };
    world.write('project/footbridge.json', JSON.stringify({ standardFolders: false, mcpServers: { one: server, two: server } }));
    const host = await startStdio(world);
    // An upstream that starts slowly is missing from the first list.
    const tools = await vi.waitFor(async () => {
      const all = await listed(host, 'tools');
      for (const prefix of ['one__', 'two__']) expect(all.some(({ name }) => name.startsWith(prefix))).toBe(true);
      return all;
    }, 20_000);
    expectRows(tools);
  });

  it('but not without the pack', async () => {
    const world = createWorld();
    world.skill('project/.claude/skills/git');
    const client = await RawClient.start({ workingFolder: world.project, home: world.home });
    onTestFinished(async () => void (await client.close()));
    const { tools } = (await client.request('tools/list')).result;
    const named = tools.filter(({ name }: Json) => ['list_skills', 'get_skill'].includes(name));
    expect(named).toHaveLength(2);
    for (const tool of named) expect(tool._meta).not.toHaveProperty('ui');
    expect(JSON.stringify(tools)).not.toContain('engage');
  });
});

describe('surface.json', () => {
  it('matches the served surface (update it with `surface --json`)', async () => {
    const world = createWorld();
    world.write('project/footbridge.json', '{ "standardFolders": false }');
    expect(await runProgram(world, 'surface', ...pack(), '--against', KEPT, '--exact')).toMatchObject({ code: 0, stderr: '' });
  });

  it('contains the contract, and nothing specific to a machine or time', () => {
    const kept = readFileSync(KEPT, 'utf8');
    expectRows(JSON.parse(kept).tools);
    expect(kept).not.toMatch(/\/(?:tmp|home|root|work|usr)\b|file:|localhost|127\.0\.0\.1|\d{4}-\d\d-\d\dT\d\d:\d\d/);
  });
});
