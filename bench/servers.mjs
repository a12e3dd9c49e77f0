// The servers that are measured, and the time from their start to tools/list.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { connect } from './client.mjs';
import { processorMilliseconds } from './resident.mjs';

/** The program of the working tree. */
export const command = join(import.meta.dirname, '..', 'packages', 'footbridge', 'bin', 'footbridge.cjs');

const peer = (name) => join(import.meta.dirname, 'peers', name);

/** Long enough for a server to have written its caches. */
const WARM_MS = 2500;

/** Footbridge as a host starts it; `cache` is a folder, or `off`. */
export const footbridge = (skills, cache, program = command) => ({
  args: [program, '--skills', skills],
  environment: { FOOTBRIDGE_CACHE: cache },
});

/** Footbridge with a pack and nothing else. */
export const pack = (name, environment) => ({ args: [command, '--pack', name], environment: { FOOTBRIDGE_CACHE: 'off', ...environment } });

/** One tool on the same SDK. */
export const minimalServer = { args: [peer('minimal-server.mjs')] };

/** The SDK's own loader. */
export const loadSkillsServer = (skills) => ({ args: [peer('load-skills-server.mjs'), skills] });

export const OWN_SERVER = peer('own-resources.mjs');
export const AUTHOR_V2 = peer('author-v2.mjs');
export const AUTHOR_V1 = peer('author-v1.mjs');

/** One of these scripts, with its argument: see `resourcesOf`. */
export const resourceServer = (script, given) => ({ args: [script, String(given)] });

/**
 * Starts and initializes a server; resolves with the client, the tools, and the milliseconds from spawn to tools/list. `initialized` is
 * called before the tools are asked for.
 */
export async function start(workspace, server, initialized = () => {}) {
  const begin = performance.now();
  const client = connect(workspace, server);
  await client.request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1.0.0' },
  });
  initialized(client);
  const { result, at, bytes } = await client.request('tools/list', {}, ['notifications/initialized']);
  return { client, tools: result.tools, bytes, milliseconds: at - begin };
}

/** The time of one start; the server is closed again. `check` receives the tools: a server that found nothing would be fast. */
export async function timeStart(workspace, server, check) {
  return (await measureStart(workspace, server, check)).milliseconds;
}

/** The same with the CPU time that the process had used by then. */
export async function measureStart(workspace, server, check = () => true) {
  const { client, tools, milliseconds } = await start(workspace, server);
  const processor = processorMilliseconds(client.pid);
  await client.close();
  if (!check(tools)) throw new Error(`The server did not list the expected tools: ${server.args.join(' ')}`);
  return { milliseconds, processor };
}

/** A cache folder filled by a start with these skills. */
export const warmCache = (workspace, skills) => fillCache(workspace, (cache) => footbridge(skills, cache));

/** A cache folder filled by a start of this server. */
export async function fillCache(workspace, serverWith) {
  const cache = workspace.folder('cache');
  const { client } = await start(workspace, serverWith(cache));
  await setTimeout(WARM_MS);
  await client.close();
  return cache;
}

/** An empty Node process: no start can be faster. */
export async function timeBareNode(workspace) {
  const begin = performance.now();
  const child = spawn(process.execPath, ['-e', '0'], { cwd: workspace.workingFolder, env: workspace.environment, stdio: 'ignore' });
  await once(child, 'exit');
  return performance.now() - begin;
}
