/** `footbridge wrap` and `mcpServers` with real upstream servers. */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ENTRY, environment, type Json } from './support/client.js';
import { run } from './support/command.js';
import { createWorld, type World } from './support/folders.js';
import { postModern, startHttp } from './support/http-server.js';
import { serve } from './support/server.js';
import { named, useSources } from './support/start.js';

useSources();

const V1 = join(import.meta.dirname, 'fixtures', 'server-v1.mjs');

const offer = (name: string) => ({
  tools: ['add', 'subtract', name].map((tool) => ({ name: tool, description: `To ${tool}`, inputSchema: { type: 'object' } })),
  resources: [{ uri: `${name}://one`, name: 'one' }],
  prompts: [{ name: 'greet' }],
});

/** The command of a server whose third tool and whose resources have this name. */
function serverOf(world: World, name: string): { command: string; args: string[] } {
  return { command: process.execPath, args: [V1, world.write(`outside/${name}.json`, JSON.stringify(offer(name)))] };
}

function wrapping(world: World, name: string): string[] {
  const { command, args } = serverOf(world, name);
  return ['--', command, ...args];
}

/** An SDK client of the program. */
async function connected(world: World, args: readonly string[]) {
  const env = Object.fromEntries(
    Object.entries(environment(world.home)).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  let changes = 0;
  const client = new Client(
    { name: 'test', version: '1' },
    {
      listChanged: {
        tools: {
          onChanged: () => {
            changes++;
          },
        },
      },
    },
  );
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [ENTRY, ...named({ args, cwd: world.project })],
    env,
    cwd: world.project,
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, changes: () => changes, stderr: () => stderr, tools: async () => namesOf((await client.listTools()).tools) };
}

function namesOf(tools: readonly { name: string }[]): string[] {
  return tools.map(({ name }) => name);
}

/** Writes as editors do that put another file in place. */
function configure(world: World, servers: Readonly<Record<string, object>>): void {
  renameSync(world.write('project/footbridge.json.tmp', JSON.stringify({ mcpServers: servers })), world.path('project/footbridge.json'));
}

const soon = { timeout: 20_000, interval: 100 };

describe('footbridge wrap', () => {
  it('gives the tools of the server under their own names, and ours', async () => {
    const world = createWorld();
    const { client, tools } = await connected(world, ['wrap', ...wrapping(world, 'one')]);
    expect(await tools()).toEqual(expect.arrayContaining(['add', 'subtract', 'one', 'get_resource', 'get_resources']));
    expect(namesOf((await client.listResources()).resources)).toEqual(['one']);
    expect(namesOf((await client.listPrompts()).prompts)).toEqual(['greet']);
  });

  it('ignores skills and configurations that were not requested', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/standard');
    world.skill('outside/team/named');
    configure(world, { two: serverOf(world, 'two') });
    const expectOnly = async (uris: readonly string[], ...args: string[]) => {
      const host = await serve(world, { args: ['wrap', ...args, ...wrapping(world, 'one')] });
      // A server that takes long to list its resources has them shown when they come.
      await vi.waitFor(async () => {
        const { resources } = (await host.request('resources/list')).result;
        expect(resources.map(({ uri }: { uri: string }) => uri).sort()).toEqual(uris);
      }, soon);
    };
    await expectOnly(['one://one']);
    await expectOnly(['one://one', 'skill://named/SKILL.md'], '--skills', world.path('outside/team'));
    await expectOnly(['one://one', 'two://one'], '--config', 'footbridge.json');
    world.write('project/standard.json', '{ "standardFolders": true }');
    await expectOnly(['one://one', 'skill://standard/SKILL.md'], '--config', 'standard.json');
  });

  it('serves the server over HTTP, and ends it on exit', async () => {
    const world = createWorld();
    const { command, args } = serverOf(world, 'one');
    const server = await startHttp(world, { command: 'wrap', args: ['--', command, ...args] });
    const { message } = await postModern(server.endpoint, 'tools/list');
    expect(namesOf(message.result.tools)).toEqual(expect.arrayContaining(['add', 'subtract', 'one', 'get_resource']));
    expect(server.output()).toContain('serves 0 skills and 1 server at');
    expect(await server.stop()).toBe(0);
  });

  it('requires authentication on a public address', async () => {
    const world = createWorld();
    const { code, stderr } = await run(world, 'wrap', '--http', '0.0.0.0:3333', ...wrapping(world, 'one'));
    expect(code).toBe(1);
    expect(stderr).toContain('to a file that --config names');
  });
});

describe('mcpServers', () => {
  it('keep the names of one server, and prefix those of two', async () => {
    const world = createWorld();
    configure(world, { one: serverOf(world, 'one') });
    expect(await (await connected(world, [])).tools()).toEqual(expect.arrayContaining(['add', 'one', 'get_resource']));
    configure(world, { one: serverOf(world, 'one'), two: { ...serverOf(world, 'two'), exclude: { tools: ['sub*'] } } });
    const { tools } = await connected(world, []);
    const expected = ['one__add', 'one__subtract', 'one__one', 'two__add', 'two__two', 'get_resource'];
    // A slow server is not waited for.
    await vi.waitFor(async () => expect(await tools()).toEqual(expect.arrayContaining(expected)), soon);
    expect(await tools()).not.toContain('two__subtract');
  });

  it('are included in list, read and surface, which end and leave no server running', async () => {
    const world = createWorld();
    configure(world, { one: serverOf(world, 'one') });
    expect(await run(world, 'list')).toMatchObject({ code: 0, stderr: '' });
    const { code, stdout } = await run(world, 'surface', '--json');
    expect(code).toBe(0);
    expect(namesOf(JSON.parse(stdout).tools)).toEqual(expect.arrayContaining(['add', 'one', 'get_resource']));
    expect((await run(world, 'read', 'one://none')).code).toBe(1);
  });

  it('apply additions, changes and removals while a host is connected, and announce them', async () => {
    const world = createWorld();
    configure(world, {});
    const { changes, stderr, tools } = await connected(world, []);
    expect(await tools()).not.toContain('add');
    configure(world, { one: serverOf(world, 'one') });
    await vi.waitFor(async () => expect(await tools()).toEqual(expect.arrayContaining(['add', 'one'])), soon);
    await vi.waitFor(() => expect(changes()).toBeGreaterThan(0), soon);
    const before = changes();
    configure(world, { one: serverOf(world, 'one'), two: serverOf(world, 'two') });
    await vi.waitFor(async () => expect(await tools()).toEqual(expect.arrayContaining(['one__one', 'two__two'])), soon);
    await vi.waitFor(() => expect(changes()).toBeGreaterThan(before), soon);
    world.write('project/footbridge.json', '{ "mcpServers": { "two": {} } }');
    await vi.waitFor(() => expect(stderr()).toContain('mcpServers.two: A server requires a command or a url'), soon);
    expect(await tools()).toEqual(expect.arrayContaining(['one__one', 'two__two']));
    configure(world, { two: serverOf(world, 'two') });
    await vi.waitFor(async () => expect(await tools()).toEqual(expect.arrayContaining(['add', 'two'])), soon);
    expect(await tools()).not.toContain('one__one');
  });

  it('apply them over HTTP, too', async () => {
    const world = createWorld();
    const { endpoint } = await startHttp(world, { config: {} });
    const names = async (): Promise<Json> => namesOf((await postModern(endpoint, 'tools/list')).message.result.tools);
    expect(await names()).not.toContain('add');
    configure(world, { one: serverOf(world, 'one') });
    await vi.waitFor(async () => expect(await names()).toEqual(expect.arrayContaining(['add', 'one'])), soon);
  });
});
