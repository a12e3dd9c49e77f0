/** The published command: its loader caches compiled code between starts, which changes nothing but the time. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/folders.js';
import { serve } from '../support/server.js';

const bundle = join(import.meta.dirname, '..', '..', 'bundle');
const command = join(import.meta.dirname, '..', '..', 'bin', 'footbridge.cjs');

function list(world: World, extra: Record<string, string> = {}): string {
  return execFileSync(process.execPath, [command, 'list', '--long'], {
    cwd: world.project,
    env: { PATH: process.env['PATH'], HOME: world.home, ...extra },
    encoding: 'utf8',
  });
}

/** Prints at the end what was loaded when the tools were listed: other parts are loaded in advance as soon as the program is idle. */
const RECORD = `
let loaded = [];
const { write } = process.stdout;
process.stdout.write = function (text, ...rest) {
  if (String(text).includes('"inputSchema"')) loaded = Object.keys(require.cache);
  return write.call(this, text, ...rest);
};
process.on('exit', () => console.error(JSON.stringify(loaded)));
`;

/** Sets a flag before the loader writes, and prints what V8 did with code from the cache. */
const SET_FLAG = `
const vm = require('node:vm');
vm.Script = class extends vm.Script {
  constructor(code, options) {
    super(code, options);
    if (options?.cachedData) console.error(this.cachedDataRejected ? 'rejected' : 'accepted');
  }
};
process.on('exit', () => require('node:v8').setFlagsFromString('--semi-space-growth-factor=1'));
`;

/** The files of the bundle that are loaded until the tools are listed. */
async function chunksOfStart(world: World, ...args: string[]): Promise<string[]> {
  const record = world.write('outside/record.cjs', RECORD);
  const client = await serve(world, { args, env: { NODE_OPTIONS: `--require ${record}`, OTEL_SDK_DISABLED: 'true' } });
  await client.request('tools/list');
  await client.close();
  const loaded: string[] = JSON.parse(client.stderr);
  return loaded.filter((file) => dirname(file) === bundle).map((file) => basename(file));
}

/** Creates a cache folder, in place of somebody else, when the loader has just seen that it is missing; prints what was loaded from it. */
const RACE = `
const fs = require('node:fs');
const nodeModule = require('node:module');
const vm = require('node:vm');
const { CACHE, HAS_COMPILE_CACHE, MODE, PLANTED } = process.env;
const { lstatSync } = fs;
fs.lstatSync = (path, ...rest) => {
  const found = lstatSync(path, ...rest);
  if (path !== CACHE + '/code' || found !== undefined || MODE === undefined) return found;
  const files = fs.readdirSync(PLANTED + '/code').map((each) => '/code/' + each);
  for (const name of ['', '/code']) fs.mkdirSync(CACHE + name);
  for (const name of files) fs.copyFileSync(PLANTED + name, CACHE + name);
  for (const name of ['', '/code', ...files]) fs.chmodSync(CACHE + name, Number.parseInt(MODE, 8));
  return undefined;
};
const loaded = [];
nodeModule.enableCompileCache = HAS_COMPILE_CACHE === 'yes' ? (folder) => loaded.push('folder') : undefined;
vm.Script = class extends vm.Script {
  constructor(code, options) {
    if (options?.cachedData !== undefined) loaded.push('file');
    super(code, options);
  }
};
process.on('exit', () => console.error(JSON.stringify(loaded)));
`;

// While coverage is measured nothing is kept, so that there is something to measure.
describe.runIf(process.env['FOOTBRIDGE_TEST_ENTRY'] !== 'modules')('the loader', () => {
  it('runs the program once, with the cache cold, warm and off', () => {
    const world = createWorld();
    world.skill('project/.agents/skills/one');
    const outputs = [list(world), list(world), list(world, { FOOTBRIDGE_CACHE: 'off' })];
    expect(outputs).toEqual(
      Array(3).fill(expect.stringMatching(/^one {2}project, \.\/\.agents\/skills\n {2}What one is for\n {2}skill:\/\/one\/SKILL\.md\n/)),
    );
  });

  it.runIf(process.platform === 'linux')('keeps code and index in the one cache folder of the system, or in the one named', () => {
    const world = createWorld();
    world.skill('project/.agents/skills/one');
    list(world);
    list(world, { XDG_CACHE_HOME: world.path('home/xdg') });
    list(world, { FOOTBRIDGE_CACHE: world.path('home/named') });
    for (const folder of ['home/.cache/footbridge', 'home/xdg/footbridge', 'home/named']) {
      expect(readdirSync(world.path(folder))).toEqual(['code', expect.stringMatching(/^skills-[0-9a-f]{8}\.bin$/)]);
    }
    list(world, { FOOTBRIDGE_CACHE: 'off', XDG_CACHE_HOME: world.path('home/unused') });
    expect(readdirSync(world.home)).not.toContain('unused');
  });

  it('loads two files and the runtime of the bundler for a start over stdio', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/one');
    const runtime = expect.stringMatching(/^rolldown-runtime-/);
    expect(await chunksOfStart(world)).toEqual(['footbridge.cjs', runtime, expect.stringMatching(/^stdio-/)]);
  });

  it('loads no server to add a source', () => {
    const world = createWorld();
    const record = world.write(
      'outside/record.cjs',
      "process.on('exit', () => console.error(JSON.stringify(Object.keys(require.cache))));",
    );
    const { status, stderr } = spawnSync(process.execPath, ['--require', record, command, 'add', './missing', '--yes'], {
      cwd: world.project,
      env: { PATH: process.env['PATH'], HOME: world.home },
      encoding: 'utf8',
    });
    const loaded: string[] = JSON.parse(stderr.slice(stderr.lastIndexOf('\n[') + 1));
    const chunks = loaded.filter((file) => dirname(file) === bundle).map((file) => basename(file));
    expect(status).toBe(1);
    expect(chunks).toContainEqual(expect.stringMatching(/^add-/));
    expect(chunks.filter((name) => /^(?:stdio|load|agent)-/.test(name))).toEqual([]);
  });

  it.runIf(process.version.startsWith('v20.'))('keeps the code of both files that a start over stdio loads', () => {
    const world = createWorld();
    world.skill('project/.agents/skills/one');
    list(world);
    const kept = () => readdirSync(world.path('home/.cache/footbridge/code')).sort();
    const before = kept();
    expect(before).toHaveLength(2);
    list(world);
    expect(kept()).toEqual(before);
  });

  it('wraps a server without loading the full command line or the configuration', async () => {
    const world = createWorld();
    const offer = world.write('outside/offer.json', '{ "tools": [{ "name": "add", "inputSchema": { "type": "object" } }] }');
    const server = join(import.meta.dirname, '..', 'fixtures', 'server-v1.mjs');
    const chunks = await chunksOfStart(world, 'wrap', '--', process.execPath, server, offer);
    expect(chunks).toContainEqual(expect.stringMatching(/^upstream-/));
    expect(chunks.filter((name) => /^(?:main|load|watch)-/.test(name))).toEqual([]);
  });

  it.runIf(process.platform === 'linux')(
    'loads and keeps no code or index in a folder that others can change, or by a relative path',
    () => {
      const world = createWorld();
      world.skill('project/.agents/skills/one');
      const expected = list(world);
      const named = world.path('home/named');
      list(world, { FOOTBRIDGE_CACHE: named });
      const files = () => readdirSync(named, { recursive: true, encoding: 'utf8' }).sort();
      const before = files();
      expect(before.length).toBeGreaterThan(2);
      for (const [file] of [[named], [join(named, 'code')]] as const) {
        // As if another user had created it: its content is neither read nor replaced.
        chmodSync(file, 0o777);
        for (const name of readdirSync(join(named, 'code'), { recursive: true, withFileTypes: true }))
          if (name.isFile()) writeFileSync(join(name.parentPath, name.name), 'not ours');
        expect(list(world, { FOOTBRIDGE_CACHE: named })).toBe(expected);
        expect(files()).toEqual(before);
        chmodSync(file, 0o700);
      }
      chmodSync(named, 0o777);
      expect(
        execFileSync(process.execPath, [command, 'doctor'], {
          cwd: world.project,
          env: { PATH: process.env['PATH'], HOME: world.home, FOOTBRIDGE_CACHE: named },
          encoding: 'utf8',
        }),
      ).toContain('cache-open');
      expect(list(world, { XDG_CACHE_HOME: 'relative' })).toBe(expected);
      expect(list(world, { FOOTBRIDGE_CACHE: './named-too' })).toBe(expected);
      expect(list(world, { HOME: 'nowhere', FOOTBRIDGE_CACHE: '' })).toBe(expected);
      expect(readdirSync(world.project)).toEqual(['.agents']);
    },
  );

  it.runIf(process.platform === 'linux')('loads nothing from a cache folder that somebody else creates after it was missing', () => {
    const world = createWorld();
    const planted = world.path('outside/planted');
    list(world, { FOOTBRIDGE_CACHE: planted, NODE_OPTIONS: '' });
    const hook = world.write('outside/race.cjs', RACE);
    const loaded = (hasCompileCache: string, mode?: string) => {
      const cache = world.path(`home/cache-${hasCompileCache}-${mode}`);
      if (mode === undefined) cpSync(planted, cache, { recursive: true });
      const { stderr } = spawnSync(process.execPath, ['--require', hook, command, '--version'], {
        cwd: world.project,
        env: {
          PATH: process.env['PATH'],
          HOME: world.home,
          FOOTBRIDGE_CACHE: cache,
          CACHE: cache,
          HAS_COMPILE_CACHE: hasCompileCache,
          PLANTED: planted,
          ...(mode === undefined ? {} : { MODE: mode }),
        },
        encoding: 'utf8',
      });
      const found: string[] = JSON.parse(stderr);
      return [...new Set(found)];
    };
    expect(loaded('yes')).toEqual(['folder']);
    expect(loaded('yes', '777')).toEqual([]);
    // A runtime with a compile cache of its own keeps no such files.
    if (!('enableCompileCache' in nodeModule)) expect(loaded('no')).toEqual(['file']);
    expect(loaded('no', '777')).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('starts, and ends at SIGTERM, with a home folder in /proc', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/one');
    for (const home of ['/proc/1/fd', '/proc/self/task', '/dev/null'])
      expect(list(world, { HOME: home, XDG_STATE_HOME: '/proc/1/fd' })).toContain('skill://one/SKILL.md');
    const client = await serve(world, { env: { HOME: '/proc/1/fd', XDG_CACHE_HOME: '' } });
    expect((await client.request('tools/list')).result.tools.length).toBeGreaterThan(0);
    await client.close();
  });

  it.skipIf(process.platform === 'win32')('runs with pipes in place of cached files', () => {
    const world = createWorld();
    world.skill('project/.agents/skills/one');
    list(world);
    const cache = world.path('home/.cache');
    const files = readdirSync(cache, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(1);
    for (const { name, parentPath } of files) {
      rmSync(join(parentPath, name));
      execFileSync('mkfifo', [join(parentPath, name)]);
    }
    expect(list(world)).toContain('What one is for');
  });

  it.skipIf('enableCompileCache' in nodeModule)('takes code from the cache that was kept after flags of V8 were set', () => {
    const world = createWorld();
    world.skill('project/.agents/skills/one');
    const options = { NODE_OPTIONS: `--require ${world.write('outside/flags.cjs', SET_FLAG)}` };
    const first = list(world, options);
    const { stderr, stdout } = spawnSync(process.execPath, [command, 'list', '--long'], {
      cwd: world.project,
      env: { PATH: process.env['PATH'], HOME: world.home, ...options },
      encoding: 'utf8',
    });
    expect({ stderr, stdout }).toEqual({ stderr: 'accepted\naccepted\n', stdout: first });
  });

  it('runs with a damaged or read-only cache', () => {
    const world = createWorld();
    world.skill('project/.agents/skills/one');
    const expected = list(world);
    const code = world.path('home/.cache/footbridge/code');
    for (const file of readdirSync(code, { recursive: true, withFileTypes: true })) {
      if (file.isFile()) writeFileSync(join(file.parentPath, file.name), 'damaged');
    }
    expect(list(world)).toBe(expected);
    mkdirSync(world.path('home/locked'));
    chmodSync(world.path('home/locked'), 0o500);
    expect(list(world, { FOOTBRIDGE_CACHE: world.path('home/locked') })).toBe(expected);
    expect(list(world, { FOOTBRIDGE_CACHE: '/dev/null/nowhere' })).toBe(expected);
  });
});
