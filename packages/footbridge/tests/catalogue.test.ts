/** Large lists of skills stay within the budget, and search and pages reach the rest. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { Catalog } from '../src/catalog/catalog.js';
import { skillFolders } from '../src/sources/skills/index.js';
import { HostViews } from '../src/surfaces/hosts/view.js';
import { listTools } from '../src/surfaces/tools/index.js';
import { contributionOf, FakeUpstream, sourceOf } from './support/fake-upstream.js';
import { createWorld, type World } from './support/folders.js';
import { serve, textOf } from './support/server.js';

const BUDGET = 16_000;

function crowd(count: number, description: (index: number) => string): World {
  const world = createWorld();
  for (let index = 0; index < count; index++)
    world.skill(`project/.agents/skills/skill-${String(index).padStart(4, '0')}`, { description: description(index) });
  return world;
}

describe('the catalogue of an unknown host', () => {
  it('lists names first, and whole descriptions in the parameter, when the contracted form is too long', async () => {
    const client = await serve(
      crowd(
        100,
        (index) => `Number ${index}. ${index % 2 === 0 ? 'Short.' : 'A long "story" that goes on & on, <tag> and all. '.repeat(8)}`,
      ),
    );
    const [{ description, inputSchema }] = (await client.request('tools/list')).result.tools;
    const entries: string = inputSchema.properties.name.description;
    expect(JSON.stringify(description + entries).length).toBeLessThanOrEqual(BUDGET);
    expect(entries.length).toBeGreaterThan(BUDGET * 0.7);
    const first = description.slice(0, 2000);
    for (let index = 0; index < 100; index++) expect(first).toContain(`skill-${String(index).padStart(4, '0')}`);
    expect(entries).toContain('- skill-0000: Number 0. Short.\n');
    expect(entries.match(/^- skill-\d+: Number \d+\. Short\.$/gm)).toHaveLength(50);
    expect(entries).toMatch(/^- skill-0001: Number 1\. (?:A long "story" that goes on & on, <tag> and all\. ?){8}$/m);
    expect(entries).not.toContain('…');
  });

  it('names and describes as many of a thousand as fit into 20 KB, counts the rest and explains how to find it', async () => {
    const client = await serve(
      crowd(1000, (index) => `Does thing ${index} for people who need thing ${index}, carefully, with every step explained and checked.`),
    );
    const answer = await client.request('tools/list');
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(20_000);
    const [{ description, inputSchema }] = answer.result.tools;
    const entries: string = inputSchema.properties.name.description;
    const named = new Set(`${description}${entries}`.match(/skill-\d{4}/g)).size;
    expect(named).toBeGreaterThan(150);
    expect(entries.match(/^- skill-\d{4}: Does thing .* checked\.$/gm)?.length).toBeGreaterThan(40);
    expect(entries.endsWith(`\n${1000 - named} more skills are not shown. Find them with list_skills({ query: "what you need" }).`)).toBe(
      true,
    );
    const missing = textOf(await client.call('skill', { name: 'skill-099' }));
    expect(missing.length).toBeLessThan(BUDGET + 500);
    expect(missing).toMatch(/^Skill 'skill-099' not found\.\n\nAvailable skills:\n- skill-0(?:099|99\d)/);
    expect(missing).toMatch(/… and \d+ more: find them with list_skills/);
  });
});

describe('descriptions of tools', () => {
  it('take at most 20 KB with a thousand skills in any script', async () => {
    for (const text of ['請求書を作成し、画像から文字を読み取ります。', '📄🔍 ']) {
      const client = await serve(crowd(1000, () => text.repeat(4)));
      const answer = await client.request('tools/list');
      expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(20_000);
    }
  });

  it('take at most 20 KB with a thousand skills beside hundreds of resources and prompts', async () => {
    const folder = crowd(1000, () => 'Does it for those who need it. '.repeat(5)).path('project/.agents/skills');
    const prompts = Array.from({ length: 100 }, (_, index) => ({ name: `prompt-${index}`, arguments: [{ name: 'topic' }] }));
    const resources = Array.from({ length: 300 }, (_, index) => `docs://pages/of-the-manual/${index}`);
    const server = new FakeUpstream('docs', { prompts, resources });
    const catalog = await Catalog.open([
      skillFolders({ folders: [folder], standardFolders: false, watch: false }),
      sourceOf(contributionOf([server])).source,
    ]);
    onTestFinished(() => catalog.close());
    for (const clientName of ['claude-code', 'codex-mcp-client', 'someone']) {
      const tools = listTools(catalog.snapshot, new HostViews().of(clientName, false));
      expect(Buffer.byteLength(JSON.stringify({ tools })), clientName).toBeLessThan(20_000);
      expect(new Set(JSON.stringify(tools).match(/skill-\d{4}/g)).size).toBeGreaterThan(150);
    }
  });

  it('mention only listed tools', async () => {
    const folder = crowd(1000, () => 'Does it. '.repeat(9)).path('project/.agents/skills');
    const catalog = await Catalog.open([skillFolders({ folders: [folder], standardFolders: false, watch: false })]);
    onTestFinished(() => catalog.close());
    const { snapshot } = catalog;
    expect(snapshot.skills).toHaveLength(1000);
    for (const off of ['skill', 'list_skills', 'get_skill'] as const) {
      const shown = JSON.stringify(listTools(snapshot, new HostViews().of('some host', false), { [off]: false }));
      if (off === 'skill') expect(shown).not.toContain('skill({ name })');
      else expect(shown).not.toContain(off);
    }
  });
});

describe('list_skills', () => {
  it('lists every skill once across its pages, in text and structured content', async () => {
    const client = await serve(crowd(120, (index) => `About ${index}`));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const result = await client.call('list_skills', cursor === undefined ? {} : { cursor });
      for (const skill of result.structuredContent.skills) {
        seen.push(skill.name);
        expect(textOf(result)).toContain(skill.uri);
      }
      cursor = result.structuredContent.next_cursor;
      if (cursor !== undefined) expect(textOf(result)).toContain(cursor);
    } while (cursor !== undefined);
    expect(seen).toHaveLength(120);
    expect(new Set(seen).size).toBe(120);
  });

  it('continues at the right skill when skills are added and removed between pages', async () => {
    const world = crowd(120, (index) => `About ${index}`);
    const client = await serve(world);
    const first = (await client.call('list_skills', {})).structuredContent;
    world.skill('project/.agents/skills/aaa-new');
    world.remove('project/.agents/skills/skill-0003');
    await client.waitFor(async () => (await client.call('skill', { name: 'aaa-new' })).isError !== true);
    const second = (await client.call('list_skills', { cursor: first.next_cursor })).structuredContent;
    expect(second.skills[0].name).toBe('skill-0050');
  });

  it('searches names and descriptions by words, prefixes and near misses', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/pdf-forms', { description: 'Fill in and split documents' });
    world.skill('project/.agents/skills/sheets', { description: 'Spreadsheets, formulas and charts' });
    world.skill('project/.agents/skills/letters', { description: 'Write letters about forms' });
    const client = await serve(world);
    const search = async (query: string) =>
      (await client.call('list_skills', { query })).structuredContent.skills.map((skill: { name: string }) => skill.name);
    // A search that comes before the index also finds longer words, such as formulas.
    await expect.poll(() => search('forms')).toEqual(['pdf-forms', 'letters']);
    expect(await search('spreadsheat')).toEqual(['sheets']);
    expect(await search('chart')).toEqual(['sheets']);
    expect(await search('nothing-of-the-kind-zzz')).toEqual([]);
    expect(await search('   ')).toHaveLength(3);
    expect(textOf(await client.call('list_skills', { query: 'zzzz' }))).toContain('Try other words');
    expect(await search(`chart ${'and so on '.repeat(1000)}`)).toEqual(['sheets']);
    expect((await client.call('list_skills', { unknown: 1 })).isError).toBe(true);
  });
});

describe('resources', () => {
  it('name the nearest skill in every Unicode normalization form', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/cafe', { name: 'cafe\u0301' });
    const client = await serve(world);
    const result = await client.call('get_skill', { uri: 'skill://cafes/SKILL.md' });
    expect(textOf(result)).toContain("Did you mean 'skill://cafe");
  });

  it('are listed across pages, each skill once', async () => {
    const client = await serve(crowd(1100, (index) => `About ${index}`));
    const first = (await client.request('resources/list')).result;
    const second = (await client.request('resources/list', { cursor: first.nextCursor })).result;
    expect(new Set([...first.resources, ...second.resources].map((each: { uri: string }) => each.uri)).size).toBe(1100);
    expect(second.nextCursor).toBeUndefined();
    expect(first.resources[0]).toEqual({
      uri: 'skill://skill-0000/SKILL.md',
      name: 'skill-0000',
      description: 'About 0',
      mimeType: 'text/markdown',
      size: expect.any(Number),
    });
  });

  it('complete skills and then their files; folders are read as directories', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/pdf');
    world.write('project/.agents/skills/pdf/scripts/fill.py', 'print()');
    world.write('project/.agents/skills/pdf/data.weird', 'x');
    world.skill('project/.agents/skills/photo');
    const client = await serve(world);
    const complete = async (value: string, name = 'path', uri = 'skill://{+path}') =>
      (await client.request('completion/complete', { ref: { type: 'ref/resource', uri }, argument: { name, value } })).result.completion;
    expect((await complete('p')).values).toEqual(['pdf/SKILL.md', 'photo/SKILL.md']);
    expect((await complete('PD')).values).toEqual(['pdf/SKILL.md']);
    expect((await complete('pdf/s')).values).toEqual(['pdf/SKILL.md']);
    expect((await complete('pdf/d')).values).toEqual(['pdf/data.weird']);
    expect((await complete('pdf/scripts/')).values).toEqual(['pdf/scripts/fill.py']);
    expect(await complete('zzz')).toEqual({ values: [], total: 0, hasMore: false });
    expect((await complete('../..')).values).toEqual([]);
    expect((await complete('p', 'other')).values).toEqual([]);
    expect((await complete('p', 'path', 'other://{x}')).values).toEqual([]);
    const children = async (uri: string) => (await client.request('resources/directory/read', { uri })).result?.resources;
    expect(await children('skill://pdf')).toEqual([
      { uri: 'skill://pdf/SKILL.md', name: 'SKILL.md', mimeType: 'text/markdown', size: expect.any(Number) },
      { uri: 'skill://pdf/data.weird', name: 'data.weird', size: 1 },
      { uri: 'skill://pdf/scripts', name: 'scripts', mimeType: 'inode/directory' },
    ]);
    expect(await children('skill://pdf/scripts')).toEqual([
      { uri: 'skill://pdf/scripts/fill.py', name: 'fill.py', mimeType: 'text/x-python', size: 7 },
    ]);
    expect(await children('skill://pdf/SKILL.md')).toBeUndefined();
    const [weird] = (await client.request('resources/read', { uri: 'skill://pdf/data.weird' })).result.contents;
    expect(weird).toEqual({ uri: 'skill://pdf/data.weird', mimeType: 'text/plain', text: 'x' });
  });

  it('have the MIME type of their file extension', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/types');
    const types = {
      'a.ts': 'text/typescript',
      'a.py': 'text/x-python',
      'a.json': 'application/json',
      'a.yaml': 'application/yaml',
      'a.csv': 'text/csv',
      'a.png': 'image/png',
      'a.pdf': 'application/pdf',
      'a.html': 'text/html',
      'a.sh': 'application/x-sh',
      'a.svg': 'image/svg+xml',
      LICENSE: 'text/plain',
    };
    for (const name of Object.keys(types)) world.write(`project/.agents/skills/types/${name}`, 'x');
    const client = await serve(world);
    for (const [name, mimeType] of Object.entries(types)) {
      expect((await client.call('get_skill', { uri: `skill://types/${name}` })).structuredContent.mimeType, name).toBe(mimeType);
    }
  });
});

describe('the Skills extension', () => {
  it('leaves out skills that break a MUST or a limit, which tools and resources still serve', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/good');
    world.skill('project/.agents/skills/Capital', { name: 'Capital' });
    world.write('project/.agents/skills/number/SKILL.md', '---\nname: 123\ndescription: A number for a name\n---\n');
    world.skill('project/.agents/skills/many');
    for (let index = 0; index < 513; index++) world.write(`project/.agents/skills/many/${index}.txt`, 'x');
    const client = await serve(world);
    const listed = (await client.request('skills/list')).result.skills;
    expect(listed.map((skill: { uri: string }) => skill.uri)).toEqual(['skill://good/SKILL.md']);
    expect((await client.request('resources/list')).result.resources).toHaveLength(4);
    for (const name of ['Capital', '123', 'many']) expect((await client.call('skill', { name })).isError, name).not.toBe(true);
    for (const uri of ['skill://Capital/SKILL.md', 'skill://many/SKILL.md', 'skill://none/SKILL.md', 'skill://good/other.md']) {
      expect((await client.request('skills/get', { uri })).error?.code, uri).toBe(-32602);
    }
    expect(client.stderr).toContain('Capital/SKILL.md: The name "Capital" is not');
  });

  it('publishes a new digest as soon as a file changes', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/good');
    world.write('project/.agents/skills/good/notes.txt', 'one');
    const client = await serve(world);
    const digest = async () =>
      (await client.request('skills/get', { uri: 'skill://good/SKILL.md' })).result.skill.resources.find((each: { uri: string }) =>
        each.uri.endsWith('notes.txt'),
      ).digest;
    const first = await digest();
    expect(await digest()).toBe(first);
    world.write('project/.agents/skills/good/notes.txt', 'two');
    expect(await digest()).not.toBe(first);
  });
});

describe('the process', () => {
  it('exits with 0 when stdin ends and when it is stopped', async () => {
    const world = crowd(3, () => 'x');
    const client = await serve(world);
    expect(await client.close()).toBe(0);
    const other = await serve(world);
    other.program.stop('SIGTERM');
    expect(await other.program.exited).toBe(0);
  });

  it('writes only messages to stdout, and logs to stderr by level', async () => {
    const world = crowd(2, () => 'x');
    const client = await serve(world, { args: ['--log-level', 'debug'] });
    client.write('garbage');
    await client.request('tools/list');
    for (const line of client.lines) expect(JSON.parse(line).jsonrpc).toBe('2.0');
    expect(client.stderr).toContain('footbridge info: serving 2 skills over stdio');
    const quiet = await serve(world, { args: ['--log-level', 'error'] });
    await quiet.request('tools/list');
    expect(quiet.stderr).toBe('');
  });
});

describe('a second start with many skills', () => {
  it('lists the tools at once, and answers everything else only after its check', async () => {
    const world = crowd(400, (index) => `About ${index}`);
    const first = await serve(world);
    expect((await first.request('resources/list')).result.resources).toHaveLength(400);
    await first.close();
    // Beyond those that are checked at once, in three ways: changed in place, spoiled, gone.
    world.skill('project/.agents/skills/skill-0390', { description: 'Edited while nobody looked' });
    world.write('project/.agents/skills/skill-0391/SKILL.md', 'spoiled');
    world.remove('project/.agents/skills/skill-0392');
    for (const method of ['list_skills', 'resources/list', 'skills/list', 'skill'] as const) {
      const client = await serve(world);
      const tools = await client.request('tools/list');
      expect(tools.result.tools).toHaveLength(5);
      if (method === 'list_skills') {
        const { skills } = (await client.call('list_skills', { query: 'Edited while nobody looked' })).structuredContent;
        expect(skills[0].name).toBe('skill-0390');
      } else if (method === 'skill') {
        for (const name of ['skill-0391', 'skill-0392']) expect((await client.call('skill', { name })).isError).toBe(true);
      } else if (method === 'resources/list') {
        expect((await client.request(method)).result.resources).toHaveLength(398);
      } else {
        expect((await client.request(method)).result.skills).toHaveLength(100);
      }
      await client.close();
    }
  });

  it('corrects an outdated cached list', async () => {
    const world = crowd(400, () => 'A skill');
    const first = await serve(world);
    await first.call('list_skills', {});
    await first.close();
    world.write('project/.agents/skills/skill-0390/SKILL.md', 'spoiled');
    const client = await serve(world);
    const list = async () => JSON.stringify((await client.request('tools/list')).result.tools[0]);
    const count = async () => Number(/and (\d+) more\./.exec(await list())?.[1]);
    const before = await count();
    await client.waitFor(async () => (await count()) === before - 1);
    await client.waitFor(() => client.count('notifications/tools/list_changed') > 0);
    expect((await client.call('skill', { name: 'skill-0390' })).isError).toBe(true);
  });
});
