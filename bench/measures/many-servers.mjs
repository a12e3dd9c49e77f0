// Start to `tools/list` with 1,000 configured servers, against 10.
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { milliseconds, ratioAtMost, row } from '../report.mjs';
import { command, start, timeStart } from '../servers.mjs';
import { interleave, median } from '../statistics.mjs';

const FEW = 10;
const MANY = 1000;
const ROUNDS = 9;
const RUNNING = 16;
const LEARN_MS = 300_000;

const SERVER = join(import.meta.dirname, '..', '..', 'packages', 'footbridge', 'tests', 'fixtures', 'server-small.sh');

export async function measureManyServers(workspace) {
  const few = configured(workspace, FEW);
  const many = configured(workspace, MANY);
  const samples = await interleave(ROUNDS, {
    first: () => timeStart(workspace, { ...many, environment: { FOOTBRIDGE_CACHE: workspace.folder('cache') } }),
    firstFew: () => timeStart(workspace, { ...few, environment: { FOOTBRIDGE_CACHE: workspace.folder('cache') } }),
  });
  for (const each of [few, many]) await learn(workspace, each);
  const started = processesOf(many.starts).length;
  const later = await interleave(ROUNDS, {
    few: () => timeStart(workspace, few, (tools) => tools.length > FEW),
    many: () => timeStart(workspace, many, (tools) => tools.some(({ name }) => name === 'find_tools')),
  });
  if (processesOf(many.starts).length > started) throw new Error('A server was started although its lists are remembered.');
  const line = (measure, ours, other, limit) =>
    row({ measure, ours: milliseconds(ours), other: `${FEW} servers ${milliseconds(other)}`, ratio: ours / other, limit });
  return [
    line('Start, 1,000 servers: lists remembered', median(later.many), median(later.few), ratioAtMost(1.5)),
    line('Start, 1,000 servers: the first ever', median(samples.first), median(samples.firstFew)),
  ];
}

function configured(workspace, count) {
  const folder = workspace.folder(`servers-${count}`);
  const starts = join(folder, 'starts');
  const mcpServers = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`s${index}`, { command: 'sh', args: [SERVER, `s${index}`, starts] }]),
  );
  const config = join(folder, 'footbridge.json');
  writeFileSync(config, JSON.stringify({ running: RUNNING, mcpServers }));
  appendFileSync(starts, '');
  const cache = join(folder, 'cache');
  return { count, starts, cache, args: [command, '--config', config], environment: { FOOTBRIDGE_CACHE: cache } };
}

/** Until each server was started once, and its lists are remembered. */
async function learn(workspace, server) {
  const { client } = await start(workspace, server);
  const end = performance.now() + LEARN_MS;
  while (remembered(server.cache) < server.count) {
    if (performance.now() > end) throw new Error('The lists of the servers were not remembered in time.');
    await setTimeout(200);
  }
  await client.close();
}

const remembered = (cache) => (existsSync(cache) ? readdirSync(cache).filter((name) => /^server-\w+\.json$/.test(name)).length : 0);

const processesOf = (starts) =>
  readFileSync(starts, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).pid);
