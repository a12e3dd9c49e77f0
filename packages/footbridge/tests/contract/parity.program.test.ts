/** Tools and resources/read return the same content, for everything that a server lists. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type RawClient, VERSIONS } from '../support/client.js';
import { createWorld } from '../support/folders.js';
import { EVERYTHING, MEMORY, WITH_FOOTBRIDGE } from '../support/npm-servers.js';
import { expectParity, listAll } from '../support/resources.js';
import { serve } from '../support/server.js';
import { useSources } from '../support/start.js';

useSources();

const repository = join(import.meta.dirname, '..', '..', '..', '..');

/** Every URI that a server tells of: its list, and its templates with the values that it completes or that are given. */
async function everyUri(client: RawClient, values: Readonly<Record<string, readonly string[]>>): Promise<string[]> {
  const listed = (await listAll(client, 'resources/list', 'resources')).map(({ uri }) => uri);
  const templates = await listAll(client, 'resources/templates/list', 'resourceTemplates');
  const expanded = await Promise.all(
    templates.map(async ({ uriTemplate }) => {
      const [, name = ''] = /\{\+?(\w+)\}/.exec(uriTemplate) ?? [];
      const completion = await client.request('completion/complete', {
        ref: { type: 'ref/resource', uri: uriTemplate },
        argument: { name, value: '' },
      });
      const known = values[name] ?? completion.result?.completion.values ?? [];
      expect(known.length, `no value is known for ${uriTemplate}`).toBeGreaterThan(0);
      return known.map((value: string) => uriTemplate.replace(/\{.*?\}/, value));
    }),
  );
  return [...listed, ...expanded.flat()];
}

/** Compares every resource, one by one and all in one call; gives what was compared. */
async function compareAll(client: RawClient, values: Readonly<Record<string, readonly string[]>> = {}): Promise<string[]> {
  const uris = await everyUri(client, values);
  for (const uri of uris) await expectParity(client, uri);
  for (let from = 0; from < uris.length; from += 50) await compareBatch(client, uris.slice(from, from + 50));
  const discovered = await discover(client);
  for (const { uri } of await listAll(client, 'resources/list', 'resources')) expect(discovered).toContain(uri);
  for (const { uriTemplate } of await listAll(client, 'resources/templates/list', 'resourceTemplates'))
    expect(discovered).toContain(uriTemplate);
  return uris;
}

/** What get_resources gives of each is what get_resource gives of it alone. */
async function compareBatch(client: RawClient, uris: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const alone = [];
    for (const uri of uris) alone.push((await client.call('get_resource', { uri })).structuredContent);
    const { structuredContent } = await client.call('get_resources', { uris });
    // With an image among them there is no structure, alone or together.
    if (structuredContent === undefined) return expect(alone).toContain(undefined);
    const undated = (each: object) => ({ ...each, timestamp: '', uri: '', result_meta: '' });
    try {
      expect(structuredContent.results.map(undated)).toEqual(alone.map(undated));
      return;
    } catch (error) {
      // Some change with the clock.
      if (attempt === 5) throw error;
    }
  }
}

/** All that get_resource without arguments shows, page by page. */
async function discover(client: RawClient): Promise<string[]> {
  const uris: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const { structuredContent } = await client.call('get_resource', cursor === undefined ? {} : { cursor });
    uris.push(...Object.values<{ uri: string }[]>(structuredContent.data).flatMap((group) => group.map(({ uri }) => uri)));
    cursor = structuredContent.next_cursor;
    if (cursor === undefined) return uris;
  }
}

describe.each(VERSIONS)('get_resource and resources/read return the same, protocol %s', (version) => {
  it('for every file of our own examples', async () => {
    const world = { ...createWorld(), project: repository };
    const client = await serve(world, { version, args: ['--skills', 'examples/skills'] });
    const uris = await compareAll(client);
    expect(uris.length).toBeGreaterThan(8);
    // The template leads to every file, not only to those in the list.
    const { result } = await client.request('completion/complete', {
      ref: { type: 'ref/resource', uri: 'skill://{+path}' },
      argument: { name: 'path', value: 'csv-cleanup/assets/' },
    });
    expect(result.completion.values.length).toBeGreaterThan(0);
    for (const path of result.completion.values) await expectParity(client, `skill://${path}`);
  });

  it.each(['author-v2', 'defined'])('for every resource of the example %s', async (name) => {
    const client = await serve(createWorld(), {
      version,
      script: join(repository, 'examples', 'servers', `${name}.mjs`),
      args: ['--admin'],
    });
    expect((await compareAll(client)).length).toBeGreaterThan(3);
  });
});

describe('get_resource and resources/read return the same with servers on SDK v1', () => {
  it('for every resource of the example author-v1', async () => {
    const client = await serve(createWorld(), { script: join(repository, 'examples', 'servers', 'author-v1.mjs') });
    expect((await compareAll(client, { name: ['today', 'tomorrow'] })).length).toBeGreaterThan(3);
  });

  it('for every resource of server-everything: text, blob and template', async () => {
    const client = await serve(createWorld(), { script: WITH_FOOTBRIDGE, args: ['{}', EVERYTHING, 'stdio'] });
    const uris = await compareAll(client, { resourceId: ['1', '2', '17'] });
    expect(uris.length).toBeGreaterThan(8);
    expect(uris.some((uri) => uri.includes('/blob/')) && uris.some((uri) => uri.includes('/text/'))).toBe(true);
  });

  it('for every resource of server-memory', async () => {
    const world = createWorld();
    const client = await serve(world, {
      script: WITH_FOOTBRIDGE,
      args: ['{}', MEMORY],
      env: { MEMORY_FILE_PATH: world.path('project/memory.jsonl') },
    });
    await client.call('create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['writes programs'] }] });
    expect((await compareAll(client)).length).toBeGreaterThan(0);
  });
});
