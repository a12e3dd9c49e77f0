/** `call_tool` returns the same results as a direct call, for every tool of ten servers from npm. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json, RawClient } from './support/client.js';
import { createWorld, type World } from './support/folders.js';
import { NPM_SERVERS } from './support/npm-servers.js';
import { requirement } from './support/requirements.js';
import { serve } from './support/server.js';
import { useSources } from './support/start.js';
import { sendJson, serveWeb, type WebServer } from './support/web-server.js';

useSources();

const CHROMIUM = requirement('chromium');

/** Tools that wait, or return something different each time. */
const LEFT_OUT = [/^browser_(wait_for|tabs)$/, /^get-env$/, /^toggle-/];
/** The only arguments of tools that would run a program, leave this machine, or take long. */
const ONLY: Readonly<Record<string, Json>> = {
  run_command: { command: 'echo hello' },
  'trigger-long-running-operation': { duration: 0.1, steps: 2 },
  'gzip-file-as-resource': { name: 'a.gz', data: 'data:text/plain,a', outputType: 'resource' },
  brave_web_search: { query: 'alpha', count: 2 },
  brave_local_search: { query: 'alpha', count: 2 },
  browser_navigate: { url: 'data:text/html,<title>A page</title><button>Press</button>' },
};
/** Arguments that a tool accepts, beside the generated ones, which it may refuse. */
const ACCEPTED: Readonly<Record<string, (world: World) => Json>> = {
  create_directory: ({ project }) => ({ path: join(project, 'folder') }),
  list_directory: ({ project }) => ({ path: project }),
  directory_tree: ({ project }) => ({ path: project }),
  search_files: ({ project }) => ({ path: project, pattern: '**/*.md' }),
  read_file: ({ project }) => ({ path: join(project, 'notes.md') }),
  read_text_file: ({ project }) => ({ path: join(project, 'notes.md'), head: 1 }),
  read_media_file: ({ project }) => ({ path: join(project, 'notes.md') }),
  git_set_working_dir: ({ project }) => ({ path: project }),
  git_status: ({ project }) => ({ path: project }),
  git_log: ({ project }) => ({ path: project }),
  git_show: ({ project }) => ({ path: project, object: 'HEAD' }),
  git_diff: ({ project }) => ({ path: project }),
  git_blame: ({ project }) => ({ path: project, filePath: 'notes.md' }),
  git_branch: ({ project }) => ({ path: project, mode: 'create', branchName: 'other' }),
  git_checkout: ({ project }) => ({ path: project, target: 'other' }),
  git_add: ({ project }) => ({ path: project, paths: ['notes.md'] }),
  git_commit: ({ project }) => ({ path: project, message: 'Another', allowEmpty: true }),
  git_tag: ({ project }) => ({ path: project, mode: 'create', tagName: 'v1' }),
  git_stash: ({ project }) => ({ path: project, mode: 'list' }),
  git_remote: ({ project }) => ({ path: project, mode: 'list' }),
  git_reflog: ({ project }) => ({ path: project }),
  browser_evaluate: () => ({ function: '() => 6 * 7' }),
  browser_press_key: () => ({ key: 'Tab' }),
  browser_resize: () => ({ width: 800, height: 600 }),
};
/** So many calls of each server must succeed, at least: two errors are the same too easily. */
const SUCCEEDING: Readonly<Record<string, number>> = {
  everything: 20,
  filesystem: 18,
  memory: 20,
  'sequential-thinking': 3,
  map: 6,
  context7: 6,
  'brave-search': 2,
  'mcp-server-commands': 1,
  'git-mcp-server': 18,
  playwright: CHROMIUM === undefined ? 0 : 8,
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
    .replace(/\b[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4} [\d:]{8} GMT[+-]\d{4} \([^)]*\)/g, 'a-time')
    .replace(/\d{4}-\d\d-\d\d[T ][\d:.-]+(Z| UTC)?/g, 'a-time')
    .replace(/\b\d+(\.\d+)? ?ms\b|"(duration\w*|\w*Ms|pid)":[\d.]+/gi, 'a-duration');
  return JSON.parse(text);
}

/** What the servers would fetch from elsewhere. */
const ANSWERS: Readonly<Record<string, Json>> = {
  '/api.search.brave.com/res/v1/web/search': { web: { results: [{ title: 'A page', description: 'Of it', url: 'https://example.org/' }] } },
  '/context7.com/api/v2/libs/search': {
    results: [{ id: '/org/library', title: 'Library', description: 'Of it', branch: 'main', state: 'finalized', totalSnippets: 7 }],
  },
  '/context7.com/api/v2/context': 'A snippet of documentation.',
  '/nominatim.openstreetmap.org/search': [
    { place_id: 1, display_name: 'A place', lat: '1.5', lon: '2.5', boundingbox: ['1', '2', '2', '3'], type: 'city', importance: 0.5 },
  ],
};
/** The server refuses a second request within a second. */
const LIMITED = '/api.search.brave.com/';

/** The internet, as far as these servers use it. */
function serveNetwork(): Promise<WebServer> {
  return serveWeb(async ({ request, response }) => {
    const { pathname } = new URL(request.url ?? '/', 'http://loopback');
    if (pathname.startsWith(LIMITED)) await new Promise((resolve) => setTimeout(resolve, 1100));
    const answer = ANSWERS[pathname];
    if (typeof answer === 'string') response.writeHead(200, { 'content-type': 'text/plain' }).end(answer);
    else sendJson(response, answer === undefined ? 404 : 200, answer ?? {});
  });
}

/** The same commits in every world. */
const GIT = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  ...Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) => [
      [`GIT_${role}_NAME`, 'Ada'],
      [`GIT_${role}_EMAIL`, 'ada@example.org'],
      [`GIT_${role}_DATE`, '2026-01-02T03:04:05Z'],
    ]),
  ),
};

/** A world with a repository that has a commit. */
function worldWithRepository(): World {
  const world = createWorld();
  world.write('project/notes.md', '# Notes\n\nFirst.\n');
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    ['commit', '-q', '-m', 'First'],
  ])
    execFileSync('git', args, { cwd: world.project, env: { ...process.env, ...GIT } });
  return world;
}

/** A browser without a window; as root it has no sandbox. */
const BROWSER = [
  ...(CHROMIUM === undefined ? [] : ['--executable-path', CHROMIUM]),
  '--headless',
  '--isolated',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

/** How each server is started in a world. */
function serversIn(world: World, network: WebServer) {
  return NPM_SERVERS.map(({ name, entry, args, env }) => ({
    name: name.replace(/,.*$/s, '').replace(/^server-/, ''),
    entry,
    args: [...(args?.(world) ?? []), ...(name.startsWith('playwright') ? BROWSER : [])],
    env: {
      ...GIT,
      ...env?.(world),
      NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'fixtures', 'network-on-loopback.mjs')).href}`,
      NO_COLOR: '1',
      LOOPBACK_NETWORK: network.url,
    },
  }));
}

async function openThrough(network: WebServer): Promise<{ readonly client: RawClient; readonly world: World }> {
  const world = worldWithRepository();
  const mcpServers = Object.fromEntries(
    serversIn(world, network).map(({ name, entry, args, env }) => [
      name,
      { command: process.execPath, args: [entry, ...args], env, cwd: world.project },
    ]),
  );
  const file = world.write('outside/footbridge.json', JSON.stringify({ standardFolders: false, mcpServers, toolSearch: true }));
  return { client: await serve(world, { args: ['--config', file] }), world };
}

it('returns the same as the server itself, for every tool of ten servers', { timeout: 120_000 }, async () => {
  const network = await serveNetwork();
  // In worlds of their own, since many tools change something.
  const world = worldWithRepository();
  const through = await openThrough(network);
  let gentle = 0;
  const succeeded: Record<string, number> = {};
  for (const { args: serverArgs, entry, env, name: server } of serversIn(world, network)) {
    const direct = await serve(world, { script: entry, args: serverArgs, env });
    const { tools } = (await direct.request('tools/list')).result;
    // Ten servers start at once, and what they have cannot be found before they have answered.
    await through.client.waitFor(async () => {
      const found = await through.client.request('tools/call', { name: 'find_tools', arguments: { query: `${server} ${tools[0].name}` } });
      return JSON.stringify(found).includes(`${server}__`);
    });
    succeeded[server] = 0;
    for (const { annotations, inputSchema, name } of tools as Json[]) {
      if (LEFT_OUT.some((each) => each.test(name))) continue;
      const isDestructive = annotations?.readOnlyHint !== true && annotations?.destructiveHint !== false;
      const by = isDestructive ? 'call_destructive_tool' : 'call_tool';
      if (!isDestructive) gentle++;
      const generated = fc.sample(fitting({ ...inputSchema, type: 'object' }), { numRuns: CALLS_OF_A_TOOL, seed: 7 });
      const accepted = ACCEPTED[name];
      const samples =
        name in ONLY ? [() => ONLY[name]] : [...generated.map((args) => () => args), ...(accepted === undefined ? [] : [accepted])];
      for (const sample of samples) {
        const [one, other] = await Promise.all([
          direct.request('tools/call', { name, arguments: sample(world) }),
          through.client.request('tools/call', { name: by, arguments: { name: `${server}__${name}`, arguments: sample(through.world) } }),
        ]);
        expect(comparable(other, through.world), `${server}: ${name} ${JSON.stringify(sample(world))}`).toEqual(comparable(one, world));
        if (one.result !== undefined && one.result.isError !== true) succeeded[server] = (succeeded[server] ?? 0) + 1;
      }
    }
  }
  for (const [server, atLeast] of Object.entries(SUCCEEDING)) expect(succeeded[server], server).toBeGreaterThanOrEqual(atLeast);
  expect(Object.keys(succeeded)).toEqual(Object.keys(SUCCEEDING));
  expect(gentle).toBeGreaterThan(10);
});
