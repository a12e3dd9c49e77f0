/** The library: sources and the catalog. */
import { readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import {
  Catalog,
  type CatalogChange,
  type Contribution,
  createServer,
  FootbridgeError,
  footbridge,
  type Skill,
  type Source,
  skillFolders,
} from 'footbridge';
import { testSource } from 'footbridge/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWorld } from './support/folders.js';
import { until } from './support/http-server.js';

testSource('skills', async () => {
  const world = createWorld();
  world.skill('project/team/git', { body: 'See [notes](notes/more.md).\n' });
  world.write('project/team/git/notes/more.md', 'more');
  world.write('project/team/git/data.bin', new Uint8Array([0, 1, 2]));
  return {
    source: skillFolders({ folders: [world.path('project/team')], standardFolders: false, home: world.home, workingFolder: world.project }),
    skill: 'git',
    change: async () => void world.skill('project/team/git', { description: 'Changed' }),
  };
});

describe('the index in the cache folder', () => {
  const old = new Date(Date.now() - 60_000);

  /** A world whose files are old enough to be trusted, and the options to open it with an index. */
  function indexedWorld() {
    const world = createWorld();
    const files = ['one', 'two', 'group/three'].map((name) => world.skill(`project/team/${name}`));
    files.push(world.write('project/team/broken/SKILL.md', 'no frontmatter'));
    const settle = () => {
      for (const file of files) utimesSync(file, old, old);
    };
    settle();
    const cacheFolder = world.path('home/cache');
    const options = {
      folders: [world.path('project/team')],
      standardFolders: false,
      watch: false,
      workingFolder: world.project,
      cacheFolder,
    };
    const open = async () => {
      const catalog = await Catalog.open([skillFolders(options)]);
      const { skills, notices } = catalog.snapshot;
      catalog.close();
      return {
        names: skills.map((skill) => `${skill.group.join(':')}/${skill.name}: ${skill.description}`),
        notices: notices.map((notice) => notice.rule),
        skills,
      };
    };
    return { world, open, options, cacheFolder };
  }

  it('restores the same catalog on the second start', async () => {
    const { open, cacheFolder } = indexedWorld();
    const first = await open();
    expect(readdirSync(cacheFolder)).toHaveLength(1);
    const second = await open();
    expect(second.names).toEqual(first.names);
    expect(second.notices).toEqual(['frontmatter-missing']);
    expect((await second.skills[0]?.read('SKILL.md'))?.bytes.length).toBe(second.skills[0]?.size);
    expect(second.skills[0]?.directory).toBe(first.skills[0]?.directory);
  });

  it('is not used for a file whose size or modification time differs', async () => {
    const { world, open } = indexedWorld();
    await open();
    world.skill('project/team/one', { description: 'What eno is for' });
    world.remove('project/team/two');
    world.skill('project/team/four');
    expect((await open()).names).toEqual(['/four: What four is for', '/one: What eno is for', 'group/three: What three is for']);
  });

  it('distinguishes two files of the same size and modification time', async () => {
    const { world, open } = indexedWorld();
    for (const name of ['one', 'two'])
      world.write(`project/team/${name}/SKILL.md`, `---\nname: ${name}\ndescription: about ${name}\n---\n`);
    for (const name of ['one', 'two']) utimesSync(world.path(`project/team/${name}/SKILL.md`), old, old);
    await new Promise((resolve) => setTimeout(resolve, 2100));
    await open();
    renameSync(world.path('project/team/one'), world.path('project/spare'));
    renameSync(world.path('project/team/two'), world.path('project/team/one'));
    renameSync(world.path('project/spare'), world.path('project/team/two'));
    const { skills } = await open();
    for (const skill of skills)
      expect(Buffer.from((await skill.read('SKILL.md'))?.bytes ?? []).toString()).toContain(`name: ${skill.name}\n`);
    expect(skills.map((skill) => skill.directory?.split('/').at(-1)).slice(0, 2)).toEqual(['one', 'two']);
    expect(skills.map((skill) => skill.name).slice(0, 2)).toEqual(['two', 'one']);
  });

  it('is checked soon after a start, once, without a call that waits for it', async () => {
    const { world, open, options } = indexedWorld();
    for (let index = 0; index < 400; index++) utimesSync(world.skill(`project/team/many-${index}`), old, old);
    await open();
    const changes: number[] = [];
    const catalog = await Catalog.open([skillFolders(options)], { remembered: true });
    onTestFinished(() => catalog.close());
    catalog.onChange(({ skills }) => changes.push(skills.added.length + skills.removed.length + skills.changed.length));
    expect([catalog.isSettled, catalog.snapshot.skills.length]).toEqual([false, 403]);
    const { skills } = catalog.snapshot;
    await until(() => catalog.isSettled);
    expect([catalog.snapshot.skills === skills, changes]).toEqual([true, [0]]);
    await catalog.settled();
    expect(changes).toEqual([0]);
  });

  it('is ignored when it is damaged, empty or of other folders', async () => {
    const { open, cacheFolder } = indexedWorld();
    const { names } = await open();
    const [file = ''] = readdirSync(cacheFolder);
    const sound = readFileSync(join(cacheFolder, file), 'latin1');
    const renamed = ['\n../\n', '\n\0\0\0\n', '\n\n\n\n\n'].map((name) => sound.replace('\none\n', name));
    // The counts at the beginning of the second block, and every length that a file may be cut to.
    const second = 8 + Math.ceil(Buffer.from(sound, 'latin1').readUInt32LE(4) / 8) * 8;
    const counted = Array.from({ length: 8 }, (_, at) => `${sound.slice(0, second + 4 * at)}\xff${sound.slice(second + 4 * at + 1)}`);
    const cut = Array.from({ length: 40 }, (_, part) => sound.slice(0, Math.floor((sound.length * part) / 40)));
    for (const content of ['{', '{"format":999}', 'null', '[]', ...renamed, ...counted, ...cut]) {
      expect(content).not.toBe(sound);
      writeFileSync(join(cacheFolder, file), content, 'latin1');
      expect((await open()).names).toEqual(names);
    }
    if (process.platform !== 'win32') expect(statSync(join(cacheFolder, file)).mode & 0o077).toBe(0);
  });
});

describe('the catalog', () => {
  const skill = (name: string, group: readonly string[], identity: string): Skill => ({
    name,
    description: `${name} of ${identity}`,
    group,
    location: 'global',
    origin: identity,
    identity,
    version: '1',
    size: 4,
    conforms: true,
    read: async (path) => (path === 'SKILL.md' ? { bytes: Buffer.from(identity), mimeType: 'text/markdown' } : undefined),
    list: async (folder) => (folder === '' ? [{ path: 'SKILL.md', kind: 'file', size: 4 }] : undefined),
    manifest: async () => undefined,
  });

  /** A client of a server over the catalog, in this process. */
  async function connect(catalog: Catalog): Promise<Client> {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await createServer({ catalog }).connect(ours);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(theirs);
    onTestFinished(() => client.close());
    return client;
  }

  function memory(name: string, skills: readonly Skill[]): Source & { set(next: readonly Skill[]): void } {
    let announce: (next: Contribution) => void = () => {};
    return {
      name,
      open: async (changed) => {
        announce = changed;
        return { skills, notices: [] };
      },
      refresh: async () => {},
      close() {},
      set: (next) => announce({ skills: next, notices: [] }),
    };
  }

  it('serves the first of two skills at one path and reports the other as shadowed, unless it is the same skill', async () => {
    const catalog = await Catalog.open([
      memory('a', [skill('pdf', [], 'one'), skill('git', [], 'same')]),
      memory('b', [skill('PDF', [], 'two'), skill('git', [], 'same')]),
    ]);
    expect(catalog.snapshot.skills.map((each) => each.identity)).toEqual(['one', 'same']);
    expect(catalog.snapshot.shadowed.map(({ skill: hidden, by }) => [hidden.identity, by.identity])).toEqual([['two', 'one']]);
  });

  it('gives every skill a unique name, which no later skill takes', async () => {
    const catalog = await Catalog.open([
      memory('a', [skill('pdf', ['office'], 'a1'), skill('notes', [], 'a2')]),
      memory('b', [skill('pdf', [], './b/skills'), skill('office:pdf', [], './c')]),
      memory('d', [skill('pdf', ['print'], './d')]),
    ]);
    const client = await connect(catalog);
    const listed = (await client.callTool({ name: 'list_skills', arguments: {} })).structuredContent as {
      skills: { name: string; description: string }[];
    };
    expect(listed.skills.map((each) => each.name)).toEqual(['pdf', 'notes', 'b:pdf', 'c:office:pdf', 'print:pdf']);
    for (const { name, description } of listed.skills) {
      const [content] = (await client.callTool({ name: 'skill', arguments: { name } })).content;
      expect(content, name).toMatchObject({ text: expect.stringContaining(`\n\n${description.split(' of ')[1]}`) });
    }
    expect(catalog.findSkill('office:pdf')?.identity).toBe('a1');
  });

  it('never serves files of a nested skill as those of the outer one', async () => {
    const catalog = await Catalog.open([memory('a', [skill('office', [], 'outer')]), memory('b', [skill('pdf', ['office'], 'inner')])]);
    expect(catalog.snapshot.shadowed.map(({ skill: hidden }) => hidden.identity)).toEqual(['inner']);
    await expect(catalog.read('skill://office/pdf/SKILL.md')).rejects.toThrow(FootbridgeError);
    const other = await Catalog.open([memory('b', [skill('pdf', ['office'], 'inner')]), memory('a', [skill('office', [], 'outer')])]);
    expect(other.snapshot.shadowed.map(({ skill: hidden }) => hidden.identity)).toEqual(['outer']);
  });

  it('replaces the whole snapshot, and calls listeners until they stop', async () => {
    const source = memory('a', [skill('one', [], '1')]);
    const catalog = await Catalog.open([source, memory('b', [skill('two', [], '2')])]);
    const seen: string[] = [];
    const stop = catalog.onChange(({ previous, snapshot }) => seen.push(`${previous.skills.length}>${snapshot.skills.length}`));
    const before = catalog.snapshot;
    source.set([skill('one', [], '1'), skill('three', [], '3')]);
    expect(before.skills).toHaveLength(2);
    stop();
    source.set([]);
    expect(seen).toEqual(['2>3']);
    expect(catalog.snapshot.skills.map((each) => each.name)).toEqual(['two']);
  });

  it('reports what each change added, removed and changed, the same object to every listener', async () => {
    const source = memory('a', [skill('kept', [], '1'), skill('gone', [], '2'), skill('edited', [], '3')]);
    const catalog = await Catalog.open([source]);
    const changes: CatalogChange[] = [];
    for (const _ of [1, 2]) catalog.onChange((change) => changes.push(change));
    source.set([skill('kept', [], '1'), { ...skill('edited', [], '3'), description: 'another' }, skill('new', [], '4')]);
    const [change, again] = changes;
    const { added, removed, changed, isSame } = change?.skills ?? expect.fail('no change');
    expect([added, removed, changed].map((skills) => skills.map(({ name }) => name))).toEqual([['new'], ['gone'], ['edited']]);
    expect([isSame, change?.resources.isSame, change?.tools.isSame, change?.prompts.isSame]).toEqual([false, true, true, true]);
    expect(again).toBe(change);
    expect(change?.skills).toBe(again?.skills);
    source.set([skill('new', [], '4'), skill('kept', [], '1'), { ...skill('edited', [], '3'), description: 'another' }]);
    expect(changes.at(-1)?.skills).toEqual({ added: [], removed: [], changed: [], isSame: false });
  });

  it('requires only name and open of a source', async () => {
    const minimal: Source = { name: 'minimal', open: async () => ({ skills: [skill('one', [], 'text')] }) };
    const empty: Source = { name: 'empty', open: async () => ({}) };
    const catalog = await Catalog.open([minimal, empty]);
    expect(catalog.snapshot.skills.map(({ name }) => name)).toEqual(['one']);
    await catalog.refresh();
    catalog.close();
  });

  it('rejects a misspelled tool name, in types and at run time', async () => {
    const catalog = await Catalog.open([]);
    // @ts-expect-error: there is no tool `get_skil`
    expect(() => createServer({ catalog, tools: { get_skil: false } })).toThrow('Unknown tool get_skil. Footbridge has: skill, ');
    // @ts-expect-error: the same for `footbridge()`
    expect(() => footbridge(createServer({ catalog }), { tools: { get_resurce: false } })).toThrow('Unknown tool get_resurce.');
    expect(createServer({ catalog, tools: { get_skill: false } })).toBeDefined();
  });

  it('can be served by an SDK server in a few lines', async () => {
    const source = memory('a', [skill('one', [], 'text')]);
    const catalog = await Catalog.open([source]);
    const client = await connect(catalog);
    const result = await client.callTool({ name: 'skill', arguments: { name: 'one' } });
    expect(result.content).toEqual([{ type: 'text', text: 'Loading: one\nBase directory: skill://one/\n\ntext' }]);
    const announced = new Promise<void>((resolve) => client.setNotificationHandler('notifications/tools/list_changed', () => resolve()));
    source.set([]);
    await announced;
  });
});
