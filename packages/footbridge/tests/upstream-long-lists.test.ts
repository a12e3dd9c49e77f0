/** Lists that are too long to be written to the cache, or read from it, in one turn. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Resource } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import type { UpstreamListing } from '../src/sources/upstream/listing.js';
import { ServerMemory } from '../src/sources/upstream/memory.js';
import { MemoryPacks } from '../src/sources/upstream/memory-pack.js';
import { createWorld, type World } from './support/folders.js';

const VARIANT = 'modern';
const SERVERS = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`s${at}`, { command: 'node', args: [`${at}.mjs`] }]));

function open(world: World) {
  const folder = world.path('home/cache');
  const packs = MemoryPacks.of(folder, SERVERS, false);
  return {
    memories: Object.entries(SERVERS).flatMap(([name, server]) => ServerMemory.of(folder, name, server, false, packs) ?? []),
    close: () => packs?.close(),
  };
}

/** With entries that are long themselves, and texts beyond ASCII. */
function listing(count: number, more: Partial<UpstreamListing> = {}): UpstreamListing {
  const handshake = { serverInfo: { name: 'x' }, capabilities: { resources: {} }, instructions: undefined, result: {} };
  const resources = Array.from({ length: count }, (_, at): Resource => {
    const text = at % 1000 === 999 ? '"größer"\n'.repeat(20_000) : 'größer';
    return { uri: `docs://item/${at}`, name: `item ${at}`, description: text };
  });
  return { tools: [], prompts: [], resources, templates: [], skills: [], notices: [], handshake, era: 'modern', ...more };
}

const filesIn = (world: World) => readdirSync(world.path('home/cache'));

it('are cached like others', async () => {
  const world = createWorld();
  const prompts = Array.from({ length: 2000 }, (_, at) => ({ name: `prompt-${at}` }));
  const long = listing(5000, { prompts });
  const [memory] = open(world).memories;
  await memory?.save(VARIANT, long);
  const [again] = open(world).memories;
  expect(await again?.load(VARIANT)).toEqual(long);
  expect(await again?.check(VARIANT)).toEqual({ isFresh: true });
  expect(filesIn(world)).toHaveLength(1);
});

it('are taken from another process that has stored others since', async () => {
  const world = createWorld();
  const [memory] = open(world).memories;
  await memory?.save(VARIANT, listing(2000));
  const [again] = open(world).memories;
  await again?.load(VARIANT);
  await memory?.save(VARIANT, listing(3000));
  expect(await again?.check(VARIANT)).toMatchObject({ isFresh: true, newer: { resources: { length: 3000 } } });
});

it('are not read where the file was modified', async () => {
  const world = createWorld();
  const [memory, other] = open(world).memories;
  await memory?.save(VARIANT, listing(5000));
  const [file = ''] = filesIn(world);
  const path = world.path(`home/cache/${file}`);
  writeFileSync(path, readFileSync(path, 'utf8').replace('docs://item/4000', 'docs://item/x'));
  expect(await open(world).memories[0]?.load(VARIANT)).toBeUndefined();
  expect(await other?.load(VARIANT)).toBeUndefined();
});

it('are in no pack, which the other servers have', async () => {
  const world = createWorld();
  const { memories, close } = open(world);
  for (const [at, memory] of memories.entries()) await memory.save(VARIANT, listing(at === 0 ? 5000 : 1));
  close();
  const again = open(world);
  expect(await again.memories[0]?.load(VARIANT)).toEqual(listing(5000));
  for (const memory of again.memories.slice(1)) expect(memory.load(VARIANT)).toMatchObject({ resources: [{ uri: 'docs://item/0' }] });
  expect(filesIn(world).filter((name) => name.startsWith('servers-'))).toHaveLength(1);
});
