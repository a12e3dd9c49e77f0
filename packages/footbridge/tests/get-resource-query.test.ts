/** Discovery by words: `get_resource({ query })`. */
import { Catalog, createServer, defineResource, defineResources, skillFolders } from 'footbridge';
import { expect, it, onTestFinished } from 'vitest';
import { CallerViews } from '../src/serve/caller-views.js';
import { serverWith } from '../src/serve/server.js';
import type { Json } from './support/client.js';
import { contributionOf, FakeUpstream, sourceOf } from './support/fake-upstream.js';
import { createWorld } from './support/folders.js';
import { until } from './support/http-server.js';
import { connect } from './support/memory.js';

const resource = (uri: string, description: string, more: Json = {}) =>
  defineResource({ uri, name: uri, description, read: () => 'text', ...more });
const OTHERS = Array.from({ length: 300 }, (_, at) => resource(`other://${at}`, `Number ${at} of the shelf`));
const RESOURCES = [
  resource('sales://q3', 'Quarterly revenue of all regions', { category: 'sales' }),
  resource('sales://{region}', 'Revenue of one region', { category: 'sales', variables: { region: { examples: ['north'] } } }),
  resource('staff://salaries', 'Revenue per head', { category: 'staff', requiresAdmin: true }),
];

async function open(...sources: Parameters<typeof Catalog.open>[0]) {
  const catalog = await Catalog.open(sources);
  onTestFinished(() => catalog.close());
  await catalog.settled();
  return connect(createServer({ catalog }));
}

const urisOf = (data: Json) => Object.values<Json[]>(data).flatMap((entries) => entries.map(({ uri }) => uri));

it('returns the best matches of a query, by category, in the form of discovery', async () => {
  const { call } = await open(defineResources([...OTHERS, ...RESOURCES]));
  const { content, structuredContent } = await call('get_resource', { query: 'quarterly revenue' });
  expect(structuredContent).toMatchObject({ success: true, uri: '', resource_name: 'Available Resources' });
  expect(structuredContent.data.sales[0]).toMatchObject({
    uri: 'sales://q3',
    is_template: false,
    category: 'sales',
    requires_admin: false,
  });
  expect(structuredContent.data.sales[1]).toMatchObject({ uri: 'sales://{region}', template_variables: ['region'] });
  expect(structuredContent.data.staff[0]).toMatchObject({ uri: 'staff://salaries', requires_admin: true });
  expect(structuredContent.data.other).toBeUndefined();
  expect(content[0].text).toMatch(/^3 resources for 'quarterly revenue', the best first in each category\. Read one/);
});

it('returns further matches with the same query and the cursor', async () => {
  const { call } = await open(defineResources(OTHERS));
  // Without the index, fewer are found.
  await until(async () => (await call('get_resource', { query: 'shelf' })).content[0].text.startsWith('200 resources'));
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const { content, structuredContent } = await call('get_resource', { query: 'shelf', cursor });
    for (const uri of urisOf(structuredContent.data)) seen.add(uri);
    cursor = structuredContent.next_cursor;
    if (cursor !== undefined) expect(content[0].text).toContain('More: get_resource with the same query and cursor');
  } while (cursor !== undefined);
  expect(seen.size).toBe(200);
  const all = await call('get_resource', { query: ' ' });
  expect(all.content[0].text).toMatch(/^300 resources\. Read one/);
});

it('says what to try if nothing matches', async () => {
  const { call } = await open(defineResources(RESOURCES));
  const { content, structuredContent } = await call('get_resource', { query: 'zzz' });
  expect(content[0].text).toBe(
    "0 resources for 'zzz', the best first in each category. Read one with get_resource({ uri }).\nTry other words, or get_resource() without a query.",
  );
  expect(structuredContent).toMatchObject({ success: true, data: {} });
});

it('finds skills, each once', async () => {
  const world = createWorld();
  world.skill('project/skills/forms', { description: 'Fills in tax forms' });
  const { call } = await open(skillFolders({ folders: [world.path('project/skills')] }), defineResources(RESOURCES));
  const { structuredContent } = await call('get_resource', { query: 'tax forms' });
  expect(urisOf(structuredContent.data)).toEqual(['skill://forms/SKILL.md']);
});

it('finds only what the caller may see', async () => {
  const server = new FakeUpstream('one', { resources: ['docs://revenue/2026', 'secret://revenue/2026'] });
  const views = await CallerViews.open([sourceOf(contributionOf([server])).source], {
    roles: { reader: { resources: ['docs://**'], tools: ['*'] } },
  });
  onTestFinished(() => views.close());
  const { catalog, hosts, tools } = await views.of({ id: 'x', name: 'x', roles: ['reader'], admin: false });
  const client = await connect(serverWith({ catalog, hosts, tools }));
  const { structuredContent } = await client.call('get_resource', { query: 'revenue' });
  expect(urisOf(structuredContent.data)).toEqual(['docs://revenue/2026']);
});
