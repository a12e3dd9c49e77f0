/** Slow commands show progress at a terminal only, and clear it when they are done. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { skillFolders } from 'footbridge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENTRY, environment } from './support/client.js';
import { runWith } from './support/command.js';
import { createWorld, type World } from './support/folders.js';
import { configure, toOrder } from './support/to-order.js';

const WORK = join(import.meta.dirname, 'fixtures', 'progress.mjs');

/** Runs a line of shell at a terminal; resolves with all that it showed. `looks` sees that each time there is more. */
function atTerminal(
  world: World,
  line: string,
  variables: Readonly<Record<string, string>> = {},
  looks: (shown: string) => void = () => {},
): Promise<string> {
  return new Promise((resolve) => {
    const env = environment(world.home, { TERM: 'xterm', ...variables });
    const child = execFile('script', ['-qec', line, '/dev/null'], { cwd: world.project, env }, (_error, stdout) => resolve(stdout));
    let shown = '';
    child.stdout?.on('data', (chunk: string) => {
      shown += chunk;
      looks(shown);
    });
  });
}

/** What is left on the line when all was written: the terminal's own view of it. */
function remains(shown: string): string {
  return shown
    .split('\r\n')
    .map((line) => line.split('\r\u001b[K').at(-1))
    .join('\n');
}

describe.runIf(process.platform === 'linux')('progress', () => {
  const line = (...args: (number | string)[]) => `"${process.execPath}" "${WORK}" ${args.join(' ')}`;
  let shown: Readonly<Record<'narrow' | 'signal' | 'exit' | 'dumb' | 'ci' | 'piped', string>>;

  // All that is waited for is time.
  beforeAll(async () => {
    const world = createWorld(afterAll);
    const [narrow, signal, exit, dumb, ci, piped] = await Promise.all([
      atTerminal(world, `stty cols 40; ${line(1300)}`),
      atTerminal(world, `${line(1200, 'SIGINT')}; echo "$?"`),
      atTerminal(world, `${line(1200, 3)}; echo "$?"`),
      atTerminal(world, line(1100), { TERM: 'dumb' }),
      atTerminal(world, line(1100), { CI: '1' }),
      atTerminal(world, `${line(1100)} 2>&1 | cat`),
    ]);
    shown = { narrow, signal, exit, dumb, ci, piped };
  });

  it('shows the current step after half a second on one line, and clears it for other output and at the end', () => {
    const lines = shown.narrow
      .split('\r\u001b[K')
      .slice(1)
      .map((each) => each.split('\r\n')[0] ?? '');
    expect(lines.some((each) => each.startsWith('counting… '))).toBe(true);
    expect(lines.some((each) => each.startsWith('waiting'))).toBe(true);
    expect(lines).toContain('outer');
    for (const each of lines) expect(each.length).toBeLessThan(40);
    expect(shown.narrow).not.toContain('\u001b[31m');
    expect(remains(shown.narrow)).toBe('to stdout\nto stderr\ndone\n');
  });

  it('clears its line when the program ends, also by a signal', () => {
    for (const each of [shown.signal, shown.exit]) expect(each).toContain('\r\u001b[Kwaiting');
    expect([shown.signal, shown.exit].map(remains)).toEqual(['130\n', '3\n']);
  });

  it('shows nothing within half a second, without a terminal, or on a terminal that cannot rewrite a line', async () => {
    const silent = 'to stdout\r\nto stderr\r\ndone\r\n';
    expect(await atTerminal(createWorld(), line(20))).toBe(silent);
    const { ci, dumb, piped } = shown;
    expect({ dumb, ci, piped }).toEqual({ dumb: silent, ci: silent, piped: silent });
  });

  it('names the servers it waits for, and does not change the output of a command', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/git');
    const seen = world.path('outside/seen');
    const { args, command } = toOrder({ tools: 1 });
    const slow = { command: 'sh', args: ['-c', `until [ -e "${seen}" ]; do sleep 0.05; done; exec "$0" "$@"`, command, ...args] };
    configure(world, { quick: { command, args }, slow });
    const shown = await atTerminal(world, `"${process.execPath}" "${ENTRY}" --config footbridge.json list > list.txt`, {}, (text) => {
      if (text.includes('\r\u001b[Kstarting slow… (1 of 2 ready)')) writeFileSync(seen, '');
    });
    expect(existsSync(seen), shown).toBe(true);
    expect(remains(shown)).toBe('');
    const piped = await runWith(world, {}, 'list');
    expect(piped.stderr).toBe('');
    expect(readFileSync(world.path('project/list.txt'), 'utf8')).toBe(piped.stdout);
  });
});

it('a scan of many folders reports its progress and its end', async () => {
  const world = createWorld();
  for (let index = 0; index < 50; index++) world.skill(`project/team/skill-${index}`);
  const reported: (number | undefined)[] = [];
  const source = skillFolders({
    folders: [world.path('project/team')],
    standardFolders: false,
    watch: false,
    scanned: (folders) => reported.push(folders),
  });
  await source.open(
    () => {},
    () => {},
  );
  source.close();
  expect(reported).toEqual([16, 32, 48, undefined]);
});
