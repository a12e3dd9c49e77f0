/** The 19 resources: listed as in resources.csv, with the same data from the tool and resources/read. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Json, type RawClient, VERSIONS } from '../../footbridge/tests/support/client.js';
import { postModern, startHttp } from '../../footbridge/tests/support/http-server.js';
import { expectParity, listAll } from '../../footbridge/tests/support/resources.js';
import { useSources } from '../../footbridge/tests/support/start.js';
import { bearer, tokensOf } from '../../footbridge/tests/support/tokens.js';
import { afterAllTests, PEOPLE, type Person, pack, startEnvironment, type TestEnvironment } from './support/environment.js';

useSources();

interface Listed {
  readonly uri: string;
  readonly category: string;
  readonly name: string;
  readonly is_template: string;
  readonly template_variables: string;
  readonly requires_admin: string;
  readonly mime_type: string;
}

const KEPT = parseCsv(readFileSync(join(import.meta.dirname, '..', 'resources.csv'), 'utf8'));

/** No field contains a comma or quotation mark. */
function parseCsv(text: string): readonly Listed[] {
  const [head = '', ...rows] = text.trimEnd().split('\n');
  const columns = head.split(',');
  return rows.map((row) => {
    const fields = Object.fromEntries(row.split(',').map((field, index) => [columns[index] ?? '', field]));
    const { uri = '', category = '', name = '', is_template = '', template_variables = '', requires_admin = '', mime_type = '' } = fields;
    return { uri, category, name, is_template, template_variables, requires_admin, mime_type };
  });
}

async function discovered(client: RawClient): Promise<Readonly<Record<string, readonly Json[]>>> {
  return (await client.call('get_resource')).structuredContent.data;
}

/** One URI of each resource, with template variables filled in. */
async function readableUris(client: RawClient): Promise<readonly string[]> {
  const created = await client.call('workflow_create', { name: 'Import genomes', steps: ['fetch', 'check'] });
  const values: Readonly<Record<string, string>> = { template: 'genomics', workflow_id: created.structuredContent.workflow.id };
  const all = Object.values(await discovered(client)).flat();
  return all.map(({ uri }) => uri.replace(/\{(\w+)\}/g, (_: string, name: string) => values[name] ?? ''));
}

const atEnd = afterAllTests();
let quilt: TestEnvironment;
const clients = new Map<string, Promise<RawClient>>();
/** One program per protocol version, shared by all tests. */
function clientFor(version: (typeof VERSIONS)[number]): Promise<RawClient> {
  const client = clients.get(version) ?? quilt.start({ version });
  clients.set(version, client);
  return client;
}
beforeAll(async () => {
  quilt = await startEnvironment({ atEnd });
});

describe('the list of resources', () => {
  it('has 19 entries, of which 17 are static', () => {
    expect(KEPT).toHaveLength(19);
    expect(KEPT.filter(({ is_template }) => is_template === 'false')).toHaveLength(17);
    expect(new Set(KEPT.map(({ uri }) => uri)).size).toBe(19);
  });

  it('is what get_resource() discovers, by category, with its flags', async () => {
    const found = await discovered(await clientFor('2025-11-25'));
    const shown = Object.entries(found).flatMap(([heading, list]) =>
      list.map((each) => ({
        uri: each.uri,
        category: heading,
        name: each.name,
        is_template: String(each.is_template),
        template_variables: each.template_variables.join(' '),
        requires_admin: String(each.requires_admin),
        mime_type: each.mime_type,
      })),
    );
    expect(shown).toEqual(KEPT);
    for (const each of Object.values(found).flat()) {
      expect(each.category).toBe(each.uri.slice(0, each.uri.indexOf(':')));
      expect(each.description).toMatch(/\.$/);
    }
  });

  it.each(VERSIONS)('is what resources/list and resources/templates/list have in %s', async (version) => {
    const client = await clientFor(version);
    const uris = (isTemplate: string) => KEPT.filter(({ is_template }) => is_template === isTemplate).map(({ uri }) => uri);
    const resources = await listAll(client, 'resources/list', 'resources');
    const templates = await listAll(client, 'resources/templates/list', 'resourceTemplates');
    expect(resources.map(({ uri }) => uri)).toEqual(uris('false'));
    expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual(uris('true'));
    for (const { mimeType, title } of [...resources, ...templates]) {
      expect(mimeType).toBe('application/json');
      expect(KEPT.map(({ name }) => name)).toContain(title);
    }
  });
});

/** The categories that each person is denied. */
const REFUSED: Readonly<Record<Person, readonly string[]>> = {
  administrator: [],
  'plain user': Array(4).fill('admin'),
  nobody: ['permissions', 'permissions', ...Array(4).fill('admin'), ...Array(3).fill('athena'), 'tabulator'],
};

describe('the same data by tool and by resource', () => {
  it.each(PEOPLE)('for all 19 resources, as %s', async (person) => {
    // Without a login there are no AWS keys either.
    const client =
      person === 'nobody'
        ? await (await startEnvironment({ person })).start({
            env: { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_SESSION_TOKEN: '' },
          })
        : await clientFor('2025-11-25');
    if (person !== 'nobody') await quilt.logIn(person);
    const uris = await readableUris(client);
    expect(uris).toHaveLength(19);
    for (const uri of uris) await expectParity(client, uri);
    const { results } = (await client.call('get_resources', { uris })).structuredContent;
    const refused = results.filter(({ success }: Json) => !success);
    expect(refused.map(({ error }: Json) => error)).toEqual(refused.map(() => 'Unauthorized'));
    expect(refused.map(({ uri }: Json) => uri.split('://')[0])).toEqual(REFUSED[person]);
  });

  it('for all 19 resources in 2026-07-28 and with get_resources', async () => {
    await quilt.logIn('administrator');
    const client = await clientFor('2026-07-28');
    const uris = await readableUris(client);
    for (const uri of uris) await expectParity(client, uri);
    const { results } = (await client.call('get_resources', { uris })).structuredContent;
    for (const [index, uri] of uris.entries()) {
      const { result } = await client.request('resources/read', { uri });
      expect(results[index], uri).toMatchObject({ success: true, uri, data: JSON.parse(result.contents[0].text) });
    }
  });

  it('for all 19 resources over HTTP, where admin resources require the role admin', async () => {
    const { world, env } = await startEnvironment();
    const [admin, plain] = tokensOf('ada', 'bob');
    const http = { tokens: [{ ...admin, roles: ['admin'] }, plain] };
    const server = await startHttp(world, { args: pack(), env, config: { standardFolders: false, http } });
    const ask = async (name: string, method: string, params: Readonly<Record<string, unknown>>) =>
      (await postModern(server.endpoint, method, params, { headers: bearer(name) })).message;
    const call = async (who: string, name: string, args: object) =>
      (await ask(who, 'tools/call', { name, arguments: args })).result.structuredContent;
    const made = { ada: '', bob: '' };
    for (const name of ['ada', 'bob'] as const) {
      made[name] = (await call(name, 'workflow_create', { name: `Of ${name}`, steps: ['one'] })).workflow.id;
      const { data } = (await ask(name, 'tools/call', { name: 'get_resource', arguments: {} })).result.structuredContent;
      const uris = Object.values<Json[]>(data).flatMap((list) => list.map(({ uri }) => uri));
      expect(uris).toHaveLength(19);
      for (const template of uris) {
        const uri = template.replace('{template}', 'ml').replace('{workflow_id}', made[name]);
        const tool = (await ask(name, 'tools/call', { name: 'get_resource', arguments: { uri } })).result;
        const resource = await ask(name, 'resources/read', { uri });
        expect(tool.isError ?? false, uri).toBe(resource.error !== undefined);
        if (tool.isError === true) expect(resource.error.message, uri).toContain(tool.structuredContent.message);
        else expect(tool.structuredContent.data, uri).toEqual(JSON.parse(resource.result.contents[0].text));
        const isRefused = tool.structuredContent.error === 'Unauthorized';
        expect(isRefused, uri).toBe(name === 'bob' && uri.startsWith('admin://'));
        expect(tool.isError ?? false, uri).toBe(isRefused);
      }
    }
    // Even an administrator does not see other people's workflows.
    const others = `workflow://workflows/${made.bob}/status`;
    expect(await call('ada', 'get_resource', { uri: others })).toMatchObject({ error: 'NotFound' });
    expect(await call('ada', 'workflow_update', { workflow_id: made.bob, step: 'one', status: 'completed' })).toMatchObject({
      error: 'NotFound',
    });
    const listed = (await call('ada', 'get_resource', { uri: 'workflow://workflows' })).data.workflows;
    expect(listed.map(({ id }: Json) => id)).toEqual([made.ada]);
  });
});
