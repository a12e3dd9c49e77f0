/** Large contents are read once, and only as much as an answer can hold. */
import { skillFolders } from 'footbridge';
import { expect, it, onTestFinished } from 'vitest';
import { Catalog } from '../src/catalog/catalog.js';
import { createServer } from '../src/serve/server.js';
import { FolderSkill } from '../src/sources/skills/folder-skill.js';
import type { Json } from './support/client.js';
import { createWorld } from './support/folders.js';
import { connect } from './support/memory.js';

const MEBIBYTE = 1024 * 1024;

/** A client of a server with a skill that has files of these sizes, and the bytes of all files that are read. */
async function start(files: Readonly<Record<string, number | Buffer>>) {
  const world = createWorld();
  world.skill('project/skills/large');
  for (const [name, content] of Object.entries(files))
    world.write(`project/skills/large/${name}`, typeof content === 'number' ? 'x'.repeat(content) : content);
  const source = skillFolders({ folders: [`${world.project}/skills`], standardFolders: false, watch: false });
  const catalog = await Catalog.open([source]);
  onTestFinished(() => catalog.close());
  const { read } = FolderSkill.prototype;
  const sizes: number[] = [];
  FolderSkill.prototype.read = async function (...given) {
    const content = await read.apply(this, given);
    sizes.push(content?.bytes.length ?? 0);
    return content;
  };
  onTestFinished(() => {
    FolderSkill.prototype.read = read;
  });
  return { client: await connect(createServer({ catalog })), sizes };
}

const uri = (name: string) => `skill://large/${name}`;
const texts = ({ content }: Json): string[] => content.map((block: Json) => block.resource?.text ?? block.text);

it('a file requested fifty times in get_resources is read once', async () => {
  const { client, sizes } = await start({ 'a.txt': 9 * MEBIBYTE });
  const found = texts(await client.call('get_resources', { uris: Array(50).fill(uri('a.txt')) }));
  expect(sizes).toEqual([9 * MEBIBYTE]);
  expect(found).toHaveLength(50);
  expect(found.filter((text) => text.length === 9 * MEBIBYTE)).toHaveLength(1);
  expect(found[49]).toContain('does not fit into the answer');
});

it('files beyond the limit of get_resources are not read', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `${index}.txt`);
  const { client, sizes } = await start(Object.fromEntries(names.map((name) => [name, 6 * MEBIBYTE])));
  const found = texts(await client.call('get_resources', { uris: names.map(uri) }));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(16 * MEBIBYTE);
  expect(found.filter((text) => text.length === 6 * MEBIBYTE)).toHaveLength(2);
  expect(found.filter((text) => text.includes('Read it alone with get_resource.'))).toHaveLength(18);
});

it('a small file requested twice is returned twice', async () => {
  const { client } = await start({ 'small.txt': 10 });
  expect(texts(await client.call('get_resources', { uris: [uri('small.txt'), uri('small.txt')] }))).toEqual(['xxxxxxxxxx', 'xxxxxxxxxx']);
});

it('the files of a skill are read once for concurrent requests of its manifest', async () => {
  const world = createWorld();
  world.skill('project/skills/large');
  const catalog = await Catalog.open([skillFolders({ folders: [`${world.project}/skills`], standardFolders: false, watch: false })]);
  onTestFinished(() => catalog.close());
  const skill = catalog.findSkill('large');
  const [first, second] = await Promise.all([skill?.manifest(), skill?.manifest()]);
  expect(first?.files).toHaveLength(1);
  expect(second).toBe(first);
  expect(await skill?.manifest()).not.toBe(first);
});

it('a large file is text if all of it is UTF-8, wherever its characters are divided', async () => {
  const text = `a${'ж😀'.repeat(400_000)}`;
  const bytes = Buffer.from(text);
  const damaged = Buffer.from(bytes);
  damaged[2 * MEBIBYTE] = 0xff;
  const { client } = await start({ 'wide.txt': bytes, 'cut.txt': bytes.subarray(0, -1), 'damaged.txt': damaged });
  const read = async (name: string) => (await client.request('resources/read', { uri: uri(name) })).result.contents[0];
  expect((await read('wide.txt')).text === text).toBe(true);
  for (const name of ['cut.txt', 'damaged.txt']) expect(Object.keys(await read(name)), name).toContain('blob');
});
