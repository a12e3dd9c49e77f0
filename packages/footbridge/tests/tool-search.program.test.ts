/** `call_tool` is the call itself: the same results as a direct call, for every tool of ten servers from npm. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json, RawClient } from './support/client.js';
import { createWorld, type World } from './support/folders.js';
import { NPM_SERVERS } from './support/npm-servers.js';
import { serve } from './support/server.js';
import { useSources } from './support/start.js';

useSources();

/** Tools that reach the network, wait, or say something else each time, whoever calls them. */
const LEFT_OUT = [/brave_\w+$/, /context7\w*__/, /browser_(wait_for|tabs)$/, /get-env$/, /toggle-/, /show-map$/, /geocode$/];
/** Arguments that would run a program, or take long. */
const GIVEN: Readonly<Record<string, Json>> = {
  run_command: { command: 'echo hello' },
  'trigger-long-running-operation': { duration: 0.1, steps: 2 },
  'gzip-file-as-resource': { name: 'a.gz', data: 'data:text/plain,a', outputType: 'resource' },
};
const CALLS_OF_A_TOOL = 3;

/** Values that fit a schema, as far as generated ones have to. */
function fitting(schema: Json): fc.Arbitrary<Json> {
  const { anyOf, oneOf, const: only, enum: values, items, properties = {}, required = [] } = schema ?? {};
  const [branch] = anyOf ?? oneOf ?? [];
  if (branch !== undefined) return fitting(branch);
  if (only !== undefined) return fc.constant(only);
  if (values !== undefined) return fc.constantFrom(...values);
  switch (Array.isArray(schema?.type) ? schema.type[0] : schema?.type) {
    case 'integer':
    case 'number':
      return fc.integer({ min: Math.ceil(schema.minimum ?? 1), max: Math.floor(schema.maximum ?? (schema.minimum ?? 1) + 3) });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(fitting(items), { minLength: Math.max(1, schema.minItems ?? 1), maxLength: Math.max(2, schema.minItems ?? 1) });
    case 'object':
      return fc.record(Object.fromEntries(Object.entries<Json>(properties).map(([name, field]) => [name, fitting(field)])), {
        requiredKeys: required,
      });
    default:
      return fc.constantFrom('alpha', 'beta gamma', 'ünï');
  }
}

/** What differs between two worlds and two runs. */
function comparable(answer: Json, { path }: World): Json {
  const text = JSON.stringify(answer.result ?? answer.error)
    .replaceAll(JSON.stringify(path('.')).slice(1, -1), 'world')
    .replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'a-random-id')
    .replace(/"blob":"([\w+/=]+)"/g, (_, bytes) => `"blob":${JSON.stringify(Buffer.from(bytes, 'base64').toString())}`)
    .replace(/\b\d{1,2}:\d\d:\d\d [AP]M/g, 'a-time')
    .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+(Z| UTC)?/g, 'a-time')
    .replace(/\b\d+(\.\d+)? ?ms\b|"(duration\w*|\w*Ms|pid)":[\d.]+/gi, 'a-duration');
  return JSON.parse(text);
}

async function open(): Promise<{ readonly client: RawClient; readonly world: World }> {
  const world = createWorld();
  const mcpServers = Object.fromEntries(
    NPM_SERVERS.map(({ name, entry, args, env }) => [
      name.replace(/\W.*$/s, '') === 'server' ? name.replace(/^server-|,.*$/g, '') : name.replace(/,.*$/s, ''),
      { command: process.execPath, args: [entry, ...(args?.(world) ?? [])], env: env?.(world) ?? {}, cwd: world.project },
    ]),
  );
  const file = world.write('outside/footbridge.json', JSON.stringify({ standardFolders: false, mcpServers, toolSearch: false }));
  return { client: await serve(world, { args: ['--config', file] }), world };
}

it('returns the same as a direct call, for every tool of ten servers', { timeout: 120_000 }, async () => {
  // In worlds of their own, since many tools change something.
  const [direct, through] = await Promise.all([open(), open()]);
  const toolsOf = async (client: RawClient): Promise<Json[]> => (await client.request('tools/list')).result.tools;
  const isComplete = (tools: Json[]) =>
    new Set(tools.flatMap(({ name }) => (name.includes('__') ? [name.split('__')[0]] : []))).size >= NPM_SERVERS.length;
  await Promise.all([direct, through].map(({ client }) => client.waitFor(async () => isComplete(await toolsOf(client)))));
  const tools = (await toolsOf(direct.client)).filter(({ name }) => name.includes('__') && !LEFT_OUT.some((each) => each.test(name)));
  expect(tools.length).toBeGreaterThan(70);
  let gentle = 0;
  for (const { annotations, inputSchema, name } of tools) {
    const isDestructive = annotations?.readOnlyHint !== true && annotations?.destructiveHint !== false;
    const by = isDestructive ? 'call_destructive_tool' : 'call_tool';
    if (!isDestructive) gentle++;
    const given = GIVEN[name.split('__')[1] ?? ''];
    const samples =
      given === undefined ? fc.sample(fitting({ ...inputSchema, type: 'object' }), { numRuns: CALLS_OF_A_TOOL, seed: 7 }) : [given];
    for (const args of samples) {
      const [one, other] = await Promise.all([
        direct.client.request('tools/call', { name, arguments: args }),
        through.client.request('tools/call', { name: by, arguments: { name, arguments: args } }),
      ]);
      expect(comparable(other, through.world), `${name} ${JSON.stringify(args)}`).toEqual(comparable(one, direct.world));
    }
  }
  expect(gentle).toBeGreaterThan(10);
});
