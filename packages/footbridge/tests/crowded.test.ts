/** Skills, dictionaries and output that are designed to slow down or mislead. */
import { linkSync, mkdirSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { conceptsOf } from '../src/catalog/search/query.js';
import { Terms } from '../src/catalog/search/terms.js';
import { listAllFiles, stepsToListFolder } from '../src/sources/skills/files.js';
import { atOnce } from '../src/turns.js';
import { run } from './support/command.js';
import { createWorld, type World } from './support/folders.js';
import { serveHere } from './support/serve-here.js';

describe('a skill with 5,000 entries that are not files', () => {
  it.each([
    ['empty folders', (path: string) => mkdirSync(path)],
    ['broken links', (path: string) => symlinkSync('nowhere', path)],
  ])('such as %s is not looked through', async (_, make) => {
    const world = createWorld();
    world.skill('project/team/crowded');
    const folder = world.path('project/team/crowded');
    for (let index = 0; index < 5000; index++) make(`${folder}/z${index}`);
    expect(listAllFiles(folder)).toBeUndefined();
    expect(atOnce(stepsToListFolder(folder, '', () => false))).toMatchObject([{ path: 'SKILL.md' }]);
    const { problems } = JSON.parse((await run(world, 'lint', 'team', '--json')).stdout);
    expect(problems.map(({ rule }: { rule: string }) => rule)).toContain('skill-size');
  });

  it('in many folders is not searched either', () => {
    const world = createWorld();
    world.skill('project/team/crowded');
    const folder = world.path('project/team/crowded');
    for (let index = 0; index < 10; index++) {
      mkdirSync(`${folder}/f${index}`);
      for (let inner = 0; inner < 300; inner++) symlinkSync('nowhere', `${folder}/f${index}/z${inner}`);
    }
    expect(listAllFiles(folder)).toBeUndefined();
  });
});

describe('a skill with a folder of 20,000 files', () => {
  function crowded(): World {
    const world = createWorld();
    world.skill('project/.agents/skills/crowded');
    const folder = world.path('project/.agents/skills/crowded');
    world.write('project/.agents/skills/crowded/small/a.md', 'text of a');
    mkdirSync(`${folder}/data`);
    for (let index = 0; index < 20_000; index++) linkSync(`${folder}/small/a.md`, `${folder}/data/${index}.md`);
    return world;
  }
  const uris = (folder: string) => Array.from({ length: 50 }, (_, index) => `skill://crowded/${folder}/${index}.md`);

  it('serves SKILL.md and other folders, and says why not that one', async () => {
    const host = await serveHere(crowded());
    const codes = async (given: readonly string[]) => {
      const { results } = (await host.call('get_resources', { uris: given })).structuredContent;
      return [...new Set(results.map(({ data, error }: { data?: object; error?: string }) => error ?? data))];
    };
    const begun = performance.now();
    expect(await codes(uris('data'))).toEqual(['ResourceExecutionError']);
    expect(performance.now() - begun).toBeLessThan(1000);
    expect(await codes(['skill://crowded/small/a.md'])).toEqual([{ text: 'text of a' }]);
    expect((await host.call('skill', { name: 'crowded' })).isError).not.toBe(true);
    const { message } = (await host.request('resources/read', { uri: 'skill://crowded/data/1.md' })).error;
    expect(message).toContain('too many entries');
  });

  it('answers a ping while files are looked for that are missing', async () => {
    const host = await serveHere(crowded());
    const missing = host.call('get_resources', { uris: [...uris('small/x').slice(0, 25), ...uris('data/x').slice(0, 25)] });
    const begun = performance.now();
    await host.request('ping');
    expect(performance.now() - begun).toBeLessThan(500);
    expect((await missing).structuredContent.results).toHaveLength(50);
  });

  it('finds a file that was added just after another was read', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/small');
    const host = await serveHere(world);
    for (let index = 0; index < 20; index++) {
      world.write(`project/.agents/skills/small/${index}.md`, `text ${index}`);
      const { contents } = (await host.request('resources/read', { uri: `skill://small/${index}.md` })).result;
      expect(contents[0].text).toBe(`text ${index}`);
    }
  });
});

describe('a standard folder of a project that is a link', () => {
  /** What is served, and the rules that are broken, with the folder linked to `target`. */
  async function linked(target: string, prepare: (world: World) => void = () => {}) {
    const world = createWorld();
    world.skill('outside/skills/other');
    world.skill('home/.agents/skills/mine');
    world.skill('project/tools/skills/own');
    prepare(world);
    mkdirSync(world.path('project/.claude'));
    symlinkSync(target, world.path('project/.claude/skills'));
    const [{ stdout }, found] = await Promise.all([run(world, 'list', '--json'), run(world, 'lint', '--json')]);
    const names = JSON.parse(stdout).skills.map(({ name }: { name: string }) => name);
    return { names, rules: JSON.parse(found.stdout).problems.map(({ rule }: { rule: string }) => rule) };
  }

  it.each(['/', '../..'])('to %s, which contains the project, is not searched', async (target) => {
    const { names, rules } = await linked(target);
    expect(names).toEqual(['mine']);
    expect(rules).toContain('link-loop');
  });

  it('is searched in the project and outside it, but not without end', async () => {
    expect((await linked('../tools/skills')).names.sort()).toEqual(['mine', 'own']);
    const { names, rules } = await linked('../../outside/skills', (world) => {
      for (let index = 0; index <= 10_000; index++) mkdirSync(world.path(`outside/skills/z${index}`));
    });
    expect(names.sort()).toEqual(['mine', 'other']);
    expect(rules).toContain('link-outside');
  });
});

describe('a search', () => {
  const LETTERS = [...'abcdefghijklmnopqrstuvwxyzabcdefghijkl'];
  /** The same letters in another order. */
  const shuffled = (seed: number) => {
    const word = [...LETTERS];
    for (let at = 0, state = seed + 1; at < 8; at++) {
      state = (Math.imul(state, 48_271) >>> 0) % 0x7fffffff;
      const [one, other] = [state % word.length, (state >>> 8) % word.length];
      [word[one], word[other]] = [word[other] ?? '', word[one] ?? ''];
    }
    return word.join('');
  };

  it('for 16 long words with 50,000 similar ones takes no longer than for others', () => {
    const terms = new Terms();
    for (let index = 0; index < 50_000; index++) terms.addStem(shuffled(index));
    const query = Array.from({ length: 16 }, (_, index) => shuffled(1_000_000 + index)).join(' ');
    const before = process.cpuUsage();
    conceptsOf(query, terms, () => 1);
    // Of the processor, in microseconds: it was five seconds.
    expect(process.cpuUsage(before).user).toBeLessThan(2_500_000);
  });

  it.each([
    ['deploiment', 'deployment'],
    ['protcool', 'protocol'],
    ['protocl', 'protocol'],
    ['rgeistry', 'registri'],
    ['containr', 'contain'],
    ['tst', undefined],
  ])('for %s finds %s', (word, found) => {
    const terms = new Terms();
    for (const each of ['deployment', 'protocol', 'registri', 'contain', 'test', 'release']) terms.addStem(each);
    const [concept] = conceptsOf(word, terms, () => 1);
    expect(concept === undefined ? undefined : terms.text(concept.alternatives[0]?.term ?? -1)).toBe(found);
  });
});

describe('warnings on stderr', () => {
  it.each([
    ['surface', ['surface', '--json']],
    ['search', ['search', 'x']],
    ['list', ['list', '--json']],
  ])('have no invisible characters: %s', async (_command, args) => {
    const world = createWorld();
    world.skill('project/.agents/skills/odd', { name: 'x\u202eevil\u2066\u200b\u2028y\u3164' });
    const { stderr } = await run(world, ...args);
    expect(stderr).toMatch(/The name "x evil +y "/);
    expect(stderr).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
  });
});

describe('--json', () => {
  it('escapes bidirectional controls and other invisible characters, and stays the same JSON', async () => {
    const world = createWorld();
    const description = 'safe \u202Eelif\u202C \u2066x\u2069 a\u200Bb\u00ADc \u009B31m \uFEFFd';
    world.skill('project/.agents/skills/odd', { description });
    for (const command of [['list'], ['show', 'odd'], ['search', 'safe'], ['lint', '.agents/skills']]) {
      const { stdout } = await run(world, ...command, '--json');
      expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
      expect(stdout).toContain('\n  "');
      JSON.parse(stdout);
    }
    const { skills } = JSON.parse((await run(world, 'list', '--json')).stdout);
    expect(skills[0].description).toContain('\u202Eelif');
    expect((await run(world, 'list', '--json')).stdout).toContain('\\u202eelif');
  });
});
