/** The program itself, started once for each command; what the commands do is tested in their own files. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ENTRY, environment } from './support/client.js';
import { repository } from './support/documents.js';
import { createWorld } from './support/folders.js';
import { runProgram } from './support/program.js';

describe('the program starts', () => {
  it.each([
    [['--version'], 0],
    [['help'], 0],
    [['lst'], 1],
    [['list'], 0],
    [['show', 'pdf'], 0],
    [['read', 'skill://pdf/SKILL.md'], 0],
    [['search', 'pdf'], 0],
    [['lint'], 0],
    [['surface'], 0],
    [['init', 'other'], 0],
    [['lock'], 0],
    [['verify'], 2],
    [['verify', '--nope'], 2],
    [['token', 'me'], 0],
    [['completion', 'bash'], 0],
    [['install', '--global', '--host', 'cursor', '--dry-run'], 0],
    [['uninstall', '--global'], 0],
    [['wrap'], 1],
    [['dev', 'nowhere'], 1],
  ])('%j exits with %i', async (args, code) => {
    const world = createWorld();
    world.skill('project/.agents/skills/pdf', { description: 'Fill in PDF forms' });
    const outcome = await runProgram(world, ...args);
    expect(outcome.code, outcome.stderr).toBe(code);
    expect(code === 0 ? outcome.stdout : outcome.stderr).not.toBe('');
  });
});

it('npm start serves the examples and accepts options', async () => {
  const start = ['start', '--silent', '--', '--http', '0'];
  const child = spawn('npm', start, {
    cwd: repository,
    env: environment(createWorld().home),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  // Its folder is removed after all processes have ended: they still write while they do.
  onTestFinished(async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await closed;
  });
  const output = [child.stdout, child.stderr].map((stream) => text(stream));
  const shown = await new Promise<string>((resolve) => {
    let all = '';
    child.stdout.on('data', (chunk: Buffer) => {
      all += chunk.toString();
      if (all.includes('Ctrl-C')) resolve(all);
    });
    child.once('exit', async () => resolve((await Promise.all(output)).join('\n')));
  });
  const page = /^Catalog page: (http:\/\/127\.0\.0\.1:\d+)\/$/m.exec(shown)?.[1] ?? '';
  expect(page, shown).not.toMatch(/^$|:3333$/);
  expect(shown).toMatch(/^Footbridge serves \d+ skills at /);
  expect((await fetch(`${page}/healthz`)).status).toBe(200);
});

describe('output that is cut off', () => {
  it('ends without an error when the reader closes the pipe', async () => {
    const world = createWorld();
    for (let index = 0; index < 400; index++) world.skill(`project/.agents/skills/skill-${index}`, { description: 'long '.repeat(150) });
    const child = spawn(process.execPath, [ENTRY, 'list'], { cwd: world.project, env: environment(world.home) });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.stdout.once('data', () => child.stdout.destroy());
    await new Promise((resolve) => child.on('close', resolve));
    expect(stderr).toBe('');
  });
});
