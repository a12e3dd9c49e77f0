/** The cached lists of a server are shown at the next start, never for another server, and contain no secrets. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENTRY, type Json, type RawClient, type StartOptions } from './support/client.js';
import { createWorld, type World } from './support/folders.js';
import { postModern, startHttp } from './support/http-server.js';
import { serve, textOf } from './support/server.js';
import { useSources } from './support/start.js';
import { configure, type Order, saidBy, toOrder, toOrderIn, wrapped } from './support/to-order.js';

useSources();

const ORDER: Order = { name: 'slow', toolNames: ['echo', 'env'], uris: ['a://1'], prompts: ['greet'], instructions: 'Use it well.' };

const namesOf = async (host: RawClient): Promise<string[]> => (await host.request('tools/list')).result.tools.map(({ name }: Json) => name);

/** The files that remember a server. */
function memories(world: World): string[] {
  const folder = world.path('home/cache');
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.startsWith('server-'))
        .map((name) => join(folder, name))
    : [];
}

/** Runs once so that the server is remembered. The server answers as long as the file `go` is there. */
async function ranOnce(world: World, args: readonly string[], options: Pick<StartOptions, 'env' | 'script'> = {}): Promise<void> {
  world.write('outside/go', '');
  const host = await serve(world, { args, ...options });
  await host.request('resources/list');
  expect(await namesOf(host)).toContain('echo');
  await host.close();
  world.remove('outside/go');
}

const order = (world: World, more: Order = {}) => toOrder({ ...ORDER, after: world.path('outside/go'), ...more });

describe('the second start', () => {
  it('answers initialize and lists from the cache while the server starts, and a call waits for it', async () => {
    const world = createWorld();
    const args = wrapped(order(world));
    await ranOnce(world, args);

    // `serve` resolves when `initialize` is answered; the server still waits for the file.
    const host = await serve(world, { args });
    expect(await namesOf(host)).toEqual(expect.arrayContaining(['echo', 'env', 'get_resource', 'get_prompt']));
    expect((await host.request('resources/list')).result.resources).toEqual([{ uri: 'a://1', name: 'a://1' }]);
    expect((await host.request('prompts/list')).result.prompts).toHaveLength(1);
    let isAnswered = false;
    const call = host.request('tools/call', { name: 'echo' }).then((answer) => {
      isAnswered = true;
      return answer;
    });
    await namesOf(host);
    expect(isAnswered).toBe(false);
    world.write('outside/go', '');
    expect(saidBy(await call)).toMatchObject({ server: 'slow', tool: 'echo' });
    expect(host.notifications).toEqual([]);
  });

  it('answers initialize with the name, version and instructions of the server', async () => {
    const world = createWorld();
    const args = wrapped(order(world));
    await ranOnce(world, args);
    const host = await serve(world, { args });
    const handshake = JSON.parse(host.lines[0] ?? '').result;
    expect(handshake).toMatchObject({ serverInfo: { name: 'slow', version: '1' }, instructions: 'Use it well.' });
    expect(Object.keys(handshake.capabilities)).toEqual(expect.arrayContaining(['tools', 'resources', 'prompts', 'completions']));
    world.write('outside/go', '');
  });

  it('also over HTTP', async () => {
    const world = createWorld();
    const server = order(world);
    const run = async (use: (list: () => Promise<string[]>, endpoint: string) => Promise<void>) => {
      const { endpoint, stop } = await startHttp(world, { command: 'wrap', args: ['--', server.command, ...server.args] });
      const list = async () => (await postModern(endpoint, 'tools/list')).message.result.tools.map(({ name }: Json) => name);
      await use(list, endpoint);
      expect(await stop()).toBe(0);
    };
    world.write('outside/go', '');
    await run(async (list) => expect(await list()).toContain('echo'));
    world.remove('outside/go');
    await run(async (list, endpoint) => {
      expect(await list()).toContain('echo');
      const call = postModern(endpoint, 'tools/call', { name: 'echo', arguments: {} });
      world.write('outside/go', '');
      expect(saidBy((await call).message).server).toBe('slow');
    });
  });

  it('announces changes when the server has started', async () => {
    const world = createWorld();
    const toolFile = world.write('outside/tools.json', '["echo", "old"]');
    const args = wrapped(order(world, { toolFile, toolNames: [] }));
    await ranOnce(world, args);
    world.write('outside/tools.json', '["echo", "new"]');
    const host = await serve(world, { args });
    expect(await namesOf(host)).toContain('old');
    world.write('outside/go', '');
    await host.waitFor(() => host.count('notifications/tools/list_changed') > 0);
    expect(await namesOf(host)).toContain('new');
    expect(await namesOf(host)).not.toContain('old');
    await host.close();

    world.remove('outside/go');
    expect(await namesOf(await serve(world, { args }))).toContain('new');
    world.write('outside/go', '');
  });

  it('caches a new version and new instructions although the lists are equal', async () => {
    const world = createWorld();
    const args = wrapped(toOrderIn(world.path('outside/order.json')));
    const greet = async (version: string, instructions: string) => {
      world.write('outside/order.json', JSON.stringify({ ...ORDER, version, instructions }));
      const host = await serve(world, { args });
      await host.waitFor(() => memories(world).some((file) => readFileSync(file, 'utf8').includes(instructions)));
      await host.close();
      const { result } = JSON.parse(host.lines[0] ?? '');
      return [result.serverInfo.version, result.instructions];
    };
    expect(await greet('1', 'Use it well.')).toEqual(['1', 'Use it well.']);
    await greet('2', 'Use it better.');
    expect(await greet('2', 'Use it better.')).toEqual(['2', 'Use it better.']);
  });

  it('shows the cached lists of a server that no longer starts, and its calls fail', async () => {
    const world = createWorld();
    const args = wrapped(toOrderIn(world.write('outside/order.json', JSON.stringify(ORDER))));
    await ranOnce(world, args);
    world.write('outside/order.json', JSON.stringify({ ...ORDER, exit: 9 }));
    const host = await serve(world, { args });
    expect(await namesOf(host)).toContain('echo');
    expect((await host.request('tools/call', { name: 'echo' })).error).toMatchObject({
      code: -32000,
      message: expect.stringContaining('The process exited with code 9.'),
    });
  });
});

describe('nothing is cached', () => {
  it('for a server with another command, argument, variable or folder', async () => {
    const world = createWorld();
    const { command, args } = toOrderIn(world.write('outside/order.json', JSON.stringify(ORDER)));
    const own = [command, ...args];
    // As processes, which have a working folder.
    const script = ENTRY;
    const isRemembered = async (given: readonly string[], env: Record<string, string> = {}, project = world.project) =>
      (await namesOf(await serve({ ...world, project }, { args: ['wrap', ...given], env, script }))).includes('echo');
    const same = ['--env', 'KEY=one', '--', ...own];
    await ranOnce(world, ['wrap', ...same], { script });

    // What has no tools itself shows those that are remembered, if any.
    world.write('outside/order.json', JSON.stringify({ name: 'slow', after: world.path('outside/go') }));
    expect(await isRemembered(same)).toBe(true);
    world.write('outside/go', '');
    const others = [
      isRemembered([...same, 'more']),
      isRemembered(['--env', 'KEY=two', '--', ...own]),
      isRemembered(['--env', 'KEY', '--', ...own], { KEY: 'three' }),
      isRemembered(['--', ...own]),
      isRemembered(['--env', 'KEY=one', '--cwd', world.outside, '--', ...own]),
      isRemembered(same, {}, world.home),
      isRemembered(['--env', 'KEY=one', '--', 'env', ...own]),
    ];
    expect(await Promise.all(others)).toEqual(others.map(() => false));
  });

  it('with FOOTBRIDGE_CACHE=off', async () => {
    const world = createWorld();
    const args = wrapped(toOrder(ORDER));
    await ranOnce(world, args, { env: { FOOTBRIDGE_CACHE: 'off' } });
    expect(memories(world)).toEqual([]);
    expect(readdirSync(world.home)).toEqual([]);
  });

  it('where the file was modified', async () => {
    const world = createWorld();
    const args = wrapped(toOrder(ORDER));
    await ranOnce(world, args);
    const [file = '', ...others] = memories(world);
    expect(others).toEqual([]);
    const before = readFileSync(file, 'utf8');
    const damaged = {
      empty: '',
      'cut short': before.slice(0, before.length / 2),
      'not text': '\0\0\0',
      'a list': '[]',
      'of something else': '{"key":1,"listing":{}}',
      'without its lists': before.replace(/\n\{"tools":.*$/s, '\n'),
      'changed by another hand': before.replace('"tools":[', '"tools":[null,'),
    };
    for (const [how, content] of Object.entries(damaged)) {
      expect(content, how).not.toBe(before);
      writeFileSync(file, content);
      const host = await serve(world, { args });
      expect(await namesOf(host), how).toEqual(expect.arrayContaining(['echo', 'env', 'get_resource']));
      expect(saidBy(await host.request('tools/call', { name: 'echo' })).tool, how).toBe('echo');
      await host.close();
      expect(readFileSync(file, 'utf8'), how).toBe(before);
    }
  });
});

it('the cache is readable only by its owner and contains no values of variables or headers', async () => {
  const world = createWorld();
  const remote = createWorld();
  const { endpoint } = await startHttp(remote, { command: 'wrap', args: ['--', ...Object.values(toOrder(ORDER)).flat()] });
  configure(world, {
    local: { ...toOrder(ORDER), env: { API_KEY: 'hush-variable' } },
    remote: { url: endpoint, headers: { 'X-Key': 'hush-header' } },
  });
  const host = await serve(world);
  await host.waitFor(async () => {
    const names = await namesOf(host);
    return names.includes('local__echo') && names.includes('remote__echo');
  });
  expect(textOf(await host.call('local__env'))).toContain('hush-variable');
  await host.waitFor(() => memories(world).length === 2);
  for (const file of memories(world)) {
    expect(readFileSync(file, 'utf8')).not.toContain('hush');
    if (process.platform !== 'win32') expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  }
  if (process.platform !== 'win32') expect((statSync(world.path('home/cache')).mode & 0o777).toString(8)).toBe('700');
});
