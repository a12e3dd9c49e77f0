/** Servers that start when they are called and stop when idle: how many run, what keeps them running, and what is cached. */
import { readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Catalog, createLog, upstreams } from 'footbridge';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SharedLists } from '../src/sources/upstream/shared-lists.js';
import type { Json, RawClient } from './support/client.js';
import { createWorld, type World } from './support/folders.js';
import { serve, textOf } from './support/server.js';
import { useSources } from './support/start.js';
import { allGone, configure, isRunning, processesIn, saidBy, soon, startsIn, toOrder, toOrderIn } from './support/to-order.js';

useSources();

const SERVER = join(import.meta.dirname, 'fixtures', 'server-small.sh');
/** So long that it does not end during a test. */
const LONG = 600;

type Mode = 'exits' | 'hangs' | 'stubborn' | 'endless' | 'waits';

const starts = (world: World) => world.path('outside/starts');

function small(world: World, name: string, mode?: Mode) {
  return { command: 'sh', args: [SERVER, name, starts(world), ...(mode === undefined ? [] : [mode])] };
}

const runningIn = (world: World) => processesIn(starts(world)).filter(isRunning);

const namesOf = async (host: RawClient): Promise<string[]> => (await host.request('tools/list')).result.tools.map(({ name }: Json) => name);

/** Runs once, so that the lists of the servers are remembered, and forgets the starts. */
async function learnt(world: World, servers: Readonly<Record<string, object>>, more: object = {}): Promise<void> {
  configure(world, servers, { toolSearch: false, ...more });
  const host = await serve(world);
  await host.waitFor(async () => {
    const names = await namesOf(host);
    return Object.keys(servers).every((server) => names.includes(`${server}__pid`));
  });
  await host.close();
  await allGone(processesIn(starts(world)));
  world.remove('outside/starts');
}

const two = (world: World) => ({ one: small(world, 'one'), two: small(world, 'two') });

describe('a server whose lists are remembered', () => {
  it('is listed without a start, and started by the first call', async () => {
    const world = createWorld();
    await learnt(world, two(world));
    const host = await serve(world);
    expect(await namesOf(host)).toEqual(expect.arrayContaining(['one__pid', 'two__pid']));
    expect((await host.request('resources/list')).result.resources).toHaveLength(2);
    expect(startsIn(starts(world))).toEqual([]);
    const pid = Number(textOf(await host.call('two__pid')));
    expect(startsIn(starts(world))).toEqual([{ pid, name: 'two' }]);
    expect(host.notifications).toEqual([]);
  });

  it('is in the answer to initialize, and not announced after it, however long its lists are', async () => {
    const world = createWorld();
    const long = (name: string) => toOrder({ name, tools: 3000, instructions: `Of ${name}.` });
    configure(world, { one: long('one'), two: long('two') }, { toolSearch: false });
    const first = await serve(world);
    await first.waitFor(async () => {
      const names = await namesOf(first);
      return names.includes('one__tool-3000') && names.includes('two__tool-3000');
    });
    await first.close();
    const host = await serve(world);
    expect(host.handshake.instructions).toContain('Of two.');
    expect(await namesOf(host)).toContain('two__tool-3000');
    expect(host.notifications).toEqual([]);
  });

  it('is not reported as unavailable while it is stopped', async () => {
    const world = createWorld();
    await learnt(world, two(world));
    const host = await serve(world);
    expect((await host.call('get_resource')).structuredContent.unavailable).toBeUndefined();
    expect(startsIn(starts(world))).toEqual([]);
  });

  it('gets the log level that was set before it was started', async () => {
    const world = createWorld();
    await learnt(world, two(world));
    const host = await serve(world);
    expect((await host.request('logging/setLevel', { level: 'warning' })).error).toBeUndefined();
    expect(startsIn(starts(world))).toEqual([]);
    await host.waitFor(async () => textOf(await host.call('one__pid')).endsWith(' warning'));
  });

  it('is started with Footbridge if "idle" is false', async () => {
    const world = createWorld();
    const servers = { ...two(world), one: { ...small(world, 'one'), idle: false } };
    await learnt(world, servers);
    const host = await serve(world);
    await namesOf(host);
    await host.waitFor(() => startsIn(starts(world)).length > 0);
    expect(startsIn(starts(world))).toMatchObject([{ name: 'one' }]);
  });

  it('is started once to refresh the lists after its program changed', async () => {
    const world = createWorld();
    const script = world.write('outside/server.sh', `exec sh ${SERVER} "$@"\n`);
    const servers = { one: { command: 'sh', args: [script, 'one', starts(world)] }, two: small(world, 'two') };
    await learnt(world, servers);
    world.write('outside/server.sh', `# changed\nexec sh ${SERVER} "$@"\n`);
    const host = await serve(world);
    expect(await namesOf(host)).toContain('one__pid');
    await host.waitFor(() => startsIn(starts(world)).length > 0);
    expect(startsIn(starts(world))).toMatchObject([{ name: 'one' }]);
  });
});

it('a server that did not list its tools in time is not waited for at the next start', async () => {
  const world = createWorld();
  configure(world, { late: small(world, 'late', 'waits'), ok: small(world, 'ok') }, { toolSearch: false });
  const listed = async (host: RawClient) => {
    const before = performance.now();
    const names = await namesOf(host);
    return { ms: performance.now() - before, late: names.includes('late__pid'), ok: names.includes('ok__pid') };
  };
  const first = await serve(world);
  expect(await listed(first)).toMatchObject({ late: false, ok: true, ms: expect.toSatisfy((ms: number) => ms > 900) });
  await first.close();
  const host = await serve(world);
  expect(await listed(host)).toMatchObject({ late: false, ok: true, ms: expect.toSatisfy((ms: number) => ms < 500) });
  world.write('outside/starts.go', '');
  await host.waitFor(() => host.count('notifications/tools/list_changed') > 0);
  expect(await listed(host)).toMatchObject({ late: true, ok: true });
  await host.close();
  expect(await listed(await serve(world))).toMatchObject({ late: true, ok: true });
});

describe('a server that nobody calls', () => {
  const idle = 0.2;

  it('is stopped after its idle time, and started again by a call', async () => {
    const world = createWorld();
    configure(world, two(world), { toolSearch: false, idle });
    const host = await serve(world);
    await host.waitFor(async () => (await namesOf(host)).includes('two__pid'));
    const first = textOf(await host.call('two__pid'));
    await vi.waitFor(() => expect(runningIn(world)).toEqual([]), soon);
    expect(await namesOf(host)).toEqual(expect.arrayContaining(['one__pid', 'two__pid']));
    // More often than a server that fails may be started in a minute.
    for (let round = 0; round < 6; round++) {
      expect(textOf(await host.call('two__pid'))).not.toBe(first);
      await vi.waitFor(() => expect(runningIn(world)).toEqual([]), soon);
    }
    expect(host.stderr).toBe('');
  });

  it('is stopped although hosts go on listing, whether it announces changes or not', async () => {
    const world = createWorld();
    const script = world.write(
      'outside/silent.sh',
      readFileSync(SERVER, 'utf8').replaceAll('"listChanged\\":true', '"listChanged\\":false'),
    );
    const silent = { command: 'sh', args: [script, 'silent', starts(world)] };
    configure(world, { silent, other: small(world, 'other') }, { toolSearch: false, idle: 0.5 });
    const host = await serve(world);
    await host.waitFor(async () => (await namesOf(host)).includes('silent__pid'));
    // Each of these asks the server for its tools.
    await host.waitFor(async () => (await namesOf(host)).length > 0 && runningIn(world).length === 0, 10_000);
  });

  it('is started for a tool or prompt that it did not list, at most once a minute', async () => {
    const world = createWorld();
    const gaining = (name: string) => {
      const write = (more: object) => world.write(`outside/${name}.json`, JSON.stringify({ name, starts: starts(world), ...more }));
      const command = toOrderIn(write({ toolNames: ['alpha'], prompts: ['hello'] }));
      return { command, gain: () => write({ toolNames: ['alpha', 'gamma'], prompts: ['hello', 'bye'] }) };
    };
    const servers = { direct: gaining('direct'), searched: gaining('searched'), prompted: gaining('prompted') };
    configure(world, Object.fromEntries(Object.entries(servers).map(([name, { command }]) => [name, command])), { toolSearch: true, idle });
    const host = await serve(world);
    const call = (name: string) => host.request('tools/call', { name: 'call_destructive_tool', arguments: { name } });
    for (const name of Object.keys(servers)) await host.waitFor(async () => (await call(`${name}__alpha`)).result?.isError !== true);
    const stopped = () => allGone(startsIn(starts(world)).map(({ pid }) => pid));
    await stopped();
    for (const { gain } of Object.values(servers)) gain();
    expect(saidBy(await host.request('tools/call', { name: 'direct__gamma' })).tool).toBe('gamma');
    expect(saidBy(await call('searched__gamma')).tool).toBe('gamma');
    expect(saidBy(await host.request('prompts/get', { name: 'prompted__bye' })).prompt).toBe('bye');
    await stopped();
    const before = startsIn(starts(world)).length;
    for (const name of ['direct__delta', 'searched__delta', 'elsewhere__delta', 'direct'])
      expect(textOf((await call(name)).result)).toContain(`Unknown tool '${name}'`);
    expect(startsIn(starts(world))).toHaveLength(before);
  });

  it('is started once a day to confirm its lists', async () => {
    const world = createWorld();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const folder = world.path('home/cache');
    const one = small(world, 'one');
    const open = async () => {
      const source = upstreams({ servers: { one }, idle, cacheFolder: folder, log: createLog('silent') });
      onTestFinished(() => source.end());
      await Catalog.open([source]);
      await source.listed();
      return source;
    };
    const first = await open();
    await first.end();
    await open();
    const startsAfter = async (hours: number) => {
      vi.advanceTimersByTime(hours * 3600_000);
      await pause(1000);
      await allGone(processesIn(starts(world)));
      return startsIn(starts(world)).length;
    };
    expect(await startsAfter(2)).toBe(1);
    const yesterday = new Date(Date.now() - 25 * 3600_000);
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), yesterday, yesterday);
    expect(await startsAfter(1)).toBe(2);
    expect(await startsAfter(2)).toBe(2);
  });

  it('is not confirmed to other replicas for more than a day', async () => {
    const world = createWorld();
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'], shouldAdvanceTime: true });
    onTestFinished(() => void vi.useRealTimers());
    const confirmed: number[] = [];
    const began = Date.now();
    const sharedLists: SharedLists = {
      get: async () => undefined,
      set: async () => void confirmed.push((Date.now() - began) / 3600_000),
      lock: async () => async () => {},
      announce() {},
      onAnnounced: () => () => {},
    };
    const one = toOrderIn(world.write('outside/one.json', JSON.stringify({ starts: starts(world), toolNames: ['alpha'] })));
    const source = upstreams({ servers: { one }, idle, sharedLists, log: createLog('silent') });
    onTestFinished(() => source.end());
    await Catalog.open([source]);
    await source.listed();
    // From now on it cannot be started.
    world.remove('outside/one.json');
    await allGone(startsIn(starts(world)).map(({ pid }) => pid));
    await vi.advanceTimersByTimeAsync(25 * 3600_000);
    expect(confirmed.at(-1)).toBeGreaterThan(23);
    expect(confirmed.at(-1)).toBeLessThan(24.1);
  });

  it('keeps running while a call, a subscription or a task is open', async () => {
    const world = createWorld();
    // The first server that knows tasks is asked for one.
    const names = ['tasked', 'calling', 'subscribed', 'unused'];
    configure(world, Object.fromEntries(names.map((name) => [name, small(world, name)])), { toolSearch: false, idle });
    const host = await serve(world);
    await host.waitFor(async () => {
      const listed = await namesOf(host);
      return names.every((name) => listed.includes(`${name}__pid`));
    });
    const call = Promise.allSettled([host.request('tools/call', { name: 'calling__never' })]);
    await host.request('resources/subscribe', { uri: 'subscribed://a' });
    expect((await host.request('tools/call', { name: 'tasked__task', arguments: {}, task: {} })).error).toBeUndefined();
    const left = () => startsIn(starts(world)).flatMap(({ pid, ...rest }) => (isRunning(pid) ? [rest] : []));
    await vi.waitFor(() => expect(left()).toHaveLength(3), soon);
    await new Promise((resolve) => setTimeout(resolve, 5 * idle * 1000));
    expect(left()).toEqual(expect.arrayContaining([{ name: 'calling' }, { name: 'subscribed' }, { name: 'tasked' }]));
    await host.request('resources/unsubscribe', { uri: 'subscribed://a' });
    expect((await host.request('tasks/get', { taskId: 't1' })).error).toBeUndefined();
    await vi.waitFor(() => expect(left()).toEqual([{ name: 'calling' }]), soon);
    await host.close();
    await call;
  });
});

it('at most 16 servers start at the same time, however many are called', async () => {
  const world = createWorld();
  const names = Array.from({ length: 40 }, (_, index) => `s${index}`);
  world.write('outside/starts.go', '');
  await learnt(world, Object.fromEntries(names.map((name) => [name, small(world, name, 'waits')])));
  world.remove('outside/starts.go');
  const host = await serve(world);
  const answers = Promise.all(names.map((name) => host.call(`${name}__pid`)));
  await vi.waitUntil(() => startsIn(starts(world)).length >= 16, { timeout: 20_000 });
  world.write('outside/starts.go', '');
  for (const answer of await answers) expect(answer.isError).not.toBe(true);
  let starting = 0;
  let most = 0;
  for (const { ready } of startsIn(starts(world))) {
    starting += ready === true ? -1 : 1;
    most = Math.max(most, starting);
  }
  expect({ starting, most }).toEqual({ starting: 0, most: 16 });
});

describe('more servers than may run at the same time', () => {
  it('never exceed the limit, even if some exit, hang, ignore signals or are killed', async () => {
    const world = createWorld();
    const modes: Record<number, Mode> = { 3: 'exits', 14: 'hangs', 15: 'stubborn', 16: 'endless' };
    const names = Array.from({ length: 60 }, (_, index) => `s${index}`);
    const servers = Object.fromEntries(names.map((name, index) => [name, small(world, name, modes[index % 20])]));
    const running = 8;
    const source = upstreams({ servers, idle: LONG, running, cacheFolder: world.path('home/cache'), log: createLog('silent') });
    const catalog = await Catalog.open([source]);
    onTestFinished(() => source.end());
    let most = 0;
    let rounds = 0;
    const watch = setInterval(() => {
      const pids = runningIn(world);
      most = Math.max(most, pids.length);
      const [first] = pids;
      if (++rounds % 20 === 0 && first !== undefined) process.kill(first, 'SIGKILL');
    }, 5);
    onTestFinished(() => clearInterval(watch));
    void source.listed();
    const healthy = names.filter((_, index) => ![3, 14].includes(index % 20));
    await vi.waitFor(() => expect(catalog.snapshot.tools).toHaveLength(3 * healthy.length), { timeout: 60_000, interval: 50 });
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(running);
    await source.end();
    await allGone(processesIn(starts(world)));
  });

  it('leave a place for a server that is called while others hang at their start', async () => {
    const world = createWorld();
    const healthy = { ok: small(world, 'ok'), other: small(world, 'other') };
    await learnt(world, healthy);
    const hanging = Array.from({ length: 10 }, (_, index) => `h${index}`);
    const hangs = Object.fromEntries(hanging.map((name) => [name, small(world, name, 'hangs')]));
    configure(world, { ...hangs, ...healthy }, { toolSearch: false, running: 4 });
    const host = await serve(world);
    expect(await namesOf(host)).toContain('ok__pid');
    await host.waitFor(() => runningIn(world).length >= 3);
    const before = performance.now();
    expect((await host.call('ok__pid')).isError).not.toBe(true);
    // It would be 10 s if they had all places.
    expect(performance.now() - before).toBeLessThan(5000);
    expect(runningIn(world)).toHaveLength(4);
  });

  it('are reported as unavailable if those that always run take all places', async () => {
    const world = createWorld();
    const names = ['a', 'b', 'c', 'd'];
    const servers = Object.fromEntries(names.map((name) => [name, small(world, name)]));
    configure(world, { ...servers, d: { ...servers['d'], idle: 600 } }, { toolSearch: false, running: 2, idle: false });
    const host = await serve(world);
    const unavailable = async () => (await host.call('get_resource')).structuredContent.unavailable;
    await host.waitFor(async () => (await unavailable())?.length === 2);
    expect(await unavailable()).toEqual([
      expect.objectContaining({ server: 'c', reason: expect.stringContaining('"idle": false') }),
      expect.objectContaining({ server: 'd', reason: expect.stringContaining('Raise "running"') }),
    ]);
    expect((await namesOf(host)).filter((name) => name.endsWith('__pid'))).toEqual(['a__pid', 'b__pid']);
    expect(host.stderr).toContain('"running" is 2, and 3 servers with "idle": false never stop');
    expect(runningIn(world)).toHaveLength(2);
  });

  it('stop the least recently used one for the one that is called', async () => {
    const world = createWorld();
    const names = ['a', 'b', 'c'];
    const servers = Object.fromEntries(names.map((name) => [name, small(world, name)]));
    await learnt(world, servers, { running: 2 });
    const host = await serve(world);
    const call = async (name: string) => Number(textOf(await host.call(`${name}__pid`)));
    const a = await call('a');
    const b = await call('b');
    expect(await call('a')).toBe(a);
    const c = await call('c');
    expect(runningIn(world).sort()).toEqual([a, c].sort());
    expect(isRunning(b)).toBe(false);
    // Both are in use, so there is no room.
    const calls = Promise.allSettled(['a', 'c'].map((name) => host.request('tools/call', { name: `${name}__never` })));
    const { error } = await host.request('tools/call', { name: 'b__pid' });
    expect(error).toMatchObject({
      code: -32000,
      message: expect.stringContaining('All 2 servers that may run at the same time are in use'),
      data: { server: 'b', kind: 'busy', retryable: true },
    });
    expect((await host.call('get_resource')).structuredContent.unavailable).toBeUndefined();
    await host.close();
    await calls;
  });
});
