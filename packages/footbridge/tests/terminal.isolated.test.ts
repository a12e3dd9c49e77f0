/** The output of every command in terminals of several widths. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { delimiter } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Io } from '../src/cli/io.js';
import { commandText, cut, fitted, table, widthOf } from '../src/cli/layout.js';
import { createProgram } from '../src/cli/program.js';
import { thisProgram } from '../src/cli/this-program.js';
import { VERSION } from '../src/version.js';
import { Capture, environmentOf, runIn } from './support/command.js';
import { createWorld, type World } from './support/folders.js';
import { until } from './support/http-server.js';
import { APP, TERMINAL_RUNS, type TerminalRun } from './support/terminal-runs.js';

const WIDTHS = [60, 80, 120];
/** Nothing is wrapped or cut. */
const ENDLESS = 10_000;

function world(atEnd?: (remove: () => void) => void): World {
  const made = createWorld(atEnd);
  made.skill(`${APP}/.agents/skills/pdf-forms`, {
    description:
      'Fill in, split and flatten PDF forms, also those without form fields. Use when someone asks for a filled form, or wants to know which fields a form has.',
  });
  made.skill(`${APP}/.agents/skills/office/meeting-minutes`, {
    description: '把会议记录整理成简短的纪要，列出决定、任务和未决问题。当有人要求总结会议时使用。',
  });
  made.skill('home/.claude/skills/release-notes', { description: 'Write notes for a new release. Use when a version is published.' });
  // As npm links the command.
  mkdirSync(made.path('home/bin'));
  symlinkSync(thisProgram().file, made.path('home/bin/footbridge'));
  return made;
}

/** The paths of all commands and subcommands that help shows. */
function commandPaths(command: Command, above: readonly string[] = []): string[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .flatMap((each) => {
      const path = [...above, each.name()];
      return each.name() === 'help' && above.length > 0 ? [] : [path.join(' '), ...commandPaths(each, path)];
    });
}

/** Both streams, without colours. */
async function output(made: World, columns: number, { args, serves }: TerminalRun): Promise<string> {
  const [stdout, stderr] = [new Capture(true, columns), new Capture(true, columns)];
  const stdin = Object.assign(Readable.from([]), { isTTY: true });
  // In CI no progress is shown, which depends on the time that a command takes.
  const env: NodeJS.ProcessEnv = { ...environmentOf(made), NO_COLOR: '1', CI: '1' };
  env['PATH'] = `${made.path('home/bin')}${delimiter}${env['PATH']}`;
  const stop = new AbortController();
  const running = runIn(made, { stdin, stdout, stderr, env, cwd: made.path(APP), stop: stop.signal }, ...args);
  if (serves === true) await until(() => stdout.text.includes('Ctrl-C'));
  stop.abort();
  await running;
  return `${stdout.text}${stderr.text}`;
}

const NOUGHT = (text: string) => text.replace(/\d/g, '0');

/** How a question moves the cursor. */
const MOVES = new RegExp(`${'\u001b'}\\[\\d*[A-Z]`, 'g');

/** What differs from machine to machine and from run to run, by something of the same width. */
function stable(text: string): string {
  return text
    .replaceAll(MOVES, '')
    .replace(/✓ Node .*(?:\n {4}.*)*/g, '✓ Node 20 (node), linux x64')
    .replaceAll(`Footbridge ${VERSION}`, 'Footbridge 0.0.0')
    .replace(/\b[0-9a-f]{24,64}\b/g, (digest) => 'f'.repeat(digest.length))
    .replace(/\bfb_[\w-]{43}/g, `fb_${'x'.repeat(43)}`)
    .replace(/127\.0\.0\.1:\d{5}/g, '127.0.0.1:00000')
    .replace(/\b\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?/g, NOUGHT)
    .replace(/\b\d\d:\d\d:\d\d(?:\.\d+)?\b/g, NOUGHT);
}

/** Without JSON that people copy into a file: it keeps its lines. */
function withoutJson(text: string): string {
  return text.replace(/^( *)\{\n(?:\1 .*\n)*\1\}$/gm, (block) => (JSON.parse(block) === undefined ? block : ''));
}

/** A word alone cannot be wrapped. */
function tooWide(text: string, columns: number): string[] {
  return text.split('\n').filter((line) => widthOf(line) > columns && /\S\s+\S/.test(line.trim()));
}

/** The words of a text, but for those that are cut, and scripts without spaces. */
function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => /^[\x21-\x7e]+$/.test(word) && word !== '\\');
}

/** What is the text of a skill or a script is not ours to wrap. */
function ownOf(text: string, { args, verbatim }: TerminalRun): string {
  if (verbatim !== true) return text;
  return args[0] === 'show' ? text.replace(/\n---\n.*/s, '') : '';
}

describe('every command', () => {
  // The library of hosts knows one home only.
  let hosts: World;
  beforeAll(() => {
    hosts = world(afterAll);
  });

  it('is covered here', () => {
    const paths = commandPaths(createProgram([], new Io(), () => {}));
    expect(paths.length).toBeGreaterThan(25);
    expect(
      Object.keys(TERMINAL_RUNS)
        .filter((path) => path !== '')
        .sort(),
    ).toEqual([...paths].sort());
    for (const [path, runs] of Object.entries(TERMINAL_RUNS)) expect(runs, path).not.toEqual([]);
  });

  const all = Object.entries(TERMINAL_RUNS).flatMap(([path, runs]) => [
    ...runs,
    ...(path === 'help' ? [] : [{ args: [...(path === '' ? [] : path.split(' ')), '--help'] }]),
  ]);
  for (const each of all) {
    const title = ['footbridge', ...each.args, ...(each.when === undefined ? [] : ['when', each.when])].join(' ');
    it(`${title} fits terminals of ${WIDTHS.join(', ')} columns, and breaks no word`, async () => {
      const isOfHosts = ['install', 'uninstall', 'doctor'].includes(each.args[0] ?? '') && !each.args.includes('--help');
      const shown = new Map<number, string>();
      for (const columns of [...WIDTHS, ENDLESS]) {
        const made = isOfHosts ? hosts : world();
        await each.before?.(made);
        const text = stable(await output(made, columns, each));
        expect(text).not.toBe('');
        expect(text).not.toContain(made.path(''));
        expect(tooWide(withoutJson(ownOf(text, each)), columns)).toEqual([]);
        shown.set(columns, text);
      }
      const whole = new Set(wordsOf(shown.get(ENDLESS) ?? ''));
      shown.delete(ENDLESS);
      for (const text of shown.values()) expect(wordsOf(text).filter((word) => !whole.has(word))).toEqual([]);
      expect(Object.fromEntries(shown)).toMatchSnapshot();
    });
  }

  it('a warning appears once', async () => {
    const made = world();
    made.write(`${APP}/.agents/skills/broken/SKILL.md`, '---\nname: broken\ndescription: [x\n---\n');
    for (const args of [['list'], ['search', 'form'], ['show', 'pdf-forms'], ['read', 'skill://pdf-forms/SKILL.md'], ['surface']])
      expect((await output(made, 120, { args })).match(/is not valid YAML/g), args.join(' ')).toHaveLength(1);
  });

  it('shows paths in warnings as people name them, and whole ones to a pipe', async () => {
    const made = world();
    const file = `${APP}/.agents/skills/broken/SKILL.md`;
    made.write(file, '---\nname: broken\ndescription: [x\n---\n');
    made.write('home/.claude/skills/lost/SKILL.md', 'no frontmatter');
    const shown = await output(made, 120, { args: ['list'] });
    expect(shown).toContain('footbridge warn: .agents/skills/broken/SKILL.md');
    expect(shown).toContain('footbridge warn: ~/.claude/skills/lost/SKILL.md');
    expect((await runIn(made, { cwd: made.path(APP), env: environmentOf(made) }, 'list')).stderr).toContain(`warn: ${made.path(file)}`);
  });

  it('does not wrap output to a pipe, unless COLUMNS sets a width', async () => {
    const made = world();
    const cwd = made.path(APP);
    const long = (await runIn(made, { cwd }, 'list', '--long')).stdout;
    expect(long).toContain('Use when someone asks for a filled form, or wants to know which fields a form has.\n');
    const env = { ...environmentOf(made), COLUMNS: '60' };
    const { stdout } = await runIn(made, { cwd, env }, 'list', '--long');
    expect(tooWide(stdout, 60)).toEqual([]);
    expect(stdout).not.toContain('Use when someone asks for a filled form, or wants to know which fields a form has.\n');
  });
});

describe('text for terminals', () => {
  it('indents continuation lines like the first', () => {
    expect(fitted('  one two three four five six', 22)).toBe('  one two three four\n  five six');
  });

  it('counts wide characters as two columns, and colours as none', () => {
    expect(widthOf('会议')).toBe(4);
    expect(widthOf('\u001b[31mred\u001b[39m')).toBe(3);
    expect(cut('会议记录整理', 7)).toBe('会议记…');
  });

  it('omits a column that does not fit', () => {
    const rows = [['a-name-of-twenty-char', 'a description that needs some room', './.agents/skills']];
    const columns = [{ title: 'NAME' }, { title: 'DESCRIPTION', shrinks: true }, { title: 'FROM' }];
    expect(table(columns, rows, 44)).toEqual(['NAME                   FROM', 'a-name-of-twenty-char  ./.agents/skills']);
    expect(table(columns, rows, undefined)[1]).toBe('a-name-of-twenty-char  a description that needs some room  ./.agents/skills');
  });

  it('a wrapped command can be copied: lines end with a continuation mark, and quoted arguments stay together', () => {
    const command = `claude mcp add http://127.0.0.1:3333/mcp --header "Authorization: Bearer <token>" --name 'it is'`;
    const shown = commandText('  ', command, 50);
    expect(tooWide(shown, 50)).toEqual([]);
    expect(shown.replace(/ \\\n */g, ' ').trim()).toBe(command);
    expect(shown).toContain('"Authorization: Bearer <token>"');
    expect(commandText('  ', command, undefined)).toBe(`  ${command}`);
  });

  it('links files where the terminal supports it, without changing the width', async () => {
    const made = world();
    const stdout = () => new Capture(true, 80);
    const shown = async (variables: NodeJS.ProcessEnv) => {
      const out = stdout();
      await runIn(
        made,
        { stdout: out, cwd: made.path(APP), env: { ...environmentOf(made), NO_COLOR: '1', ...variables } },
        'list',
        '--long',
      );
      return out.text;
    };
    const link = `\u001b]8;;${pathToFileURL(made.path('home/.claude/skills/release-notes')).href}\u0007~/.claude/skills/release-notes\u001b]8;;\u0007`;
    const linked = await shown({ TERM_PROGRAM: 'WezTerm' });
    expect(linked).toContain(`  ${link}\n`);
    expect(widthOf(link)).toBe('~/.claude/skills/release-notes'.length);
    for (const variables of [{}, { TERM_PROGRAM: 'WezTerm', CI: '1' }, { TERM: 'dumb', VTE_VERSION: '7200' }, { VTE_VERSION: '5000' }])
      expect(await shown(variables), JSON.stringify(variables)).not.toContain('\u001b');
    expect(await shown({ VTE_VERSION: '7200' })).toBe(linked);
  });
});
