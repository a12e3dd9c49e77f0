/** Clients and servers of every generation, with `footbridge wrap` in between. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstStreamable } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ENTRY, environment, type Json, MODERN_VERSION } from './support/client.js';
import { createWorld, type World } from './support/folders.js';
import { startHttp } from './support/http-server.js';
import { INSPECTOR } from './support/npm-servers.js';
import { serve } from './support/server.js';
import { useSources } from './support/start.js';

useSources();

const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name);

const SERVERS = {
  'SDK v1': { script: [fixture('notes-v1.mjs')], instructions: 'Notes of the first SDK.' },
  'SDK v2 in both eras': { script: [fixture('notes-v2.mjs'), 'both'], instructions: 'Notes of the second SDK.' },
  'SDK v2 in 2026-07-28 alone': { script: [fixture('notes-v2.mjs'), 'modern'], instructions: 'Notes of the second SDK.' },
  'SDK v2 in older revisions alone': { script: [fixture('notes-v2.mjs'), 'legacy'], instructions: 'Notes of the second SDK.' },
};

/** What every client can do, in the words of the SDKs. */
interface HostClient {
  instructions(): Promise<string | undefined>;
  listTools(): Promise<Json>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<Json>;
  readResource(of: { uri: string }): Promise<Json>;
  getPrompt(of: { name: string; arguments: Record<string, string> }): Promise<Json>;
}

/** How a client is started on the command of a server, or on the address of one. */
type Start = (world: World, server: readonly string[] | URL) => Promise<HostClient>;

const first: Start = async (world, server) => {
  const client = new FirstClient({ name: 'first', version: '1' });
  const transport = server instanceof URL ? new FirstStreamable(server) : new FirstStdio(started(world, server));
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  onTestFinished(() => client.close());
  return hostClient(client);
};

const second =
  (mode: 'legacy' | { pin: string }): Start =>
  async (world, server) => {
    const client = new Client({ name: 'second', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(
      server instanceof URL ? new StreamableHTTPClientTransport(server) : new StdioClientTransport(started(world, server)),
    );
    onTestFinished(() => client.close());
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'legacy' ? '2025-11-25' : MODERN_VERSION);
    return hostClient(client);
  };

/** It starts the server again for each method. */
const inspector =
  (era: 'legacy' | 'modern'): Start =>
  async (world, server) => {
    const target = server instanceof URL ? [server.href] : [process.execPath, ...server];
    const ask = async (method: string, ...more: string[]) => {
      const args = [INSPECTOR, '--cli', ...target, '--method', method, '--protocol-era', era, '--quiet', '--format', 'json', ...more];
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: world.project, env: environment(world.home) });
      return JSON.parse(stdout).result;
    };
    return {
      instructions: async () => (await ask('initialize')).instructions,
      listTools: () => ask('tools/list'),
      callTool: ({ name, arguments: args }) => ask('tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)),
      readResource: ({ uri }) => ask('resources/read', '--uri', uri),
      getPrompt: ({ name, arguments: args }) =>
        ask('prompts/get', '--prompt-name', name, '--prompt-args', ...Object.entries(args).map(([key, value]) => `${key}=${value}`)),
    };
  };

const SDK_CLIENTS = {
  'SDK v1': first,
  'SDK v2 in 2025-11-25': second('legacy'),
  'SDK v2 in 2026-07-28': second({ pin: MODERN_VERSION }),
};

function started({ home, project }: World, args: readonly string[]) {
  const variables = Object.entries(environment(home)).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { command: process.execPath, args: [...args], env: Object.fromEntries(variables), cwd: project };
}

function hostClient(client: Client | FirstClient): HostClient {
  return {
    instructions: async () => client.getInstructions(),
    listTools: () => client.listTools(),
    callTool: (call) => client.callTool(call),
    readResource: (of) => client.readResource(of),
    getPrompt: (of) => client.getPrompt(of),
  };
}

function pairs<Starts extends object>(clients: Starts) {
  return Object.entries(clients).flatMap(([client, start]: [string, Start]) =>
    Object.entries(SERVERS).map(([server, { script, instructions }]) => ({ client, server, start, script, instructions })),
  );
}

const TODAY = 'notes://by-name/today';
const HELLO = { role: 'user', content: { type: 'text', text: 'Say hello to Ada.' } };
const greet = { name: 'greet', arguments: { who: 'Ada' } };

/** Uses all that the server has, and all of it again by our tools. */
async function useAll(client: HostClient, instructions: string): Promise<void> {
  const [said, { tools }, sum, note, prompt, asTool, promptAsTool] = await Promise.all([
    client.instructions(),
    client.listTools(),
    client.callTool({ name: 'add', arguments: { a: 2, b: 3 } }),
    client.readResource({ uri: TODAY }),
    client.getPrompt(greet),
    client.callTool({ name: 'get_resource', arguments: { uri: TODAY } }),
    client.callTool({ name: 'get_prompt', arguments: greet }),
  ]);
  expect(said).toBe(instructions);
  expect(tools.map(({ name }: { name: string }) => name).sort()).toEqual(['add', 'get_prompt', 'get_resource', 'get_resources']);
  expect(sum).toMatchObject({
    content: [{ type: 'text', text: '{"sum":5}' }],
    structuredContent: { sum: 5 },
    _meta: { 'example.org/kind': 'sum' },
  });
  expect(note.contents).toEqual([{ uri: TODAY, mimeType: 'text/plain', text: 'Water the plants.', _meta: { author: 'me' } }]);
  expect(prompt).toMatchObject({ description: 'A greeting', messages: [HELLO] });
  expect(asTool).toMatchObject({
    content: [{ type: 'text', text: 'Water the plants.' }],
    structuredContent: { success: true, uri: TODAY, data: { text: 'Water the plants.' }, mime_type: 'text/plain' },
  });
  expect(promptAsTool).toMatchObject({ structuredContent: { messages: [HELLO] } });
  expect(JSON.stringify(promptAsTool.content)).toContain('Say hello to Ada.');
}

describe('over stdio', () => {
  // Each client, and each server once; all pairs of them are below.
  const some = pairs(SDK_CLIENTS).filter((_, index) => index % 5 === 0 || index === 3);
  it.each(some)('$client uses all of a server on $server', async ({ start, script, instructions }) => {
    await useAll(await start(createWorld(), [ENTRY, 'wrap', '--', process.execPath, ...script]), instructions);
  });

  it('the Inspector uses a server', async () => {
    const { script, instructions } = SERVERS['SDK v1'];
    // It starts itself, the program and the server for each request.
    const client = await inspector('legacy')(createWorld(), [ENTRY, 'wrap', '--', process.execPath, ...script]);
    const [said, sum] = await Promise.all([client.instructions(), client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })]);
    expect([said, sum.structuredContent]).toEqual([instructions, { sum: 5 }]);
  });
});

describe('over HTTP', () => {
  const inspected = pairs({ Inspector: inspector('modern') }).filter(({ server }) => server === 'SDK v2 in both eras');
  it.each([...pairs(SDK_CLIENTS), ...inspected])('$client uses all of a server on $server', async ({ start, script, instructions }) => {
    const world = createWorld();
    const { endpoint } = await startHttp(world, { command: 'wrap', args: ['--', process.execPath, ...script] });
    await useAll(await start(world, new URL(endpoint)), instructions);
  });
});

describe('the first request of a host', () => {
  const uri = 'skill://git/SKILL.md';
  it.each<[method: string, params: Record<string, unknown>]>([
    ['tools/call', { name: 'skill', arguments: { name: 'git' } }],
    ['tools/call', { name: 'list_skills' }],
    ['tools/call', { name: 'get_skill', arguments: { uri } }],
    ['tools/call', { name: 'get_resource' }],
    ['tools/call', { name: 'get_resources', arguments: { uris: [uri] } }],
    ['tools/call', { name: 'get_prompt', arguments: { name: 'git' } }],
    ['skills/list', {}],
    ['skills/get', { uri }],
    ['resources/directory/read', { uri: 'skill://git' }],
    ['resources/read', { uri }],
    ['prompts/get', { name: 'git' }],
    ['completion/complete', { ref: { type: 'ref/resource', uri: 'skill://{+path}' }, argument: { name: 'path', value: 'g' } }],
  ])('waits for the server: %s %o', async (method, params) => {
    const world = createWorld();
    world.skill('outside/skills/git');
    const server = [process.execPath, ENTRY, '--skills', world.path('outside/skills'), '--prompts'];
    const host = await serve(world, { args: ['wrap', '--', ...server], version: MODERN_VERSION });
    const { result, error } = await host.request(method, params);
    expect({ error, isError: result?.isError ?? false }).toEqual({ error: undefined, isError: false });
    expect(JSON.stringify(result)).toContain('git');
  });
});
