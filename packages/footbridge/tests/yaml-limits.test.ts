/** Untrusted YAML that would take long to parse is rejected before it is parsed. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import * as yaml from 'yaml';
import { parseDocument } from '../src/cli/hosts/document.js';
import { readFields, readTyped } from '../src/sources/skills/frontmatter.js';
import { run } from './support/command.js';
import { createWorld } from './support/folders.js';
import { serveHere } from './support/serve-here.js';
import { find, markdown, resourceServer } from './support/upstream.js';

const HEAD = 'name: x\ndescription: d\n';
const lines = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, index) => line(index)).join('\n');

const KEYS_THAT_ARE_NOT_TEXT = {
  'flow maps nested as keys': `x: ${'{'.repeat(60)}`,
  'a flow map as a key': 'x: {{a: b}: c}',
  'a flow list as a key': '[a, b]: c',
  'a pair in a list with a map as its key': 'x: [{a: b}: c]',
  'an explicit block map as a key': '? a: b\n: c',
  'an explicit list as a key': '? - a\n: c',
  'an alias as a key': 'a: &a {b: c}\n*a : d',
};
const DEEP = {
  'flow maps nested as keys': `x: ${'{'.repeat(600)}`,
  'flow lists': `x: ${'['.repeat(70)}`,
  'closed flow lists': `x: ${'['.repeat(70)}${']'.repeat(70)}`,
  'values in flow maps': `x: ${'{a: '.repeat(70)}`,
  'lists on one line': `x:\n  ${'- '.repeat(70)}`,
  'explicit keys on one line': '? '.repeat(70),
  'indented maps': lines(70, (index) => `${' '.repeat(index)}a:`),
};
const MANY = {
  keys: lines(2000, (index) => `k${index}: [v]`),
  'flow keys': `x: {${lines(2000, (index) => `k${index}: 1,`)}}`,
  tags: `x: ${'!a '.repeat(2000)}`,
  anchors: `x: ${'&a '.repeat(2000)}`,
  comments: '#\n'.repeat(2000),
  commas: `x: [${','.repeat(5000)}]`,
};
const MANY_ALIASES = `a: &a 1\nx: [${'*a ,'.repeat(101)}]`;
const CIRCULAR = {
  'a list that contains itself': 'z: &a [*a]',
  'a map that contains itself': 'z: &a\n  - b: {c: *a}',
  'a map below an explicit key': '? z\n: &a\n  b: [*a]',
  'an outer list': 'z: &a [&b [&c [*b], *a]]',
  'the nearest of two lists': 'y: &a [x]\nz: &a [*a]',
};
/** Many errors, of which the first is reported, and its place. */
const ERRORS: Readonly<Record<string, readonly [string, string, number, number]>> = {
  'invalid escapes': [`z: "${'\\q'.repeat(7900)}"`, 'Invalid escape sequence \\q', 4, 5],
  'unfinished escapes': [`z: "${'\\x'.repeat(7900)}"`, 'Invalid escape sequence \\x\\x', 4, 5],
  'brackets that close nothing': [`z: ${']'.repeat(1900)}`, 'Unexpected flow-seq-end token in YAML stream: "]"', 4, 4],
  'lists after lists': [`z: ${'[] '.repeat(600)}`, 'Unexpected flow-seq-start at node end', 4, 7],
};
/** Long, and read: one text has one token. */
const LONG = {
  'a folded text': `x: >\n  ${'word '.repeat(3000)}`,
  'folded lines': `x: >\n${'  a\n'.repeat(3500)}`,
  'empty lines': `x: >\n${'\n'.repeat(15_000)}  a`,
  'spaces in quotes': `x: "a${' \t'.repeat(7000)}b"`,
  'line ends in quotes': `x: "${'a\n  '.repeat(3500)}"`,
  'a plain text over lines': `x: ${'a\n  '.repeat(3500)}`,
  'a long number': `x: ${'1'.repeat(15_000)}e`,
  'many dots': `x: ${'.'.repeat(15_000)}`,
};

describe('frontmatter', () => {
  it.each(Object.entries(KEYS_THAT_ARE_NOT_TEXT))('with %s is rejected', (_, text) => {
    expect(readFields(HEAD + text, yaml)).toMatchObject({ ok: false, beyond: true, message: 'A key is not text' });
    expect(readTyped(HEAD + text, yaml)).toBeUndefined();
  });

  it.each(Object.entries(DEEP))('with %s nested too deep is rejected', (_, text) => {
    expect(readFields(HEAD + text, yaml)).toMatchObject({ ok: false, beyond: true, message: 'It is nested more than 64 levels deep' });
    expect(readTyped(HEAD + text, yaml)).toBeUndefined();
  });

  it.each(Object.entries(MANY))('with too many %s is rejected', (_, text) => {
    expect(readFields(HEAD + text, yaml)).toMatchObject({ ok: false, beyond: true, message: 'It has more than 2048 words and marks' });
    expect(readTyped(HEAD + text, yaml)).toBeUndefined();
  });

  it('with too many aliases is rejected', () => {
    expect(readFields(HEAD + MANY_ALIASES, yaml)).toMatchObject({ ok: false, message: 'It has more than 100 aliases', line: 5 });
    expect(readTyped(HEAD + MANY_ALIASES, yaml)).toBeUndefined();
  });

  it.each(Object.entries(CIRCULAR))('with an alias for %s is rejected', (_, text) => {
    expect(readFields(HEAD + text, yaml)).toMatchObject({
      ok: false,
      beyond: true,
      message: 'An alias stands for a collection that contains it',
    });
    expect(readTyped(HEAD + text, yaml)).toBeUndefined();
  });

  it('with an anchor that is given again within its collection is read', () => {
    expect(readTyped(`${HEAD}z: &a [&a x, *a, {&b k: *b}]`, yaml)).toMatchObject({ z: ['x', 'x', { k: 'k' }] });
  });

  it.each(Object.entries(ERRORS))('with %s is rejected at the first of them', (_, [text, message, line, column]) => {
    const started = performance.now();
    expect(readFields(HEAD + text, yaml)).toEqual({ ok: false, message, line, column });
    expect(readTyped(HEAD + text, yaml)).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(250);
  });

  it.each(Object.entries(LONG))('with %s is read', (_, text) => {
    expect(readFields(HEAD + text, yaml)).toMatchObject({ ok: true });
    expect(readTyped(HEAD + text, yaml)).toMatchObject({ name: 'x' });
  });

  it('keeps nested values, quoted keys, explicit keys and aliases', () => {
    const text = `${HEAD}"quoted key": [[1, 2], {a: {b: c}}]\n? plain\n: &a [x]\nagain: *a`;
    expect(readFields(text, yaml)).toMatchObject({ ok: true, repaired: false });
    expect(readTyped(text, yaml)).toEqual({
      name: 'x',
      description: 'd',
      'quoted key': [[1, 2], { a: { b: 'c' } }],
      plain: ['x'],
      again: ['x'],
    });
  });
});

describe('frontmatter that aliases multiply', () => {
  const multiplied = `---\n${HEAD}a: &a "${'b'.repeat(9000)}"\nz: {list: [${'*a,'.repeat(20)}]}\n---\nText.\n`;

  it('is reported, and left out of the extension alone', async () => {
    const world = createWorld();
    world.write('project/.agents/skills/x/SKILL.md', multiplied);
    world.write('project/.agents/skills/y/SKILL.md', multiplied.replace('name: x', 'name: y').replace('*a,'.repeat(20), '*a,'.repeat(3)));
    const { stdout } = await run(world, 'lint');
    expect(stdout.match(/\S+ {2}frontmatter-aliases$/gm)).toEqual(['out.  frontmatter-aliases']);
    const host = await serveHere(world);
    const listed = (await host.request('skills/list')).result.skills;
    expect(listed.map(({ uri }: { uri: string }) => uri)).toEqual(['skill://y/SKILL.md']);
    expect((await host.call('skill', { name: 'x' })).isError).not.toBe(true);
  });

  it('is left out of the extension also where an upstream publishes it', async () => {
    const uri = 'skill://x/SKILL.md';
    const { rules, skills } = await find(await resourceServer([{ uri, name: uri }], () => ({ [uri]: multiplied })));
    expect(rules).toEqual(['frontmatter-aliases']);
    expect(skills.map(({ conforms }) => conforms)).toEqual([false]);
  });
});

describe('typed frontmatter', () => {
  it('takes as much memory as its text', () => {
    const text = `${HEAD}z: "${'\\x41'.repeat(3700)}"`;
    const read = () => Array.from({ length: 50 }, () => readTyped(text, yaml));
    read();
    const before = heapInUse();
    const all = read();
    expect((heapInUse() - before) / all.length).toBeLessThan(32 * 1024);
    expect(all.at(-1)).toMatchObject({ z: 'A'.repeat(3700) });
  });

  it('has a value with a stray colon as text', () => {
    expect(readTyped('name: x\ndescription: use it: always', yaml)).toEqual({ name: 'x', description: 'use it: always' });
  });
});

describe('every path that reads YAML', () => {
  const circular = `---\n${HEAD}z: &a [*a]\n---\n`;

  it('lint reports a list that contains itself, with its line', async () => {
    const world = createWorld();
    world.write('project/team/x/SKILL.md', circular);
    const { code, stdout } = await run(world, 'lint', 'team');
    expect(code).toBe(1);
    expect(stdout).toContain(
      'team/x/SKILL.md:4:8\n  error  The frontmatter is not read: An alias stands for a collection that contains it.',
    );
  });

  it('a skill with a list that contains itself is left out of every list', async () => {
    const world = createWorld();
    world.write('project/.agents/skills/x/SKILL.md', circular);
    world.skill('project/.agents/skills/good');
    const host = await serveHere(world);
    expect((await host.request('skills/list')).result.skills).toHaveLength(1);
    expect((await host.call('list_skills', {})).structuredContent.skills).toHaveLength(1);
  });

  it('an upstream that publishes a list that contains itself loses only that skill', async () => {
    const uris = ['skill://x/SKILL.md', 'skill://good/SKILL.md'];
    const upstream = await resourceServer(
      uris.map((uri) => ({ uri, name: uri })),
      () => ({ 'skill://x/SKILL.md': circular, 'skill://good/SKILL.md': markdown('good') }),
    );
    const { skills, rules } = await find(upstream);
    expect(skills.map(({ name }) => name)).toEqual(['good']);
    expect(rules).toEqual(['yaml-limit']);
  });

  const hostile = `---\n${HEAD}x: ${'{'.repeat(600)}\n---\n`;

  it('lint reports frontmatter with flow maps nested as keys, with its line', async () => {
    const world = createWorld();
    world.write('project/team/x/SKILL.md', hostile);
    world.skill('project/team/good');
    const { code, stdout } = await run(world, 'lint', 'team');
    expect(code).toBe(1);
    expect(stdout).toContain('team/x/SKILL.md:4:68\n  error  The frontmatter is not read: It is nested more than 64 levels deep.');
  });

  it('an upstream that publishes such a skill loses only that one', async () => {
    const uris = ['skill://x/SKILL.md', 'skill://good/SKILL.md'];
    const upstream = await resourceServer(
      uris.map((uri) => ({ uri, name: uri })),
      () => ({ 'skill://x/SKILL.md': hostile, 'skill://good/SKILL.md': markdown('good') }),
    );
    const { skills, rules } = await find(upstream);
    expect(skills.map(({ name }) => name)).toEqual(['good']);
    expect(rules).toEqual(['yaml-limit']);
  });

  it('the configuration of a host is rejected with the position of a nested key, a duplicate key or a second document', async () => {
    expect(await parseDocument('a: 1\nx: {{a: b}: c}', 'yaml')).toEqual({ ok: false, problem: 'A key is not text.', line: 2, column: 5 });
    expect(await parseDocument(`x: ${'{'.repeat(100)}`, 'yaml')).toMatchObject({ problem: 'It is nested more than 64 levels deep.' });
    expect(await parseDocument('a:\n  b: 1\n  "b": 2\n', 'yaml')).toEqual({ ok: false, problem: 'Duplicate key "b".', line: 3, column: 3 });
    expect(await parseDocument('a: &a [*a]', 'yaml')).toMatchObject({ problem: 'An alias stands for a collection that contains it.' });
    expect(await parseDocument('a:\n  "\\q"', 'yaml')).toEqual({ ok: false, problem: 'Invalid escape sequence \\q.', line: 2, column: 4 });
    expect(await parseDocument('a: 1\n---\nb: 1\n', 'yaml')).toMatchObject({ ok: false, problem: 'It holds several documents.' });
  });

  it('the configuration of a host may have 10,000 keys', async () => {
    const text = lines(10_000, (index) => `k${index}: 1`);
    expect(await parseDocument(text, 'yaml')).toMatchObject({ ok: true, value: { k9999: 1 } });
  });
});

/** The heap in use after garbage collection. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
