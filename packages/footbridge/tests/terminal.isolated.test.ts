/** The output of every command in terminals of several widths. */
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { cut, fitted, table, widthOf } from '../src/cli/layout.js';
import { Capture, environmentOf, run, runIn } from './support/command.js';
import { createWorld, type World } from './support/folders.js';

const WIDTHS = [60, 80, 120];

function world(): World {
  const made = createWorld();
  made.skill('project/.agents/skills/pdf-forms', {
    description:
      'Fill in, split and flatten PDF forms, also those without form fields. Use when someone asks for a filled form, or wants to know which fields a form has.',
  });
  made.skill('project/.agents/skills/office/meeting-minutes', {
    description: '把会议记录整理成简短的纪要，列出决定、任务和未决问题。当有人要求总结会议时使用。',
  });
  made.skill('home/.claude/skills/release-notes', { description: 'Write notes for a new release. Use when a version is published.' });
  return made;
}

/** With a skill that has problems, which every command warns of. */
function problems(): World {
  const made = world();
  made.write(
    'project/.agents/skills/broken/SKILL.md',
    '---\nname: Broken Skill\ndescription: Shows what the output looks like if the name and the folder differ.\n---\n\nSee [the steps](steps.md).\n',
  );
  return made;
}

/** Each command as a person calls it. What contains paths or times of this machine is checked, but not compared. */
const COMMANDS: readonly { readonly args: readonly string[]; readonly varies?: true }[] = [
  { args: [] },
  ...[
    'install uninstall doctor sync serve wrap token list show read search surface init dev lint add remove outdated update fetch lock verify trust login logout logins completion'.split(
      ' ',
    ),
    [''],
  ]
    .flat()
    .map((command) => ({ args: [...(command === '' ? [] : [command]), '--help'] })),
  { args: ['list'] },
  { args: ['list', '--long'], varies: true },
  { args: ['search', 'fill in a form'] },
  { args: ['search', 'zzzzzz'] },
  { args: ['show', 'pdf-forms'] },
  { args: ['show', 'pdf-form'] },
  { args: ['read', 'pdf-forms'] },
  { args: ['lint'] },
  { args: ['surface'] },
  { args: ['lock'], varies: true },
  { args: ['verify'], varies: true },
  { args: ['init', 'a-new-skill'] },
  { args: ['init', 'Not A Name'] },
  { args: ['token', 'build-agent', '--role', 'admin'], varies: true },
  { args: ['token', 'build-agent', '--write', '--expires', '90d'], varies: true },
  { args: ['token', 'list'] },
  { args: ['token', 'revoke', 'nobody'] },
  { args: ['logins'] },
  { args: ['logout'] },
  { args: ['trust'], varies: true },
  { args: ['wrap', '--', 'npx', '-y', 'some-server'], varies: true },
  { args: ['lst'] },
  { args: ['list', '--jsn'] },
];

/** Both streams, without colours. */
async function output(made: World, columns: number, args: readonly string[]): Promise<string> {
  const [stdout, stderr] = [new Capture(true, columns), new Capture(true, columns)];
  const stdin = Object.assign(Readable.from([]), { isTTY: true });
  const env = { ...environmentOf(made), NO_COLOR: '1' };
  await runIn(made, { stdin, stdout, stderr, env }, ...args);
  return `${stdout.text}${stderr.text}`;
}

/** A word alone cannot be wrapped, and JSON that people copy into a file keeps its lines. */
function tooWide(text: string, columns: number): string[] {
  return text.split('\n').filter((line) => widthOf(line) > columns && /\S\s+\S/.test(line.trim()) && !/^\s*["{}[\]]/.test(line));
}

describe('every command', () => {
  for (const { args, varies } of COMMANDS) {
    const title = ['footbridge', ...args].join(' ');
    it(`${title} fits terminals of ${WIDTHS.join(', ')} columns`, async () => {
      const shown = new Map<number, string>();
      for (const columns of WIDTHS) {
        const made = args[0] === 'lint' ? problems() : world();
        const text = await output(made, columns, args);
        expect(text, title).not.toBe('');
        // The text of a skill is shown as it is.
        const own = args[0] === 'show' ? text.replace(/\n---\n.*/s, '') : text;
        expect(tooWide(own, columns)).toEqual([]);
        shown.set(columns, text);
      }
      if (varies !== true) expect(Object.fromEntries(shown)).toMatchSnapshot();
    });
  }

  it('the commands for hosts fit, too', async () => {
    // They look for hosts in one home only.
    const made = world();
    for (const args of [['doctor'], ['install', '--host', 'cursor', '--dry-run'], ['uninstall', '--host', 'cursor']])
      for (const columns of WIDTHS) expect(tooWide(await output(made, columns, args), columns), args.join(' ')).toEqual([]);
  });

  it('breaks no word: all widths show the same words', async () => {
    const made = problems();
    for (const args of [['list', '--long'], ['--help'], ['install', '--help'], ['read', 'pdf-forms']]) {
      const words = await Promise.all(
        WIDTHS.map(async (columns) => (await output(made, columns, args)).split(/\s+/).filter((word) => /^[\x20-\x7e]+$/.test(word))),
      );
      for (const each of words) expect([...each].sort()).toEqual([...(words[0] ?? [])].sort());
    }
  });

  it('a warning appears once', async () => {
    const made = world();
    made.write('project/.agents/skills/broken/SKILL.md', '---\nname: broken\ndescription: [x\n---\n');
    for (const args of [['list'], ['search', 'form'], ['show', 'pdf-forms'], ['read', 'skill://pdf-forms/SKILL.md'], ['surface']])
      expect((await output(made, 120, args)).match(/is not valid YAML/g), args.join(' ')).toHaveLength(1);
  });

  it('wraps nothing into a pipe, unless COLUMNS names a width', async () => {
    const made = world();
    const long = (await run(made, 'list', '--long')).stdout;
    expect(long).toContain('Use when someone asks for a filled form, or wants to know which fields a form has.\n');
    const env = { ...environmentOf(made), COLUMNS: '60' };
    const { stdout } = await runIn(made, { env }, 'list', '--long');
    expect(tooWide(stdout, 60)).toEqual([]);
    expect(stdout).not.toContain('Use when someone asks for a filled form, or wants to know which fields a form has.\n');
  });
});

describe('errors for programs', () => {
  it('with --json, an error is JSON on stdout, and nothing is written to stderr', async () => {
    const made = createWorld();
    made.skill('project/.agents/skills/pdf-forms');
    for (const [code, ...args] of [
      ['not-found', 'show', 'pdf-form', '--json'],
      ['usage', 'list', '--json', '--nope'],
      ['usage', 'lst', '--json'],
      ['failed', 'init', 'Not A Name', '--json'],
      ['failed', 'surface', '--json', '--against', 'missing.json'],
      ['failed', 'list', '--json', '--config', 'missing.json'],
    ]) {
      const result = await run(made, ...args);
      expect(result, args.join(' ')).toMatchObject({ code: expect.toSatisfy((status: number) => status > 0), stderr: '' });
      expect(JSON.parse(result.stdout), args.join(' ')).toEqual({
        error: { code, message: expect.stringMatching(/\S/), actions: expect.any(Array) },
      });
    }
  });

  it('what follows -- belongs to another program', async () => {
    const { stderr, stdout } = await run(world(), 'surface', '--', 'a-program-that-does-not-exist', '--json');
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^footbridge error: /);
  });
});

describe('text for terminals', () => {
  it('continues a line below its own indent', () => {
    expect(fitted('  one two three four five six', 22)).toBe('  one two three four\n  five six');
  });

  it('counts wide characters as two columns, and colours as none', () => {
    expect(widthOf('会议')).toBe(4);
    expect(widthOf('\u001b[31mred\u001b[39m')).toBe(3);
    expect(cut('会议记录整理', 7)).toBe('会议记…');
  });

  it('leaves out a column that would have no room', () => {
    const rows = [['a-name-of-twenty-char', 'a description that needs some room', './.agents/skills']];
    const columns = [{ title: 'NAME' }, { title: 'DESCRIPTION', shrinks: true }, { title: 'FROM' }];
    expect(table(columns, rows, 44)).toEqual(['NAME                   FROM', 'a-name-of-twenty-char  ./.agents/skills']);
    expect(table(columns, rows, undefined)[1]).toBe('a-name-of-twenty-char  a description that needs some room  ./.agents/skills');
  });
});
