/** Upstream servers end with the program, however it ends. */
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RawClient } from './support/client.js';
import { createWorld } from './support/folders.js';
import { postModern, startHttp } from './support/http-server.js';
import { allGone, byShell, isRunning, type Order, processesIn, toOrder, wrapped } from './support/to-order.js';

describe('a server ends with the program:', () => {
  /** A program with one server, which has greeted. */
  async function started(order: Order, command = toOrder): Promise<{ host: RawClient; starts: string }> {
    const world = createWorld();
    const starts = world.path('outside/starts');
    const args = wrapped(command({ ...order, starts, toolNames: ['echo', 'never'] }));
    const host = await RawClient.start({ workingFolder: world.project, home: world.home, args });
    onTestFinished(() => void host.process.kill('SIGKILL'));
    onTestFinished(() => {
      for (const pid of processesIn(starts)) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
    });
    await host.request('tools/call', { name: 'echo' });
    return { host, starts };
  }

  it.each([
    ['SIGTERM', toOrder],
    ['SIGINT', toOrder],
    ['SIGHUP', toOrder],
    ['SIGKILL', toOrder],
    ['SIGTERM', byShell],
    ['SIGKILL', byShell],
  ] as const)('%s', async (signal, command) => {
    const { host, starts } = await started({}, command);
    host.process.kill(signal);
    await once(host.process, 'exit');
    await allGone(processesIn(starts));
  });

  it('when stdin closes during a call', async () => {
    const { host, starts } = await started({});
    host.request('tools/call', { name: 'never' }).catch(() => {});
    expect(await host.close()).toBe(0);
    await allGone(processesIn(starts));
  });

  it('when it ignores the end of stdin and SIGTERM', async () => {
    const { host, starts } = await started({ stubborn: true, helper: true });
    expect(await host.close()).toBe(0);
    await allGone(processesIn(starts));
  });

  it('when it ignores them and the program receives repeated signals', async () => {
    const { host, starts } = await started({ stubborn: true, helper: true });
    const exit = once(host.process, 'exit');
    const repeated = setInterval(() => host.process.kill('SIGINT'), 50);
    onTestFinished(() => clearInterval(repeated));
    await exit;
    await allGone(processesIn(starts));
  });

  it('over HTTP', async () => {
    const world = createWorld();
    const starts = world.path('outside/starts');
    const { command, args } = byShell({ starts, stubborn: true, toolNames: ['echo'] });
    const { endpoint, stop } = await startHttp(world, { command: 'wrap', args: ['--', command, ...args] });
    expect((await postModern(endpoint, 'tools/call', { name: 'echo', arguments: {} })).message.error).toBeUndefined();
    expect(await stop()).toBe(0);
    await allGone(processesIn(starts));
  });
});
