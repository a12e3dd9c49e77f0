/** How an upstream server is started: with which variables, and with its command before anything else. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ENTRY, environment, MODERN_VERSION } from './support/client.js';
import { createWorld, type World } from './support/folders.js';
import { serve, textOf } from './support/server.js';
import { allGone, configure, latestIn, processesIn, saidBy, startsIn, toOrder, wrapped } from './support/to-order.js';

/** Variables of our environment that servers must not receive. */
const OURS = {
  SECRET_X: 'hush-secret',
  NODE_OPTIONS: '--no-warnings',
  FOOTBRIDGE_REDIS: 'redis://hush:hush@127.0.0.1:1',
  AWS_SECRET_ACCESS_KEY: 'hush-aws',
  GITHUB_TOKEN: 'hush-github',
  LANG: 'C.UTF-8',
  // Node itself hands it on.
  NODE_V8_COVERAGE: '',
};

function checkEnvironment(text: string, world: World): void {
  const { PATH, HOME, LANG, GIVEN, ...others } = JSON.parse(text);
  expect({ PATH, HOME, LANG, GIVEN }).toEqual({ PATH: environment(world.home)['PATH'], HOME: world.home, LANG: 'C.UTF-8', GIVEN: 'yes' });
  expect(Object.keys(others)).toEqual([]);
  expect(text).not.toContain('hush');
}

describe('the environment of a server', () => {
  it('that is wrapped contains a few safe variables and the given ones', async () => {
    const world = createWorld();
    const host = await serve(world, { env: OURS, args: wrapped(toOrder({ toolNames: ['env'] }), '--env', 'GIVEN=yes') });
    checkEnvironment(textOf(await host.call('env')), world);
  });

  it('that is configured contains a few safe variables and the given ones, also after a crash', async () => {
    const world = createWorld();
    const starts = world.path('outside/starts');
    configure(world, { one: { ...toOrder({ toolNames: ['env'], starts }), env: { GIVEN: 'yes' }, cwd: '..' } });
    const host = await serve(world, { env: OURS });
    checkEnvironment(textOf(await host.call('env')), world);
    process.kill(latestIn(starts), 'SIGKILL');
    await host.waitFor(() => startsIn(starts).length === 2);
    checkEnvironment(textOf(await host.call('env')), world);
  });
});

describe('the head start that the command gives a wrapped server', () => {
  it('starts the process before the first request, and that process serves', async () => {
    const world = createWorld();
    const starts = world.path('outside/starts');
    const args = wrapped(toOrder({ toolNames: ['echo', 'folder'], starts }), '--cwd', world.outside);
    // In the newer era nothing is said at first.
    const host = await serve(world, { args, script: ENTRY, version: MODERN_VERSION });
    await host.waitFor(() => startsIn(starts).length === 1);
    expect(saidBy(await host.request('tools/call', { name: 'echo' })).pid).toBe(latestIn(starts));
    expect(textOf(await host.call('folder'))).toBe(world.outside);
    expect(startsIn(starts)).toHaveLength(1);
    process.kill(latestIn(starts), 'SIGKILL');
    await host.waitFor(() => startsIn(starts).length === 2);
    expect(textOf(await host.call('folder'))).toBe(world.outside);
    await host.close();
    await allGone(processesIn(starts));
  });

  it('passes no additional variables', async () => {
    const world = createWorld();
    const args = wrapped(toOrder({ toolNames: ['env'] }), '--env', 'GIVEN=yes');
    const host = await serve(world, { args, script: ENTRY, env: OURS });
    checkEnvironment(textOf(await host.call('env')), world);
  });

  it('falls back to a normal start if the process has died', async () => {
    const world = createWorld();
    const starts = world.path('outside/starts');
    // Ends the first time, and serves the second.
    const { command, args } = toOrder({ name: 'late', toolNames: ['echo'], starts });
    const script = 'if [ -e "$0.seen" ]; then exec "$@"; fi; touch "$0.seen"; exit 1';
    const host = await serve(world, { args: ['wrap', '--', 'sh', '-c', script, starts, command, ...args], script: ENTRY });
    expect(JSON.parse(host.lines[0] ?? '').result.serverInfo.name).toBe('late');
    expect(saidBy(await host.request('tools/call', { name: 'echo' })).pid).toBe(latestIn(starts));
    expect(startsIn(starts)).toHaveLength(1);
    expect(host.stderr).toBe('');
  });

  it('leaves no process behind if the program rejects its arguments', async () => {
    const world = createWorld();
    const starts = world.path('outside/starts');
    world.write('project/broken.json', '{ "mcpServers": 7 }');
    const args = wrapped(toOrder({ starts, stubborn: true }), '--config', 'broken.json');
    const program = spawn(process.execPath, [ENTRY, ...args], { cwd: world.project, env: environment(world.home) });
    expect(await once(program, 'exit')).toEqual([1, null]);
    await allGone(processesIn(starts));
  });
});
