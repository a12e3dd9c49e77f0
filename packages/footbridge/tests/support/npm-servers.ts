/** Third-party servers from npm, and a function that starts one with our tools built in. */
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { World } from './folders.js';

const require = createRequire(import.meta.url);
const entryOf = (manifest: string) => join(dirname(manifest), 'dist', 'index.js');

export const EVERYTHING = entryOf(require.resolve('@modelcontextprotocol/server-everything/package.json'));
export const MEMORY = entryOf(require.resolve('@modelcontextprotocol/server-memory/package.json'));
export const FILESYSTEM = entryOf(require.resolve('@modelcontextprotocol/server-filesystem/package.json'));

/** A script that is given options of footbridge() as JSON, an entry, and its arguments. */
export const WITH_FOOTBRIDGE = join(import.meta.dirname, '..', 'fixtures', 'with-footbridge.mjs');

const OTHERS = join(import.meta.dirname, '..', 'npm', 'node_modules');

/** The script of a third-party MCP client, which calls one method per run. */
export const INSPECTOR = join(OTHERS, '@modelcontextprotocol', 'inspector', 'clients', 'launcher', 'build', 'index.js');

/** The script of a third-party MCP host, which lists its servers with `mcp list`. */
export const QWEN = join(OTHERS, '@qwen-code', 'qwen-code', 'cli.js');

export interface NpmServer {
  readonly name: string;
  readonly entry: string;
  args?(world: World): readonly string[];
  env?(world: World): Readonly<Record<string, string>>;
  /** A call that changes nothing and needs no network; for servers without such a tool, a call that they reject. */
  call(world: World): { readonly name: string; readonly arguments: object };
  /** The tools that wrapping adds. */
  readonly added: readonly string[];
}

const RESOURCES = ['get_resource', 'get_resources'];

/** Servers of different ages, authors and styles. The first three are in the workspace, because other tests need them too. */
export const NPM_SERVERS: readonly NpmServer[] = [
  {
    name: 'server-everything',
    entry: EVERYTHING,
    args: () => ['stdio'],
    call: () => ({ name: 'get-structured-content', arguments: { location: 'Chicago' } }),
    added: ['get_prompt', ...RESOURCES],
  },
  {
    name: 'server-filesystem',
    entry: FILESYSTEM,
    args: ({ project }) => [project],
    call: ({ project }) => ({ name: 'list_directory', arguments: { path: project } }),
    added: [],
  },
  {
    name: 'server-memory',
    entry: MEMORY,
    env: ({ path }) => ({ MEMORY_FILE_PATH: path('outside/memory.jsonl') }),
    call: () => ({ name: 'read_graph', arguments: {} }),
    added: RESOURCES,
  },
  {
    name: 'server-sequential-thinking',
    entry: join(OTHERS, '@modelcontextprotocol', 'server-sequential-thinking', 'dist', 'index.js'),
    call: () => ({
      name: 'sequentialthinking',
      arguments: { thought: 'Is it so?', thoughtNumber: 1, totalThoughts: 2, nextThoughtNeeded: true },
    }),
    added: [],
  },
  {
    name: 'server-map, an MCP App on SDK v2',
    entry: join(OTHERS, '@modelcontextprotocol', 'server-map', 'dist', 'index.js'),
    args: () => ['--stdio'],
    call: () => ({ name: 'show-map', arguments: { label: 'London' } }),
    added: RESOURCES,
  },
  {
    name: 'context7, on SDK v2, with lists that are empty',
    entry: join(OTHERS, '@upstash', 'context7-mcp', 'dist', 'index.js'),
    call: () => ({ name: 'query-docs', arguments: { libraryId: 1 } }),
    added: RESOURCES,
  },
  {
    name: 'server-brave-search, on SDK 1.0',
    entry: join(OTHERS, '@modelcontextprotocol', 'server-brave-search', 'dist', 'index.js'),
    env: () => ({ BRAVE_API_KEY: 'none' }),
    call: () => ({ name: 'brave_web_search', arguments: {} }),
    added: [],
  },
  {
    name: 'mcp-server-commands, on SDK 1.9',
    entry: join(OTHERS, 'mcp-server-commands', 'build', 'index.js'),
    call: () => ({ name: 'run_command', arguments: { command: 'echo hello' } }),
    added: ['get_prompt'],
  },
  {
    name: 'git-mcp-server, on a framework',
    entry: join(OTHERS, '@cyanheads', 'git-mcp-server', 'dist', 'index.js'),
    call({ project }) {
      execFileSync('git', ['init', '-q', project]);
      return { name: 'git_status', arguments: { path: project } };
    },
    added: ['get_prompt', ...RESOURCES],
  },
  {
    name: 'playwright, bundled',
    entry: join(OTHERS, '@playwright', 'mcp', 'cli.js'),
    args: ({ path }) => ['--executable-path', path('outside/no-browser')],
    call: () => ({ name: 'browser_close', arguments: {} }),
    added: [],
  },
];
