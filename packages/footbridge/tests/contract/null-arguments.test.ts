/** `null` for optional arguments. */
import { Catalog, createServer, defineResource, defineResources, skillFolders } from 'footbridge';
import { defineTool } from 'footbridge/pack';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { createWorld } from '../support/folders.js';
import { connect } from '../support/memory.js';

const DEFINITIONS = [
  defineResource({ uri: 'docs://about', name: 'about', read: () => 'About us' }),
  defineResource({ uri: 'docs://{page}{?lang}', name: 'page', read: ({ page, lang }) => `${page} in ${lang ?? 'any'}` }),
];

const Nested = z.strictObject({
  name: z.string(),
  note: z.string().optional(),
  count: z.coerce.number().default(3),
  either: z.string().nullable().optional(),
  options: z.strictObject({ depth: z.number().optional() }).optional(),
  steps: z.array(z.strictObject({ title: z.string(), note: z.string().optional() })).optional(),
});

async function serve() {
  const world = createWorld();
  world.skill('project/.agents/skills/pdf', { description: 'Fill in forms' });
  const echoes = defineTool({
    name: 'echoes',
    description: 'Returns its input.',
    input: Nested,
    call: async (input) => ({ content: [{ type: 'text', text: JSON.stringify(input) }] }),
  });
  const catalog = await Catalog.open([
    defineResources(DEFINITIONS, { tools: [echoes] }),
    skillFolders({ home: world.home, workingFolder: world.project, watch: false }),
  ]);
  onTestFinished(() => catalog.close());
  return connect(createServer({ catalog }));
}

describe('null means absent for every optional parameter', () => {
  it.each<[string, object, object]>([
    ['get_resource', { uri: null }, {}],
    ['get_resource', { uri: null, variables: null, cursor: null, offset: null, limit: null, version: null }, {}],
    ['get_resource', { uri: 'docs://about', variables: null, offset: null, limit: null }, { uri: 'docs://about' }],
    ['get_resource', { uri: 'docs://{page}{?lang}', variables: { page: 'a', lang: null } }, { uri: 'docs://a' }],
    ['get_resource', { uri: 'docs://about', variables: 'null' }, { uri: 'docs://about' }],
    ['list_skills', { query: null, cursor: null }, {}],
    ['list_skills', { query: 'forms', cursor: null }, { query: 'forms' }],
    ['skill', { name: 'pdf', offset: null, limit: null, version: null }, { name: 'pdf' }],
    ['get_skill', { uri: 'skill://pdf/SKILL.md', offset: null, limit: null }, { uri: 'skill://pdf/SKILL.md' }],
    ['echoes', { name: 'a', note: null, count: null, options: null, steps: null }, { name: 'a' }],
    ['echoes', { name: 'a', options: { depth: null } }, { name: 'a', options: {} }],
    ['echoes', { name: 'a', steps: [{ title: 't', note: null }] }, { name: 'a', steps: [{ title: 't' }] }],
  ])('%s(%j)', async (tool, withNulls, without) => {
    const client = await serve();
    const unstamped = (result: object) => JSON.parse(JSON.stringify(result).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, ''));
    const result = await client.call(tool, withNulls);
    expect(result.isError ?? false).toBe(false);
    expect(unstamped(result)).toEqual(unstamped(await client.call(tool, without)));
  });

  it('keeps null where a schema allows it', async () => {
    const client = await serve();
    expect(JSON.parse((await client.call('echoes', { name: 'a', either: null })).content[0].text)).toMatchObject({ either: null });
  });

  it.each([
    ['skill', { name: null }],
    ['get_skill', { uri: null }],
    ['get_resources', { uris: null }],
    ['echoes', { name: null }],
  ])('null for a required parameter of %s remains an error', async (tool, input) => {
    const client = await serve();
    const { isError, content } = await client.call(tool, input);
    expect(isError).toBe(true);
    expect(content[0].text).toMatch(/Invalid input: \w+:/);
  });

  it('no input schema advertises null', async () => {
    const client = await serve();
    const { tools } = (await client.request('tools/list')).result;
    const own = tools.filter(({ name }: { name: string }) => name !== 'echoes');
    expect(JSON.stringify(own)).not.toContain('"null"');
  });
});

describe('malformed arguments return valid_uris like other errors of that kind', () => {
  it.each<[string, object]>([
    ['get_resource', { uri: 7 }],
    ['get_resource', { uri: ['docs://about'] }],
    ['get_resource', { url: 'docs://about' }],
    ['get_resource', { cursor: 'nonsense' }],
    ['get_resource', { uri: 'docs://about', offset: -1 }],
    ['get_resources', { uris: 'docs://about' }],
    ['get_resources', {}],
  ])('%s(%j)', async (tool, input) => {
    const client = await serve();
    const { structuredContent, content, isError } = await client.call(tool, input);
    expect(isError).toBe(true);
    expect(structuredContent).toMatchObject({
      success: false,
      error: 'InvalidURI',
      valid_uris: expect.arrayContaining(['docs://about', 'docs://{page}{?lang}', 'skill://pdf/SKILL.md']),
    });
    expect(content[0].text).toContain('- docs://about');
  });
});
