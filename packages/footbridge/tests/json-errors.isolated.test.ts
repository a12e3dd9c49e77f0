/** With --json, an error is JSON on stdout, and nothing is written to stderr. */
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Io } from '../src/cli/io.js';
import { createProgram } from '../src/cli/program.js';
import { type Outcome, run } from './support/command.js';
import { createWorld, type World } from './support/folders.js';

const NO_CONFIG = ['--config', 'missing.json'];

/** What makes each command fail that prints JSON; the last words are those of a mistake that only its own code finds. */
const FAILURES: Readonly<Record<string, readonly string[]>> = {
  install: ['--host', 'nope'],
  uninstall: ['--host', 'nope'],
  doctor: ['--host', 'nope'],
  sync: ['--to', 'nope'],
  token: ['ops', '--write', ...NO_CONFIG],
  'token list': NO_CONFIG,
  'token revoke': ['nobody'],
  list: NO_CONFIG,
  show: ['pdf-form'],
  read: ['skill://nope/SKILL.md'],
  search: ['words', ...NO_CONFIG],
  surface: ['--against', 'missing.json'],
  add: ['./nothing-here'],
  remove: ['nothing'],
  outdated: ['--config', 'broken.json'],
  update: ['nothing'],
  fetch: ['--config', 'broken.json'],
  init: ['Not A Name'],
  dev: ['./missing'],
  lint: NO_CONFIG,
  lock: NO_CONFIG,
  verify: [],
  trust: ['./missing'],
  login: ['nobody'],
  logout: ['nobody'],
};
/** These print no result, so they have no option for JSON; a mistake in their options is still JSON. */
const WITHOUT = ['serve', 'wrap', 'logins', 'completion'];

const program = createProgram([], new Io(), () => {});
const commands = (command: Command, above: readonly string[] = []): (readonly [string, Command])[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help')
    .flatMap((each) => [[[...above, each.name()].join(' '), each], ...commands(each, [...above, each.name()])]);
const paths = commands(program).map(([path]) => path);

function expectJson({ code, stderr, stdout }: Outcome, of: string): { readonly code: string; readonly message: string } {
  expect({ code, stderr }, of).toEqual({ code: expect.toSatisfy((status: number) => status > 0), stderr: '' });
  const { error } = JSON.parse(stdout);
  expect(error, of).toEqual({ code: expect.any(String), message: expect.stringMatching(/\S/), actions: expect.any(Array) });
  return error;
}

describe('errors as JSON', () => {
  let world: World;
  beforeAll(() => {
    world = createWorld(afterAll);
    world.skill('project/.agents/skills/pdf-forms');
    world.write('project/broken.json', '{ "sources": 7 }');
  });

  it('are tested for every command', () => {
    expect([...Object.keys(FAILURES), ...WITHOUT].sort()).toEqual([...paths].sort());
    expect(commands(program).flatMap(([path, command]) => (command.options.some(({ long }) => long === '--json') ? [] : [path]))).toEqual([
      'serve',
      'wrap',
      'completion',
    ]);
  });

  it.each(paths)('%s: an unknown option', async (path) => {
    expect(expectJson(await run(world, ...path.split(' '), '--json', '--nope'), path).code).toBe('usage');
  });

  it.each(Object.entries(FAILURES))('%s: a failure', async (path, words) => {
    expectJson(await run(world, ...path.split(' '), ...words, '--json'), path);
  });

  it('an unknown command', async () => {
    expect(expectJson(await run(world, 'lst', '--json'), 'lst').code).toBe('usage');
  });

  it('lint --format json prints it, too', async () => {
    for (const format of [['--format', 'json'], ['--format=json']])
      expectJson(await run(world, 'lint', ...format, ...NO_CONFIG), format.join(' '));
  });

  it('a refusal to write without --yes is part of the result', async () => {
    world.skill('outside/team');
    world.write('outside/docs/footbridge.json', '{ "mcpServers": { "docs": { "command": "docs-server" } } }');
    for (const words of [
      ['install', '--host', 'cursor'],
      ['sync', '--to', 'claude-code'],
      ['trust', '../outside/docs'],
      ['add', '../outside/team'],
    ]) {
      const { code, stderr, stdout } = await run(world, ...words, '--json');
      expect({ code, stderr }, words.join(' ')).toEqual({ code: 1, stderr: '' });
      expect(JSON.parse(stdout).error.message, words.join(' ')).toMatch(/^Nothing was (?:written|trusted)\. .*--yes/);
    }
  });

  it('arguments after -- are passed to the other program', async () => {
    const { stderr, stdout } = await run(world, 'surface', '--', 'a-program-that-does-not-exist', '--json');
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^footbridge error: /);
  });
});

it('read prints the contents of a URI as JSON, and logout what it has removed', async () => {
  const world = createWorld();
  const text = world.skill('project/.agents/skills/pdf-forms') && '# pdf-forms';
  const { contents, uri } = JSON.parse((await run(world, 'read', 'skill://pdf-forms/SKILL.md', '--json')).stdout);
  expect(uri).toBe('skill://pdf-forms/SKILL.md');
  expect(contents).toEqual([expect.objectContaining({ uri, mimeType: 'text/markdown', text: expect.stringContaining(text) })]);
  expect(JSON.parse((await run(world, 'logout', '--all', '--json')).stdout)).toEqual({ removed: [] });
});
