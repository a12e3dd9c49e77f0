/** How an entry in a project's file starts this program, and which paths it may contain. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sharedPath, sharedStart } from '../src/cli/shared-start.js';
import { createWorld } from './support/folders.js';

const ARGS = ['--prompts'];

function program(file: string, isPublished = false) {
  return { isPublished, node: '/usr/bin/node', file };
}

describe('an entry in a project starts', () => {
  it('the package from the registry with npx', () => {
    const { requirement, start } = sharedStart(program('/x/bin/footbridge.cjs', true), { cwd: '/p', env: {} }, 'linux');
    expect(start(ARGS)).toEqual(['npx', '-y', 'footbridge', '--prompts']);
    expect(requirement).toBeUndefined();
  });

  it('a program in the project by its relative path', () => {
    const world = createWorld();
    world.write('project/node_modules/footbridge/bin/footbridge.cjs', '');
    const file = join(world.project, 'node_modules/footbridge/bin/footbridge.cjs');
    const { requirement, start } = sharedStart(program(file), { cwd: world.project, env: {} });
    expect(start(ARGS)).toEqual(['node', 'node_modules/footbridge/bin/footbridge.cjs', '--prompts']);
    expect(requirement).toBeUndefined();
  });

  it.runIf(process.platform !== 'win32')(
    'the command on the PATH if it is this program, but not one that npm adds for a single command',
    () => {
      const world = createWorld();
      world.write('outside/clone/bin/footbridge.cjs', '');
      const file = join(world.outside, 'clone/bin/footbridge.cjs');
      const words = (folder: string) => {
        mkdirSync(join(world.outside, folder), { recursive: true });
        symlinkSync(file, join(world.outside, folder, 'footbridge'));
        return sharedStart(program(file), { cwd: world.project, env: { PATH: `/nothing:${join(world.outside, folder)}` } });
      };
      const found = words('bin');
      expect(found.start(ARGS)).toEqual(['footbridge', '--prompts']);
      expect(found.requirement).toContain('on their PATH');
      expect(words('node_modules/.bin').start(ARGS)).toEqual(['node', '../outside/clone/bin/footbridge.cjs', '--prompts']);
    },
  );

  it('a tarball as it was given to npx', () => {
    const world = createWorld();
    const file = join(world.home, '_npx/1/node_modules/footbridge/bin/footbridge.cjs');
    world.write('home/_npx/1/node_modules/footbridge/bin/footbridge.cjs', '');
    const words = (folder: string) => {
      const archive = join(folder, 'footbridge-1.0.0.tgz');
      world.write('home/_npx/1/package.json', JSON.stringify({ _npx: { packages: [archive] } }));
      return sharedStart(program(file), { cwd: world.project, env: {} }, 'linux').start([]);
    };
    expect(words(join(world.project, 'tools'))).toEqual(['npx', '-y', './tools/footbridge-1.0.0.tgz']);
    expect(words(dirname(world.project))).toEqual(['npx', '-y', '../footbridge-1.0.0.tgz']);
  });

  it('on Windows with slashes, through cmd only if it passes all arguments unchanged, and never from another drive', () => {
    const start = (file: string, isPublished = false) =>
      sharedStart(program(file, isPublished), { cwd: 'C:\\Work\\App', env: {} }, 'win32');
    expect(start('c:\\work\\app\\Tools\\footbridge.cjs').start(['--skills', 'R&D'])).toEqual([
      'node',
      'Tools/footbridge.cjs',
      '--skills',
      'R&D',
    ]);
    expect(start('C:\\Clone\\bin\\footbridge.cjs').start([])).toEqual(['node', '../../Clone/bin/footbridge.cjs']);
    const published = start('D:\\npm\\footbridge.cjs', true);
    expect(published.start(ARGS)).toEqual(['cmd', '/c', 'npx', '-y', 'footbridge', '--prompts']);
    expect(published.start(['wrap', 'https://x/?a=1&b=2'])).toBeUndefined();
    expect(published.requirement).toContain('only on Windows');
    expect(() => start('D:\\Clone\\bin\\footbridge.cjs')).toThrow('on another drive');
  });
});

describe('a path of the command line in a project', () => {
  const option = '--skills';

  it.each([
    ['linux', './team', './team'],
    ['linux', '~/team', '~/team'],
    ['linux', '/home/ada/app/team', './team'],
    ['linux', '/home/ada/team', '~/team'],
    ['linux', '/home/ada/app/../team/', '~/team'],
    ['linux', '/home/ada/app/..team', './..team'],
    ['linux', '/srv/team', undefined],
    ['win32', 'C:\\Users\\Ada\\app\\team', './team'],
    ['win32', 'c:/users/ada/APP/team', './team'],
    ['win32', 'C:\\Users\\Ada\\team', '~/team'],
    ['win32', '\\\\server\\share\\team', undefined],
    ['win32', 'D:\\team', undefined],
  ] as const)('%s: %s is %s', (platform, given, expected) => {
    const place =
      platform === 'win32' ? { cwd: 'C:\\Users\\Ada\\app', home: 'C:\\Users\\Ada' } : { cwd: '/home/ada/app', home: '/home/ada' };
    const shared = () => sharedPath({ option, given, expandsHome: true }, place, platform);
    if (expected === undefined) expect(shared).toThrow('--skills: ');
    else expect(shared().replace(/\/$/, '')).toBe(expected);
  });
});
