import { describe, expect, it, vi } from 'vitest';
import { type Json, MODERN_VERSION, type RawClient } from './support/client.js';
import { createWorld, type World } from './support/folders.js';
import { post, startHttp } from './support/http-server.js';
import { runProgramWith } from './support/program.js';
import { serve, textOf } from './support/server.js';
import {
  allGone,
  byShell,
  type Command,
  configure,
  latestIn,
  type Order,
  processesIn,
  saidBy,
  soon,
  startsIn,
  toOrder,
  toOrderIn,
  wrapped,
} from './support/to-order.js';

const CALLS = 300;
const IN_FLIGHT = 32;

/** Wherever the server is, and how it is called. */
interface Peer {
  call(tool: string, args: object): Promise<{ result?: Json; error?: { code: number; message: string } }>;
  /** Ends the program; resolves with its process. */
  end(): Promise<number | undefined>;
}

async function overStdio(world: World, command: Command): Promise<Peer> {
  const host = await serve(world, { args: wrapped(command) });
  return {
    call: (name, args) => host.request('tools/call', { name, arguments: args }),
    async end() {
      expect(await host.close()).toBe(0);
      return host.process.pid;
    },
  };
}

async function overHttp(world: World, { command, args }: Command): Promise<Peer> {
  const { child, endpoint, stop } = await startHttp(world, { command: 'wrap', args: ['--', command, ...args] });
  const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const { headers } = await post(endpoint, { jsonrpc: '2.0', id: 0, method: 'initialize', params: opening });
  const session = { 'mcp-session-id': headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': opening.protocolVersion };
  expect(session['mcp-session-id']).not.toBe('');
  let id = 0;
  return {
    async call(name, given) {
      const params = { name, arguments: given };
      return (await post(endpoint, { jsonrpc: '2.0', id: ++id, method: 'tools/call', params }, session)).message;
    },
    async end() {
      expect(await stop()).toBe(0);
      return child.pid;
    },
  };
}

/** Makes many calls, so many at a time; `during` happens when a third of them are done. */
async function callMany({ call }: Peer, during: () => void): Promise<{ results: number; errors: { code: number; message: string }[] }> {
  let [started, results] = [0, 0];
  const errors: { code: number; message: string }[] = [];
  const caller = async () => {
    while (started < CALLS) {
      const number = ++started;
      const { error, result } = await call('wait', { milliseconds: 20 });
      if (error === undefined) expect(textOf(result)).toBe('waited');
      else errors.push(error);
      if (error === undefined) results++;
      if (number === CALLS / 2) during();
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
  return { results, errors };
}

describe('a server that is killed during hundreds of calls', () => {
  it.each([
    ['over stdio', overStdio, toOrder],
    ['over HTTP with a session', overHttp, toOrder],
    ['over stdio, started by a shell', overStdio, byShell],
  ])('%s: each call ends, those after it succeed, and no process is left', async (_, open, command) => {
    const world = createWorld();
    const starts = world.path('outside/starts');
    const peer = await open(world, command({ starts, toolNames: ['wait', 'echo'] }));
    const { results, errors } = await callMany(peer, () => process.kill(latestIn(starts), 'SIGKILL'));
    expect(results + errors.length).toBe(CALLS);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.length).toBeLessThanOrEqual(2 * IN_FLIGHT);
    for (const { code, message } of errors) {
      expect(code).toBe(-32000);
      expect(message).toMatch(/The connection to the server '.+' was lost .* Footbridge is reconnecting/);
    }
    expect(saidBy(await peer.call('echo', {})).pid).toBe(latestIn(starts));
    expect(startsIn(starts)).toHaveLength(2);
    const program = await peer.end();
    await allGone([...processesIn(starts), program ?? 0]);
  });

  it('is detected although a descendant holds its stdout open', async () => {
    const world = createWorld();
    const starts = world.path('outside/starts');
    const host = await serve(world, { args: wrapped(toOrder({ starts, helper: true, toolNames: ['never', 'echo'] })) });
    await host.request('tools/list');
    const call = host.request('tools/call', { name: 'never' });
    const before = processesIn(starts).filter((pid) => pid !== host.process.pid);
    process.kill(latestIn(starts), 'SIGKILL');
    expect((await call).error).toMatchObject({ code: -32000, message: expect.stringContaining('The process was killed by SIGKILL.') });
    expect((await host.request('tools/call', { name: 'echo' })).error).toBeUndefined();
    await allGone(before);
    await host.close();
    await allGone(processesIn(starts));
  });
});

/** Waits until all that the program had to announce so far is told: nothing more comes for a while. */
async function quiet(host: RawClient): Promise<void> {
  for (let round = 0, reported = host.notifications.length; round < 20; round++) {
    await host.request('ping');
    await new Promise((resolve) => setTimeout(resolve, 10));
    if (host.notifications.length !== reported) round = 0;
    reported = host.notifications.length;
  }
}

describe('after a crash', () => {
  it('the lists are read again and changes are announced', async () => {
    const world = createWorld();
    const starts = world.path('outside/starts');
    const toolFile = world.write('outside/tools.json', '["one", "two"]');
    const host = await serve(world, { args: wrapped(toOrder({ starts, toolFile })) });
    const names = async () => (await host.request('tools/list')).result.tools.map(({ name }: Json) => name);
    expect(await names()).toEqual(expect.arrayContaining(['one', 'two']));
    await quiet(host);
    const before = host.notifications.length;
    world.write('outside/tools.json', '["two", "three"]');
    process.kill(latestIn(starts), 'SIGKILL');
    await host.waitFor(() => host.notifications.length > before);
    expect(host.notifications.at(-1)?.method).toBe('notifications/tools/list_changed');
    expect(await names()).toEqual(expect.arrayContaining(['two', 'three']));
    expect(await names()).not.toContain('one');
  });

  it('nothing is announced without changes', async () => {
    const world = createWorld();
    const starts = world.path('outside/starts');
    const host = await serve(world, { args: wrapped(toOrder({ starts, toolNames: ['one'] })) });
    await host.request('tools/list');
    await quiet(host);
    const before = host.notifications.length;
    process.kill(latestIn(starts), 'SIGKILL');
    await host.waitFor(() => startsIn(starts).length === 2);
    expect((await host.request('tools/call', { name: 'one' })).error).toBeUndefined();
    await quiet(host);
    expect(host.notifications).toHaveLength(before);
  });

  it('subscriptions are renewed', async () => {
    const world = createWorld();
    const starts = world.path('outside/starts');
    const host = await serve(world, { args: wrapped(toOrder({ starts, toolNames: ['touch'], uris: ['a://1'] })) });
    await host.request('resources/list');
    expect((await host.request('resources/subscribe', { uri: 'a://1' })).error).toBeUndefined();
    process.kill(latestIn(starts), 'SIGKILL');
    await host.waitFor(() => startsIn(starts).length === 2);
    await host.call('touch', { uri: 'a://1' });
    await host.waitFor(() => host.count('notifications/resources/updated') > 0);
  });
});

/** Waits until tools are shown: a server that starts slowly beside others is missing from the first list. */
async function listedOf(host: RawClient, ...names: readonly string[]): Promise<void> {
  await host.waitFor(async () => {
    const shown = (await host.request('tools/list')).result.tools.map(({ name }: Json) => name);
    return names.every((name) => shown.includes(name));
  });
}

/** A configuration of a server in trouble and one that is well. */
function besideOther(world: World, order: Order, settings: object = {}): string {
  const starts = world.path('outside/starts');
  configure(world, { bad: { ...toOrder({ ...order, starts }), ...settings }, good: toOrder({ name: 'good', toolNames: ['echo'] }) });
  return starts;
}

describe('a server that exits at once', () => {
  it('is restarted a few times, then paused, and does not delay other servers', async () => {
    const world = createWorld();
    const starts = besideOther(world, { exit: 3 });
    const host = await serve(world);
    const tools = async () => (await host.request('tools/list')).result.tools.map(({ name }: Json) => name);
    await vi.waitFor(async () => expect(await tools()).toEqual(expect.arrayContaining(['good__echo', 'get_resource'])), soon);
    expect(saidBy(await host.request('tools/call', { name: 'good__echo' })).server).toBe('good');
    const discovery = () => host.call('get_resource');
    await host.waitFor(async () => textOf(await discovery()).includes('restarts are paused'));
    const { structuredContent } = await discovery();
    expect(structuredContent.unavailable).toEqual([
      {
        server: 'bad',
        kind: 'exited',
        reason: expect.stringMatching(/^The process exited with code 3\. It was started 5 times within a minute/),
      },
    ]);
    expect(await tools()).toContain('good__echo');
    expect((await host.request('tools/call', { name: 'bad__echo' })).error?.message).toContain('bad__echo');
    expect(startsIn(starts)).toHaveLength(5);
    await expect.poll(() => host.stderr).toContain("The server 'bad' is not available. The process exited with code 3.");
  });

  it('is reported by each call when it is the only one', async () => {
    const world = createWorld();
    const starts = world.path('outside/starts');
    const host = await serve(world, { args: wrapped(toOrder({ exit: 3, starts })) });
    expect((await host.request('tools/list')).result.tools).toEqual(expect.any(Array));
    const { error } = await host.request('tools/call', { name: 'echo' });
    expect(error).toMatchObject({
      code: -32000,
      message: expect.stringMatching(/The server '.+' cannot be reached\. The process exited with code 3/),
    });
    expect(startsIn(starts).length).toBeLessThanOrEqual(5);
  });

  it('is reported by footbridge list', async () => {
    const world = createWorld();
    besideOther(world, { exit: 3 });
    const { code, stderr } = await runProgramWith(world, {}, 'list');
    expect(code).toBe(0);
    expect(stderr).toContain("The server 'bad' is not available. The process exited with code 3.");
  });

  it('is distinguished from a command that does not exist', async () => {
    const world = createWorld();
    configure(world, { bad: { command: 'no-such-command-at-all' }, good: toOrder({ toolNames: ['echo'] }) });
    const host = await serve(world);
    await listedOf(host, 'good__echo');
    expect(textOf(await host.call('get_resource'))).toContain('Not available at the moment: bad: Command not found');
  });
});

describe('a modern host', () => {
  it('uses the legacy era with a server that exits at an unknown method', async () => {
    const world = createWorld();
    const starts = world.path('outside/starts');
    const args = wrapped(toOrder({ starts, endsAt: ['server/discover'], toolNames: ['echo'] }));
    const host = await serve(world, { args, version: MODERN_VERSION });
    expect(saidBy(await host.request('tools/call', { name: 'echo' })).pid).toBe(latestIn(starts));
    expect(startsIn(starts)).toHaveLength(2);
    process.kill(latestIn(starts), 'SIGKILL');
    await host.waitFor(() => startsIn(starts).length === 3);
    expect(saidBy(await host.request('tools/call', { name: 'echo' })).pid).toBe(latestIn(starts));
    expect(startsIn(starts)).toHaveLength(3);
  });

  it('starts a server that exits in either era at most five times', async () => {
    const world = createWorld();
    const starts = besideOther(world, { exit: 3 });
    const host = await serve(world, { version: MODERN_VERSION });
    await host.waitFor(async () => textOf(await host.call('get_resource')).includes('restarts are paused'));
    await host.request('tools/list');
    expect(startsIn(starts)).toHaveLength(5);
  });
});

describe('a server that hangs while starting', () => {
  it('does not delay other servers, and times out', async () => {
    const world = createWorld();
    const starts = besideOther(world, { silent: ['initialize', 'server/discover'] }, { startTimeoutMs: 500 });
    const host = await serve(world);
    await listedOf(host, 'good__echo');
    expect(saidBy(await host.request('tools/call', { name: 'good__echo' })).server).toBe('good');
    await host.waitFor(async () => textOf(await host.call('get_resource')).includes('bad: Timed out after 500 ms while starting.'));
    await allGone([startsIn(starts)[0]?.pid ?? 0]);
    expect((await host.request('tools/list')).result.tools.map(({ name }: Json) => name)).toContain('good__echo');
  });

  it('does not delay the end of the program', async () => {
    const world = createWorld();
    const starts = besideOther(world, { silent: ['initialize', 'server/discover'] }, { startTimeoutMs: 600_000 });
    const host = await serve(world);
    await host.waitFor(() => startsIn(starts).length === 1);
    expect(await host.close()).toBe(0);
    await allGone(processesIn(starts));
  });
});

describe('a server with invalid output', () => {
  it('on stdout before the handshake works, with one warning', async () => {
    const world = createWorld();
    const first = ['Listening \u001b[31mfor requests', '{"jsonrpc":"2.0","id":1,"result":7}', '[1,2]', 'null', '{}', '{"id":[]}'];
    const remarks = ['ready\n  \u001b[31mon port 1\n', 'and no end of line'];
    const host = await serve(world, { args: wrapped(toOrder({ first, remarks, toolNames: ['echo'] })) });
    expect((await host.request('tools/call', { name: 'echo' })).error).toBeUndefined();
    await expect.poll(() => host.stderr.match(/is not a JSON-RPC message/g)).toHaveLength(1);
    // What it writes to stderr is passed on with its name, its last line when it ends.
    await host.close();
    for (const line of ['ready', '[31mon port 1', 'and no end of line']) expect(host.stderr).toContain(`to-order: ${line}\n`);
    expect(host.stderr).not.toContain('\u001b');
  });

  it('on stderr reaches the log in part, with a count of the lines that do not', async () => {
    const world = createWorld();
    const remarks = ['a remark\n'.repeat(20_000)];
    const file = world.write('outside/order.json', JSON.stringify({ remarks, toolNames: ['echo'] }));
    const host = await serve(world, { args: wrapped(toOrderIn(file)) });
    expect((await host.request('tools/call', { name: 'echo' })).error).toBeUndefined();
    await expect.poll(() => host.stderr).toMatch(/lines left out/);
    const passed = host.stderr.match(/^to-order: a remark$/gm)?.length ?? 0;
    const omitted = [...host.stderr.matchAll(/^to-order: \((\d+) lines left out\)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
    expect(passed + omitted).toBe(20_000);
    expect(passed).toBeLessThan(1000);
  });

  it('during a call still answers it', async () => {
    const world = createWorld();
    const host = await serve(world, { args: wrapped(toOrder({ toolNames: ['babble', 'echo'] })) });
    expect(textOf(await host.call('babble'))).toBe('babbled');
    expect((await host.request('tools/call', { name: 'echo' })).error).toBeUndefined();
  });

  it('is killed for a line over the limit, and its calls fail', async () => {
    const world = createWorld();
    const host = await serve(world, { args: wrapped(toOrder({ toolNames: ['flood', 'echo'] })) });
    const { error } = await host.request('tools/call', { name: 'flood', arguments: { bytes: 25 * 1024 * 1024 } });
    expect(error).toMatchObject({ code: -32000, message: expect.stringContaining('The process wrote a line longer than') });
    expect((await host.request('tools/call', { name: 'echo' })).error).toBeUndefined();
  });

  it('can send an answer of many megabytes', async () => {
    const world = createWorld();
    const host = await serve(world, { args: wrapped(toOrder({ toolNames: ['echo'] })) });
    const text = 'x'.repeat(5 * 1024 * 1024);
    expect(saidBy(await host.request('tools/call', { name: 'echo', arguments: { text } })).arguments.text).toBe(text);
  });
});

describe('a configuration that is edited while serving', () => {
  it('ends removed servers, restarts changed ones and leaves the others alone', async () => {
    const world = createWorld();
    const file = (name: string) => world.path(`outside/${name}`);
    const order = (name: string, more: Order = {}) => toOrder({ name, toolNames: ['echo'], starts: file(name), ...more });
    const pidOf = async (name: string) => saidBy(await host.request('tools/call', { name: `${name}__echo` })).pid;
    configure(world, { kept: order('kept'), changed: order('changed'), removed: order('removed') });
    const host = await serve(world);
    await listedOf(host, 'kept__echo', 'changed__echo', 'removed__echo');
    const [kept, changed] = [await pidOf('kept'), await pidOf('changed'), await pidOf('removed')];

    configure(world, { kept: order('kept'), changed: order('changed', { tools: 1 }), added: order('added') });
    await allGone(startsIn(file('removed')).map(({ pid }) => pid));
    await listedOf(host, 'added__echo', 'changed__tool-1');
    expect(await pidOf('kept')).toBe(kept);
    expect(await pidOf('changed')).not.toBe(changed);
    await allGone([changed]);
    expect((await host.request('tools/call', { name: 'removed__echo' })).error?.message).toContain("Unknown tool 'removed__echo'");

    const processes = [await pidOf('kept'), await pidOf('changed'), await pidOf('added')];
    world.write('project/footbridge.json', '{ "mcpServers": { "kept": ');
    await host.waitFor(() => host.stderr.includes('footbridge.json'));
    expect([await pidOf('kept'), await pidOf('changed'), await pidOf('added')]).toEqual(processes);
    await host.close();
    await allGone(['kept', 'changed', 'removed', 'added'].flatMap((name) => processesIn(file(name))));
  });

  it('changes which tools of a server are listed', async () => {
    const world = createWorld();
    const server = toOrder({ toolNames: ['echo', 'wait'] });
    configure(world, { one: server });
    const host = await serve(world);
    const names = async () => (await host.request('tools/list')).result.tools.map(({ name }: Json) => name);
    expect(await names()).toEqual(expect.arrayContaining(['echo', 'wait']));
    configure(world, { one: { ...server, exclude: { tools: ['wait'] } } });
    await vi.waitFor(async () => expect(await names()).not.toContain('wait'), soon);
    await vi.waitFor(async () => expect(await names()).toContain('echo'), soon);
    expect((await host.request('tools/call', { name: 'wait', arguments: { milliseconds: 1 } })).error?.code).toBe(-32602);
    await host.waitFor(() => host.count('notifications/tools/list_changed') > 0);
  });
});
