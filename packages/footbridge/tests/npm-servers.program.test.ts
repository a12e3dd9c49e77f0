/** Third-party servers gain our tools and lose nothing. */
import { describe, expect, it } from 'vitest';
import type { Json, RawClient } from './support/client.js';
import { runWith } from './support/command.js';
import { createWorld, type World } from './support/folders.js';
import { EVERYTHING, FILESYSTEM, MEMORY, NPM_SERVERS, type NpmServer, WITH_FOOTBRIDGE } from './support/npm-servers.js';
import { listAll } from './support/resources.js';
import { serve } from './support/server.js';
import { useSources } from './support/start.js';

useSources();

type Variables = Readonly<Record<string, string>>;

/** What `footbridge surface` shows that a script offers and another does not; fails when anything is gone or differs. */
async function additions(world: World, env: Variables, before: readonly string[], after: readonly string[]): Promise<string[]> {
  // A server gets the variables that are named.
  const named = Object.keys(env).flatMap((name) => ['--env', name]);
  const direct = await runWith(world, env, 'surface', '--json', ...named, '--', process.execPath, ...before);
  expect(JSON.parse(direct.stdout).tools.length, direct.stderr).toBeGreaterThan(0);
  const file = world.write('outside/direct.json', direct.stdout);
  const { code, stdout, stderr } = await runWith(
    world,
    env,
    'surface',
    '--json',
    '--against',
    file,
    ...named,
    '--',
    process.execPath,
    ...after,
  );
  const { added, removed, changed } = JSON.parse(stdout);
  expect({ code, removed, changed }, stderr).toEqual({ code: 0, removed: [], changed: [] });
  return added.map(({ kind, key }: { kind: string; key: string }) => `${kind} ${key}`).sort();
}

const tools = (names: readonly string[]) => names.map((name) => `tool ${name}`).sort();

/** What a host sees besides lists: the handshake, a call, and each resource that is listed. */
async function seen(client: RawClient, call: ReturnType<NpmServer['call']>): Promise<Json> {
  const { protocolVersion: _, ...handshake } = client.handshake;
  const { error, result } = await client.request('tools/call', { ...call });
  const listed: { uri: string }[] = (await client.request('resources/list')).result?.resources ?? [];
  const contents = [];
  for (const { uri } of listed) {
    const { error, result } = await client.request('resources/read', { uri });
    contents.push({ error, result });
  }
  return JSON.parse(withoutRandom(JSON.stringify({ handshake, call: { error, result }, contents })));
}

/** What a server generates for each call. */
function withoutRandom(text: string): string {
  return text.replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'a-random-id').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a-time');
}

/** Everything that a server lists. */
async function offerOf(client: RawClient): Promise<Json> {
  const { capabilities } = client.handshake;
  return {
    tools: await listAll(client, 'tools/list', 'tools'),
    prompts: capabilities.prompts === undefined ? [] : await listAll(client, 'prompts/list', 'prompts'),
    resources: capabilities.resources === undefined ? [] : await listAll(client, 'resources/list', 'resources'),
    templates: capabilities.resources === undefined ? [] : await listAll(client, 'resources/templates/list', 'resourceTemplates'),
  };
}

describe('a server from npm behind wrap', () => {
  it.each(NPM_SERVERS.map((server) => [server.name, server] as const))('%s', async (_, { entry, args, env, call, added }) => {
    const world = createWorld();
    const variables = env?.(world) ?? {};
    const given = args?.(world) ?? [];
    const handed = Object.entries(variables).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const wrap = ['wrap', ...handed, '--', process.execPath, entry, ...given];
    const action = call(world);

    const server = await serve(world, { script: entry, args: given, env: variables });
    const [offer, { handshake, ...rest }] = [await offerOf(server), await seen(server, action)];
    const first = await serve(world, { args: wrap });
    await first.waitFor(async () => (await listAll(first, 'tools/list', 'tools')).length === offer.tools.length + added.length);
    const { tools, ...others } = await offerOf(first);
    const isAdded = ({ name }: Json) => added.includes(name);
    expect({ ...others, tools: tools.filter((tool: Json) => !isAdded(tool)) }).toEqual(offer);
    expect(tools.filter(isAdded)).toHaveLength(added.length);
    await first.close();

    const { capabilities } = handshake;
    const announced = { ...capabilities, tools: { ...capabilities.tools, listChanged: true } };
    // The first start has been remembered, so here is what a host gets from the second start on.
    expect(await seen(await serve(world, { args: wrap }), action)).toEqual({
      ...rest,
      handshake: { ...handshake, capabilities: announced },
    });
  });
});

describe('a server from npm with our tools in it', () => {
  it.each<[name: string, entry: string, args: (world: World) => string[], options: (world: World) => object, added: string[]]>([
    ['server-everything', EVERYTHING, () => ['stdio'], () => ({}), ['get_resource', 'get_resources']],
    ['server-memory', MEMORY, () => [], () => ({}), ['get_resource', 'get_resources']],
    [
      'server-filesystem',
      FILESYSTEM,
      ({ project }) => [project],
      ({ path }) => ({ skills: [path('project/team')] }),
      ['skill', 'list_skills', 'get_skill', 'get_resource', 'get_resources'],
    ],
  ])('%s', async (_, entry, args, options, added) => {
    const world = createWorld();
    world.skill('project/team/git');
    const command = [entry, ...args(world)];
    const env = { MEMORY_FILE_PATH: world.path('outside/memory.jsonl') };
    const found = await additions(world, env, command, [WITH_FOOTBRIDGE, JSON.stringify(options(world)), ...command]);
    expect(found).toEqual(tools(added));
  });
});
