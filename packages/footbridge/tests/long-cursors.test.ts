/** Cursors of any length: one that we never issued is invalid, and that of a long URI is not. */
import { defineResource, defineResources, skillFolders } from 'footbridge';
import { expect, it, onTestFinished } from 'vitest';
import { Catalog } from '../src/catalog/catalog.js';
import { createServer } from '../src/serve/server.js';
import { createWorld } from './support/folders.js';
import { connect } from './support/memory.js';

/** Base64 that decodes to a position and a key, as a cursor of ours does. */
const LONG = Buffer.from(JSON.stringify([1, 'x'.repeat(4_000_000)])).toString('base64url');

async function client(uris: readonly string[]) {
  const world = createWorld();
  world.skill('project/skills/one');
  const skills = skillFolders({ folders: [`${world.project}/skills`], standardFolders: false, watch: false });
  const resources = uris.map((uri, index) => defineResource({ uri, name: `r${index}`, read: () => 'text' }));
  const catalog = await Catalog.open([skills, defineResources(resources)]);
  onTestFinished(() => catalog.close());
  return connect(createServer({ catalog }));
}

it.each(['resources/list', 'resources/templates/list', 'skills/list', 'resources/directory/read'])(
  'a cursor of megabytes is invalid, and not repeated: %s',
  async (method) => {
    const { request } = await client(['note://one', 'note://two']);
    const { error } = await request(method, { uri: 'skill://one', cursor: LONG });
    expect(error.code).toBe(-32602);
    expect(error.message).toMatch(/Invalid cursor/);
    expect(JSON.stringify(error).length).toBeLessThan(500);
  },
);

it.each(['list_skills', 'get_resource'])('a cursor of megabytes is invalid, and not repeated: %s', async (tool) => {
  const { call } = await client(['note://one', 'note://two']);
  const result = await call(tool, { cursor: LONG });
  expect(result.isError).toBe(true);
  expect(JSON.stringify(result)).toMatch(/Invalid cursor/);
  expect(JSON.stringify(result).length).toBeLessThan(2000);
});

it('lists whose URIs are long are listed completely', async () => {
  const uris = Array.from({ length: 250 }, (_, index) => `note://${'"é\\'.repeat(3000)}${index}`);
  const { request } = await client(uris);
  const listed: string[] = [];
  let cursor: string | undefined;
  do {
    const { result } = await request('resources/list', cursor === undefined ? {} : { cursor });
    listed.push(...result.resources.map(({ uri }: { uri: string }) => uri));
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  expect(listed.filter((uri) => uri.startsWith('note:'))).toHaveLength(uris.length);
  expect(new Set(listed).size).toBe(listed.length);
});
