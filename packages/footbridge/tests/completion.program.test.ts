/** Completion in real shells: type, then press Tab. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { command, environment } from './support/client.js';
import { run } from './support/command.js';
import { createWorld, type World } from './support/folders.js';
import { describeWith } from './support/requirements.js';

const COMMAND = command();

/** As bad as a name can be for a shell; whatever of it ran would leave a file. */
const HOSTILE = 'x $(touch pwned) `touch pwned` ; touch pwned & \'q\' "z" | $HOME * ~ !! {a,b} <x >pwned #';

/** A world with skills, and a program `footbridge` in it that completes, and else notes the words it was started with. */
type CompletingWorld = World & { readonly env: NodeJS.ProcessEnv; words(): string[][] };

async function worldToComplete(): Promise<CompletingWorld> {
  const world = createWorld();
  world.skill('project/.agents/skills/pdf-forms');
  world.write('project/.agents/skills/pdf-forms/assets/data.csv', '1');
  world.write('project/.agents/skills/hostile/SKILL.md', `---\nname: ${JSON.stringify(HOSTILE)}\ndescription: d\n---\n`);
  world.skill('project/team skills/office/git');
  world.write('project/settings.json', '{}');
  // The first Tab starts the program; what it would do when started again and again is done here.
  const program = world.write(
    'home/bin/footbridge',
    `#!/bin/bash
case "$1" in
completion) exec "${process.execPath}" "${COMMAND}" "$@" ;;
__complete)
  mkdir "$HOME/started" 2> /dev/null && exec "${process.execPath}" "${COMMAND}" "$@"
  exec 3<> /dev/tcp/127.0.0.1/${await answers(world)}
  printf '%s\\0' "$#" "$@" >&3
  exec cat <&3 ;;
esac
for word in "$@"; do printf '%s\\n' "$word"; done >> "$HOME/words"
echo >> "$HOME/words"
`,
  );
  chmodSync(program, 0o755);
  const env = environment(world.home, { PATH: `${world.path('home/bin')}${delimiter}${process.env['PATH']}`, TERM: 'xterm' });
  const words = () =>
    readFileSync(world.path('home/words'), 'utf8')
      .trimEnd()
      .split('\n\n')
      .map((each) => each.split('\n'));
  return { ...world, env, words };
}

/** Listens for how many arguments there are, and for these, each ended by a NUL; answers what the command line prints. Its port. */
async function answers(world: World): Promise<number> {
  const server = createServer((socket) => {
    let asked = '';
    socket.on('data', async (chunk) => {
      asked += chunk.toString();
      const [count, ...args] = asked.split('\0').slice(0, -1);
      if (args.length === Number(count)) socket.end((await run(world, ...args)).stdout);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Types lines into an interactive shell at a terminal; resolves when it has ended. */
async function type(world: CompletingWorld, shell: string, lines: readonly string[]): Promise<void> {
  const child: ChildProcess = spawn('script', ['-qec', shell, '/dev/null'], {
    cwd: world.project,
    env: world.env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdout?.resume();
  child.stdin?.write([...lines, 'exit', ''].join('\n'));
  await new Promise((resolve) => child.once('exit', resolve));
}

/** What is typed, and what the program is started with. */
const TYPED: readonly (readonly [line: string, words: readonly string[]])[] = [
  ['footbridge sh\tpdf\t', ['show', 'pdf-forms']],
  ['footbridge show x\t', ['show', HOSTILE]],
  ['footbridge read skill://pd\t', ['read', 'skill://pdf-forms/SKILL.md']],
  ['footbridge read skill://pdf-forms/a\t', ['read', 'skill://pdf-forms/assets/data.csv']],
  ['footbridge --log-level=deb\t list', ['--log-level=debug', 'list']],
  ['footbridge list --log-level deb\t --js\t', ['list', '--log-level', 'debug', '--json']],
  ['footbridge --conf\t set\t list', ['--config', 'settings.json', 'list']],
  ["footbridge show --skills 'team skills' gi\t", ['show', '--skills', 'team skills', 'git']],
  ['footbridge lint tea\t', ['lint', expect.stringMatching(/^team skills\/?$/)]],
  ['footbridge wrap -- ./set\t', ['wrap', '--', './settings.json']],
];

/** Types all of it, and looks at what the program was started with. */
async function completes(shell: string, script: string, command: string): Promise<void> {
  const world = await worldToComplete();
  world.write(`home/${script}`, (await run(world, 'completion', shell)).stdout);
  world.write('home/.zshrc', 'autoload -Uz compinit && compinit -u\n');
  await type(world, command, [`source "$HOME/${script}"`, ...TYPED.map(([line]) => line)]);
  expect(world.words()).toEqual(TYPED.map(([, words]) => words));
  expect(existsSync(world.path('project/pwned'))).toBe(false);
}

describe('completion', () => {
  it('has a script for each shell, and says how to install it', async () => {
    const world = createWorld();
    const help = await run(world, 'completion', '--help');
    for (const command of ['init', 'dev'])
      expect((await run(world, command, '--help')).stdout).toContain(`Examples:\n  $ footbridge ${command}`);
    for (const shell of ['bash', 'zsh', 'fish']) expect(help.stdout).toContain(`$ footbridge completion ${shell} > `);
    expect(help.stdout).not.toContain('__complete');
    expect((await run(world, '--help')).stdout).not.toContain('__complete');
    expect(await run(world, 'completion', 'csh')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Use one of: bash, zsh, fish'),
    });
  });

  it('completes existing commands, and prints no error within a line', async () => {
    const world = await worldToComplete();
    const answered = async (...line: string[]) =>
      (await run(world, '__complete', 'zsh', '--', 'footbridge', ...line)).stdout.split('\n').slice(0, -1);
    const help = (await run(world, '--help')).stdout;
    const commands = (await answered('')).slice(1).map((line) => line.split('\t')[0]);
    const [, listed = ''] = help.split('\nSet up:\n');
    expect(commands).toEqual([...(listed.split('\nExamples:')[0] ?? '').matchAll(/^ {2}([a-z]\S*)/gm)].map(([, name]) => name));
    expect(await answered('completion', '')).toEqual(['none', 'bash', 'zsh', 'fish']);
    expect(await answered('wrap', '--isolation', '')).toEqual(['none', 'shared', 'caller']);
    expect(await answered('install', '--host', 'cursor', 'claude-c')).toEqual(['none', 'claude-code\tClaude Code']);
    expect(await answered('install', '--host', 'cursor', '--dr')).toEqual(['none', expect.stringMatching(/^--dry-run\t/)]);
    expect(await answered('install', '--host', 'cursor', '--global', 'c')).toEqual(['none']);
    expect(await answered('show', 'one', 'two', '')).toEqual(['none']);
    world.write('project/.agents/skills/dashed/SKILL.md', '---\nname: --help\ndescription: d\n---\n');
    expect((await answered('show', '')).join(), 'it would be taken for an option').not.toContain('--help');
    expect(await answered('show', '--', '--h')).toEqual(['none', '--help\td']);
    expect(await answered('help', 'verif')).toEqual(['none', expect.stringMatching(/^verify\t/)]);
    expect(await answered('nonsense', '--nonsense', '')).toEqual(['none']);
    world.write('project/footbridge.json', '{ broken');
    expect(await run(world, '__complete', 'zsh', '--', 'footbridge', 'show', '')).toEqual({ code: 0, stdout: 'none\n', stderr: '' });
  });
});

describe.runIf(process.platform === 'linux')('Tab', () => {
  it('in bash does not run anything in a name', async () => {
    await completes('bash', 'completion.bash', 'bash --norc --noprofile -i');
    const world = await worldToComplete();
    const { stdout } = await run(world, '__complete', 'bash', '--', 'footbridge show "', ':=');
    expect(stdout, 'inside a quote only what is harmless there').toBe('none\npdf-forms\n');
  });

  describeWith('zsh', 'in zsh', (zsh) => {
    it('where nothing from a name is run', () => completes('zsh', 'completion.zsh', `"${zsh}" -i`));
  });

  describeWith('fish', 'in fish', (fish) => {
    it('where nothing from a name is run', async () => {
      const world = await worldToComplete();
      const asked = TYPED.map(([line]) => line.split('\t')[0] ?? '');
      const script = ['footbridge completion fish | source', ...asked.map((line) => `complete -C ${JSON.stringify(line)}; echo`)].join(
        '\n',
      );
      const stdout = await new Promise<string>((resolve) => {
        execFile(fish, ['-c', script], { cwd: world.project, env: world.env }, (_error, output) => resolve(output));
      });
      const offered = stdout.split('\n\n').map((each) => each.split('\n').map((line) => line.split('\t')[0]));
      expect(offered).toEqual([
        ['show'],
        [HOSTILE],
        ['skill://pdf-forms/SKILL.md'],
        ['skill://pdf-forms/assets/data.csv'],
        ['--log-level=debug'],
        ['debug'],
        ['--config'],
        ['git'],
        ['team skills/'],
        ['./settings.json'],
        [''],
      ]);
      expect(existsSync(world.path('project/pwned'))).toBe(false);
    });
  });
});
