/** Adding our tools to servers of others takes nothing away from them, as `footbridge surface` shows. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ENTRY, environment } from './support/client.js';
import { createWorld, type World } from './support/folders.js';
import { EVERYTHING, FILESYSTEM, MEMORY, WITH_FOOTBRIDGE } from './support/npm-servers.js';

const run = promisify(execFile);

/** Runs `footbridge surface`; resolves with what it printed, also where it found a difference. */
async function surface(world: World, args: readonly string[]): Promise<{ stdout: string; code: number }> {
  const env = environment(world.home, { MEMORY_FILE_PATH: world.path('project/memory.jsonl') });
  try {
    const { stdout } = await run(process.execPath, [ENTRY, 'surface', ...args], { cwd: world.project, env });
    return { stdout, code: 0 };
  } catch (error) {
    const { stdout, code } = error as { stdout: string; code: number };
    return { stdout, code };
  }
}

describe('our tools in a server from npm are nothing but additions', () => {
  it.each<[name: string, entry: string, args: (world: World) => string[], options: (world: World) => object, added: string[]]>([
    ['server-everything', EVERYTHING, () => ['stdio'], () => ({}), ['get_resource', 'get_resources']],
    ['server-memory', MEMORY, () => [], () => ({}), ['get_resource', 'get_resources']],
    [
      'server-filesystem',
      FILESYSTEM,
      ({ project }) => [project],
      ({ path }) => ({ skills: [path('project/team')] }),
      ['skill', 'list_skills', 'get_skill'],
    ],
  ])('%s', async (_, entry, args, options, added) => {
    const world = createWorld();
    world.skill('project/team/git');
    const command = [entry, ...args(world)];
    const before = await surface(world, ['--json', '--', process.execPath, ...command]);
    expect(JSON.parse(before.stdout).tools.length).toBeGreaterThan(3);
    const file = join(world.home, 'before.json');
    writeFileSync(file, before.stdout);
    const after = await surface(world, [
      '--json',
      '--against',
      file,
      '--',
      process.execPath,
      WITH_FOOTBRIDGE,
      JSON.stringify(options(world)),
      ...command,
    ]);
    const difference = JSON.parse(after.stdout);
    expect(after.code).toBe(0);
    expect(difference).toMatchObject({ removed: [], changed: [] });
    const names = difference.added.map(({ kind, key }: { kind: string; key: string }) => `${kind} ${key}`);
    expect(names).toEqual(expect.arrayContaining(added.map((tool) => `tool ${tool}`)));
    expect(names.every((each: string) => each.startsWith('tool '))).toBe(true);
    // The other way round they are missing, and that fails.
    writeFileSync(
      file,
      (await surface(world, ['--json', '--', process.execPath, WITH_FOOTBRIDGE, JSON.stringify(options(world)), ...command])).stdout,
    );
    expect((await surface(world, ['--against', file, '--', process.execPath, ...command])).code).toBe(1);
  });
});
