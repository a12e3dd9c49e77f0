/**
 * What a newcomer does with nothing but the README, as written there: a first skill in a client, then a team server in a second host.
 *
 * Prints how long each step takes. `npm run build` is not among them, since tests run on a build.
 */
import { type ExecFileOptions, execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { environment } from './support/client.js';
import { repository, textOfDocument } from './support/documents.js';
import { createWorld, type World } from './support/folders.js';
import { startHttp } from './support/http-server.js';
import { INSPECTOR, QWEN } from './support/npm-servers.js';
import { runProgram } from './support/program.js';

/** The lines of a block of shell commands below a heading of the README. */
function commandsBelow(heading: string): readonly string[] {
  const section = textOfDocument('README.md').split(`\n## ${heading}\n`)[1] ?? '';
  return (/```sh\n(.*?)```/s.exec(section)?.[1] ?? '').trim().split('\n');
}

function output(command: string, args: readonly string[], options: ExecFileOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, args, { ...options, encoding: 'utf8' }, (error, stdout, stderr) =>
      error === null ? resolve(stripVTControlCharacters(`${stdout}${stderr}`)) : reject(new Error(`${error.message}\n${stdout}${stderr}`)),
    );
    child.stdin?.end();
  });
}

async function timed<T>(step: string, work: () => Promise<T>): Promise<T> {
  const begin = performance.now();
  const result = await work();
  console.info(`${step}: ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  return result;
}

/** A home with two hosts, Cursor and Qwen Code, in which a global installation of npm goes into a folder of its own. */
function newcomer(): { readonly world: World; readonly env: NodeJS.ProcessEnv } {
  const world = createWorld();
  for (const folder of ['.cursor', '.qwen']) mkdirSync(join(world.home, folder));
  const prefix = world.path('outside/global');
  const path = `${join(prefix, 'bin')}${delimiter}${process.env['PATH']}`;
  return { world, env: { ...environment(world.home), npm_config_prefix: prefix, PATH: path, NO_COLOR: '1', CI: '1' } };
}

// The hosts are asked about at a terminal, and confirmed by an option here.
const agreed = (line: string) => (line.startsWith('footbridge install') ? `${line} --yes` : line);

it.runIf(process.platform === 'linux')(
  'the README leads from nothing to a first skill in a client, and to a team server in a second host',
  async () => {
    const { env, world } = newcomer();

    const [build, ...first] = commandsBelow('Your first skill, in a minute');
    expect(build).toBe('npm run build');
    const script = [...first.map(agreed), 'pwd'].join('\n');
    const shown = await timed('the first block of the README', () => output('bash', ['-ec', script], { cwd: repository, env }));
    expect(shown).toContain('Created .agents/skills/hello/SKILL.md');
    expect(shown).toMatch(/Wrote .*\.cursor\/mcp\.json/);
    expect(shown).toContain('0 errors, 0 warnings');

    const project = shown.trim().split('\n').at(-1) ?? '';
    const call = ['--method', 'tools/call', '--tool-name', 'skill', '--tool-arg', 'name=hello'];
    const asked = [INSPECTOR, '--cli', '--config', join('.cursor', 'mcp.json'), '--server', 'footbridge', ...call];
    const answer = await timed('the skill in the Inspector, by the entry of Cursor', () =>
      output(process.execPath, asked, { cwd: project, env }),
    );
    expect(answer).toContain('Loading: hello');

    const team = createWorld();
    team.skill('project/.agents/skills/review', { description: 'Review a change. Use when someone asks for a review.' });
    const { token } = JSON.parse((await runProgram(team, 'token', 'newcomer', '--write', '--json')).stdout);
    const { endpoint } = await startHttp(team);

    const joining = commandsBelow('A server for your team').map((line) => agreed(line.replace(/https:\S+/, endpoint)));
    const withToken = { ...env, TEAM_TOKEN: token };
    const joined = await timed('the block about team servers', () =>
      output('bash', ['-ec', joining.join('\n')], { cwd: project, env: withToken }),
    );
    expect(joined).toMatch(/Wrote .*\.qwen\/settings\.json/);
    expect(readFileSync(join(world.home, '.qwen', 'settings.json'), 'utf8')).not.toContain(token);

    const list = () => output(process.execPath, [QWEN, 'mcp', 'list'], { cwd: world.outside, env: withToken });
    const connected = await timed('the team server in Qwen Code', list);
    expect(connected).toMatch(/✓ footbridge-team: .*Connected/);
    expect((await fetch(endpoint, { method: 'POST' })).status).toBe(401);
  },
  120_000,
);
