/** The cached lists of many servers, which are read from one file at start. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tool } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { type UpstreamListing, wholeListing } from '../src/sources/upstream/listing.js';
import { type Memory, ServerMemory } from '../src/sources/upstream/memory.js';
import { MemoryPacks } from '../src/sources/upstream/memory-pack.js';
import { createWorld, type World } from './support/folders.js';

const COUNT = 40;
const VARIANT = 'modern';

interface Opened {
  readonly memories: ReadonlyMap<string, Memory>;
  readonly packs: MemoryPacks | undefined;
}

/** As a start opens them. */
function open(world: World, count = COUNT): Opened {
  const folder = world.path('home/cache');
  const servers = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`s${at}`, { command: 'node', args: [world.path(`project/${at}.mjs`)] }]),
  );
  const packs = MemoryPacks.of(folder, servers, false);
  const memories = Object.entries(servers).flatMap(([name, server]): [string, Memory][] => {
    const memory = ServerMemory.of(folder, name, server, false, packs);
    return memory === undefined ? [] : [[name, memory]];
  });
  return { memories: new Map(memories), packs };
}

function listing(name: string, tools: readonly Tool[]): UpstreamListing {
  const result = { serverInfo: { name, version: '1' }, capabilities: { tools: {} }, instructions: `Über ${name}` };
  const handshake = { serverInfo: result.serverInfo, capabilities: result.capabilities, instructions: result.instructions, result };
  const resources = [{ uri: `${name}://a`, name: 'a' }];
  return wholeListing({ tools, prompts: [], resources, templates: [], skills: [], notices: [], handshake, era: 'modern' });
}

const tool = (name: string, description = 'größer'): Tool => ({
  name,
  description,
  inputSchema: { type: 'object', properties: { a: {} } },
});
const first = (name: string) => listing(name, [tool('one'), { ...tool('two'), execution: { taskSupport: 'required' } }]);

function save({ memories }: Opened, name: string, lists: UpstreamListing): void {
  const { notices: _, ...remembered } = lists;
  void memories.get(name)?.save(VARIANT, remembered, true);
}

function filled(world: World, count = COUNT): void {
  const opened = open(world, count);
  for (const name of opened.memories.keys()) save(opened, name, first(name));
  opened.packs?.close();
}

const load = ({ memories }: Opened, name: string) => {
  const found = memories.get(name)?.load(VARIANT);
  return found instanceof Promise || found === undefined ? undefined : wholeListing(found);
};

const filesIn = (world: World, start: string) =>
  readdirSync(world.path('home/cache'))
    .filter((name) => name.startsWith(start))
    .map((name) => join(world.path('home/cache'), name));

/** Makes the files of single servers unreadable, so that what is found comes from the one file. */
function withoutFiles(world: World): void {
  for (const file of filesIn(world, 'server-')) writeFileSync(file, 'gone');
}

it('has what each server listed, in one file', () => {
  const world = createWorld();
  filled(world);
  withoutFiles(world);
  const again = open(world);
  for (const name of again.memories.keys()) expect(load(again, name)).toEqual(first(name));
  expect(filesIn(world, 'servers-')).toHaveLength(1);
});

it('is not there for few servers', () => {
  const world = createWorld();
  filled(world, 16);
  expect(filesIn(world, 'servers-')).toEqual([]);
  expect(load(open(world, 16), 's3')).toEqual(first('s3'));
});

it('is gone as soon as a list changes, and has the change when it is written again', () => {
  const world = createWorld();
  filled(world);
  const changing = open(world);
  for (const name of changing.memories.keys()) load(changing, name);
  const changed = listing('s7', [tool('three')]);
  save(changing, 's7', changed);
  // A process that is killed now leaves no old list behind.
  expect(filesIn(world, 'servers-')).toEqual([]);
  expect(load(open(world), 's7')).toEqual(changed);
  changing.packs?.close();
  withoutFiles(world);
  expect(load(open(world), 's7')).toEqual(changed);
  expect(load(open(world), 's8')).toEqual(first('s8'));
});

it('stays where a list was only confirmed', () => {
  const world = createWorld();
  filled(world);
  const [before] = filesIn(world, 'servers-').map((file) => readFileSync(file));
  const again = open(world);
  for (const name of again.memories.keys()) load(again, name);
  save(again, 's7', first('s7'));
  expect(filesIn(world, 'servers-').map((file) => readFileSync(file))).toEqual([before]);
});

it('gives way to a list that another process has stored since', async () => {
  const world = createWorld();
  filled(world);
  const [pack = ''] = filesIn(world, 'servers-');
  const old = readFileSync(pack);
  const other = open(world);
  save(other, 's7', listing('s7', [tool('newer')]));
  // The other process serves other servers besides, so that its file is another.
  writeFileSync(pack, old);
  const again = open(world);
  expect(load(again, 's7')).toEqual(first('s7'));
  expect(await again.memories.get('s7')?.check(VARIANT)).toMatchObject({ isFresh: true, newer: { tools: [{ name: 'newer' }] } });
  load(again, 's8');
  expect(await again.memories.get('s8')?.check(VARIANT)).toEqual({ isFresh: true });
});

it('is not fresh for another version of the program', async () => {
  const world = createWorld();
  world.write('project/7.mjs', 'one');
  filled(world);
  world.write('project/7.mjs', 'another');
  const again = open(world);
  expect(load(again, 's7')).toEqual(first('s7'));
  expect(await again.memories.get('s7')?.check(VARIANT)).toEqual({ isFresh: false });
});

it.each([
  ['names', () => 200],
  ['states', (bytes: Buffer) => bytes.indexOf('"program"')],
  ['lists', (bytes: Buffer) => bytes.length - 200],
])('is read from the single files where its %s are damaged', (_what, placeIn) => {
  const world = createWorld();
  filled(world);
  const [pack = ''] = filesIn(world, 'servers-');
  const bytes = readFileSync(pack);
  const place = placeIn(bytes);
  bytes[place] = (bytes[place] ?? 0) ^ 1;
  writeFileSync(pack, bytes);
  const again = open(world);
  for (const name of again.memories.keys()) expect(load(again, name)).toEqual(first(name));
});
