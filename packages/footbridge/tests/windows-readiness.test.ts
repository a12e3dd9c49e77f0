/** Differences of Windows that can be tested anywhere: line ends, names that differ only in case, the rules of cmd, long paths. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from './support/command.js';
import { createWorld, type World } from './support/folders.js';

async function json(world: World, ...args: string[]) {
  const { code, stderr, stdout } = await run(world, ...args, '--json');
  return { code, stderr, value: JSON.parse(stdout) };
}

describe('a skill that was checked out with CRLF', () => {
  const TEXT =
    '---\r\nname: pdf-forms\r\ndescription: >-\r\n  Fill in PDF forms.\r\n  Use when a form is to be filled in.\r\nmetadata:\r\n  author: Ada\r\n---\r\n\r\n# Forms\r\n\r\nSee [the fields](references/fields.md).\r\n\r\n```sh\r\nls\r\n```\r\n';

  function checkedOut(text = TEXT): World {
    const world = createWorld();
    world.write('project/.agents/skills/pdf-forms/SKILL.md', text);
    world.write('project/.agents/skills/pdf-forms/references/fields.md', 'Fields\r\n');
    return world;
  }

  it('is listed with its description, has no findings, and is returned unchanged', async () => {
    const world = checkedOut();
    const { value } = await json(world, 'list');
    expect(value.skills).toEqual([
      expect.objectContaining({ name: 'pdf-forms', description: 'Fill in PDF forms. Use when a form is to be filled in.' }),
    ]);
    expect((await json(world, 'lint')).value).toMatchObject({ problems: [], errors: 0 });
    expect((await run(world, 'read', 'skill://pdf-forms/SKILL.md')).stdout).toBe(TEXT);
  });

  it('has findings at the right line and column, and a frame without the line end', async () => {
    const world = checkedOut(TEXT.replace('# Forms', '# Forms TODO'));
    expect((await json(world, 'lint')).value.problems).toEqual([expect.objectContaining({ rule: 'placeholder', line: 10, column: 9 })]);
    const { stdout } = await run(world, 'lint');
    expect(stdout).toContain('  > 10 | # Forms TODO\n');
    expect(stdout).not.toContain('\r');
  });

  it('keeps its line ends when it is fixed', async () => {
    const world = checkedOut(TEXT.replace('name: pdf-forms', 'name: PDF Forms'));
    expect((await run(world, 'lint', '--fix')).code).toBe(0);
    expect(readFileSync(world.path('project/.agents/skills/pdf-forms/SKILL.md'), 'utf8')).toBe(TEXT);
  });

  it('is locked and verified by its bytes, so a checkout with other line ends differs', async () => {
    const world = checkedOut();
    expect(await run(world, 'lock')).toMatchObject({ code: 0, stderr: '' });
    expect((await run(world, 'verify')).code).toBe(0);
    const lock = world.path('project/footbridge.lock');
    writeFileSync(lock, readFileSync(lock, 'utf8').replaceAll('\n', '\r\n'));
    expect((await run(world, 'verify')).code).toBe(0);
    world.write('project/.agents/skills/pdf-forms/SKILL.md', TEXT.replaceAll('\r\n', '\n'));
    expect((await json(world, 'verify')).value.drift).toEqual([
      expect.objectContaining({ change: 'changed', uri: 'skill://pdf-forms/SKILL.md' }),
    ]);
  });
});

describe('names that differ only in case', () => {
  it('of two folders are one skill, which sync writes once', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/pdf', { description: 'The first. Use when a form is to be filled in.' });
    world.skill('project/.agents/skills/PDF', { name: 'PDF', description: 'The second. Use when a form is to be filled in.' });
    world.skill('project/.agents/skills/other/pdf', { description: 'The third. Use when a form is to be filled in.' });
    const { value } = await json(world, 'sync', '--to', 'claude-code', '--yes');
    const written = readdirSync(world.path('project/.claude/skills'));
    expect(new Set(written.map((name) => name.toLowerCase())).size).toBe(written.length);
    expect(written).toEqual(['pdf']);
    expect(value.folders[0].skills.filter(({ action }: { action: string }) => action === 'create')).toHaveLength(1);
    // Each name finds one skill, however it is spelled.
    for (const name of ['pdf', 'PDF', 'Pdf']) expect((await json(world, 'show', name)).value.name.toLowerCase()).toBe('pdf');
  });

  it('of two files of a skill prevent writing them', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/pdf');
    world.write('project/.agents/skills/pdf/references/Notes.md', 'one\n');
    world.write('project/.agents/skills/pdf/references/notes.md', 'two\n');
    const { code, value } = await json(world, 'sync', '--to', 'claude-code', '--yes');
    expect(code).toBe(1);
    expect(value.folders[0].skills).toEqual([
      expect.objectContaining({ action: 'refused', reason: expect.stringContaining('differ only in case') }),
    ]);
    expect(existsSync(world.path('project/.claude/skills/pdf'))).toBe(false);
  });
});

describe('a command line of cross-spawn for cmd', () => {
  type Parse = (
    command: string,
    args: readonly string[],
    options: object,
  ) => { readonly command: string; readonly args: readonly string[] };

  /** It asks for the platform when it loads, so it is loaded again. */
  function onWindows(): Parse {
    const load = createRequire(import.meta.url);
    const before = Object.getOwnPropertyDescriptor(process, 'platform');
    const own = Object.keys(load.cache).filter((file) => /[\\/](?:cross-spawn|which|isexe|path-key)[\\/]/.test(file));
    const kept = own.map((file) => [file, load.cache[file]] as const);
    for (const file of own) delete load.cache[file];
    Object.defineProperty(process, 'platform', { value: 'win32', configurable: true });
    try {
      return load('cross-spawn')._parse;
    } finally {
      if (before !== undefined) Object.defineProperty(process, 'platform', before);
      for (const [file, module] of kept) load.cache[file] = module;
    }
  }

  /** As cmd reads a line: what follows a caret is itself. Quotes have one as well, so nothing is quoted for it. */
  function throughCmd(line: string): string {
    expect(line.replace(/\^./g, '')).not.toMatch(/[()%!^"<>&|]/);
    return line.replace(/\^(.)/g, '$1');
  }

  /** As a program reads its command line. */
  function argumentsIn(line: string): string[] {
    const found: string[] = [];
    let word: string | undefined;
    let isQuoted = false;
    for (let at = 0; at < line.length; at++) {
      const slashes = /^\\*/.exec(line.slice(at))?.[0].length ?? 0;
      if (slashes > 0) {
        // Backslashes are escapes only before a quote.
        const isBeforeQuote = line[at + slashes] === '"';
        const isQuote = isBeforeQuote && slashes % 2 === 1;
        word = `${word ?? ''}${'\\'.repeat(isBeforeQuote ? Math.floor(slashes / 2) : slashes)}${isQuote ? '"' : ''}`;
        at += slashes - (isQuote ? 0 : 1);
      } else if (line[at] === '"') {
        isQuoted = !isQuoted;
        word ??= '';
      } else if (line[at] === ' ' && !isQuoted) {
        if (word !== undefined) found.push(word);
        word = undefined;
      } else word = `${word ?? ''}${line[at]}`;
    }
    return word === undefined ? found : [...found, word];
  }

  const HARD = ['a b', '"q"', '&|<>^%', '%PATH%', '!x!', 'C:\\a b\\', 'a\\"b', '', '(x)', "it's", 'ü 会'];

  it.each([
    ['a script', 'tool.cmd', false],
    ['a script that npm installed, which passes its arguments on once more', 'node_modules/.bin/tool.cmd', true],
  ])('%s gets its arguments unchanged', (_what, path, isShim) => {
    const world = createWorld();
    const script = world.write(`project/${path}`, '@echo off\r\n');
    const { args, command } = onWindows()(script, HARD, { env: { PATH: '', PATHEXT: '.CMD' } });
    expect(command.toLowerCase()).toContain('cmd');
    expect(args.slice(0, 3)).toEqual(['/d', '/s', '/c']);
    const line = /^"(.*)"$/s.exec(args[3] ?? '')?.[1] ?? '';
    const words = line.slice(line.indexOf('.cmd') + '.cmd '.length);
    expect(argumentsIn(isShim ? throughCmd(throughCmd(words)) : throughCmd(words))).toEqual(HARD);
  });

  it('a program is started without cmd', () => {
    const world = createWorld();
    const program = world.write('project/tool.exe', 'MZ');
    const parsed = onWindows()(program, HARD, { env: { PATH: '', PATHEXT: '.EXE' } });
    expect(parsed).toMatchObject({ command: program, args: HARD });
  });
});

it('a skill whose files have paths of more than 260 characters is listed, locked and copied', async () => {
  const world = createWorld();
  const part = 'a-folder-with-a-name-that-is-rather-long-for-what-it-contains';
  const skill = `project/.agents/skills/${part}/${part}/long-paths`;
  world.skill(skill, { description: 'Has long paths. Use when paths are long.' });
  const file = `references/${part}/${part}/${part}/${part}/notes.md`;
  world.write(`${skill}/${file}`, 'Notes\n');
  expect(world.path(`${skill}/${file}`).length).toBeGreaterThan(400);
  const [listed] = (await json(world, 'list')).value.skills;
  expect(listed.name).toBe('long-paths');
  const uri = `${listed.uri.replace(/SKILL\.md$/, '')}${file}`;
  expect((await run(world, 'read', uri)).stdout).toBe('Notes\n');
  expect(await run(world, 'lock')).toMatchObject({ code: 0, stderr: '' });
  expect((await run(world, 'verify')).code).toBe(0);
  expect((await json(world, 'sync', '--to', 'claude-code', '--yes')).code).toBe(0);
  expect(readFileSync(join(world.project, '.claude/skills/long-paths', file), 'utf8')).toBe('Notes\n');
});
