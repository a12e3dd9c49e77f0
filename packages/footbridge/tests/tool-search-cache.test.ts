/** What the search over tools keeps: between starts, and when the list of one server changes. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Catalog } from 'footbridge';
import { expect, it, onTestFinished } from 'vitest';
import { SearchCache } from '../src/catalog/search/cache.js';
import { prepareToolSearch, searchTools } from '../src/catalog/search/tool-search.js';
import type { UpstreamTool } from '../src/sources/source.js';
import { contributionOf, FakeUpstream, sourceOf } from './support/fake-upstream.js';
import { createWorld, type World } from './support/folders.js';
import { until } from './support/http-server.js';

const SERVERS = 20;
const TOOLS = 10;

/** Servers whose definitions, like cached ones, are parsed when they are used; `parsed` counts how often, `compared` how many were looked for in the index. */
function servers(about: (server: number) => string = () => 'invoices') {
  const counts = { compared: 0, parsed: 0 };
  const all = Array.from({ length: SERVERS }, (_, at) => new FakeUpstream(`s${at}`));
  const contribution = () => ({
    ...contributionOf(all),
    tools: all.flatMap((upstream, server) => Array.from({ length: TOOLS }, (_, at) => toolOf(upstream, server, at))),
  });
  const toolOf = (upstream: FakeUpstream, server: number, at: number): UpstreamTool => {
    const name = `${upstream.name}__tool_${at}`;
    const description = `Knows marker${server}x${at}, for ${about(server)}`;
    return {
      upstream,
      original: (shown) => shown.slice(upstream.name.length + 2),
      name,
      get definitionKey() {
        counts.compared++;
        return description.length * 1000 + server * TOOLS + at;
      },
      get entry() {
        counts.parsed++;
        return { name, description, inputSchema: { type: 'object' as const } };
      },
    };
  };
  return { contribution, counts };
}

async function open(world: World, given: ReturnType<typeof servers>) {
  const searchCache = new SearchCache(world.path('cache'), 'here');
  const { source, replace } = sourceOf(given.contribution());
  const catalog = await Catalog.open([source], { searchCache });
  onTestFinished(() => catalog.close());
  return { catalog, replace, close: () => searchCache.close() };
}

/** The names that are found once all tools are indexed. */
async function found(catalog: Catalog, query: string): Promise<readonly (string | undefined)[]> {
  const { isComplete, tools } = await searchTools(catalog, query);
  return isComplete ? tools.map((tool) => ('name' in tool ? tool.name : undefined)) : found(catalog, query);
}

/** Bytes of all files in a folder. */
function sizeOf(folder: string): number {
  return existsSync(folder) ? readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) : 0;
}

it('parses no definition that the last run has indexed', async () => {
  const world = createWorld();
  const first = await open(world, servers());
  expect(await found(first.catalog, 'marker7x3')).toEqual(['s7__tool_3']);
  first.close();
  // What was saved before the end may still be written.
  let size = 0;
  await until(() => {
    const before = size;
    size = sizeOf(world.path('cache'));
    return size > 0 && size === before;
  });
  const [file = ''] = readdirSync(world.path('cache'));
  expect(file).toMatch(/^search-/);

  const given = servers();
  const again = await open(world, given);
  await prepareToolSearch(again.catalog);
  await until(() => given.counts.compared === SERVERS * TOOLS);
  expect(await found(again.catalog, 'marker7x3')).toEqual(['s7__tool_3']);
  expect(await found(again.catalog, 'tool_4')).toContain('s9__tool_4');
  expect(given.counts).toEqual({ compared: SERVERS * TOOLS, parsed: 0 });

  world.write(`cache/${file}`, 'not what was written, but as long as a few numbers');
  expect(await found((await open(world, servers())).catalog, 'marker7x3')).toEqual(['s7__tool_3']);
});

it('indexes only the tools of the server whose list changed', async () => {
  const world = createWorld();
  let about = 'invoices';
  const given = servers((server) => (server === 5 ? about : 'invoices'));
  const { catalog, replace } = await open(world, given);
  expect(await found(catalog, 'backups')).toEqual([]);
  about = 'the backups of last night';
  given.counts.parsed = 0;
  // This has other objects for the tools that are the same.
  replace(given.contribution());
  await prepareToolSearch(catalog);
  await until(() => given.counts.compared === 2 * SERVERS * TOOLS);
  expect(given.counts.parsed).toBe(TOOLS);
  expect((await found(catalog, 'backups')).toSorted()).toEqual(Array.from({ length: TOOLS }, (_, at) => `s5__tool_${at}`));
  expect(await found(catalog, 'marker7x3')).toEqual(['s7__tool_3']);
});

it('forgets tools that are gone', async () => {
  const world = createWorld();
  const given = servers();
  const { catalog, replace } = await open(world, given);
  expect(await found(catalog, 'marker7x3')).toEqual(['s7__tool_3']);
  replace(contributionOf([new FakeUpstream('s7')]));
  expect(await found(catalog, 'marker7x3')).toEqual([]);
});
