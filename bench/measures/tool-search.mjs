// Tool search: what `call_tool` adds to a direct call, the size of tools/list with 1,000 tools of 20 servers, a search there, and with
// 10,000 tools the first search after a start, and how long other calls wait for it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { milliseconds, ratioAtLeast, row, valueAtMost } from '../report.mjs';
import { command, start } from '../servers.mjs';
import { median, percentile } from '../statistics.mjs';
import { takeTurns } from '../turns.mjs';
import { listedTools, manyTools, toolServer } from '../wrap/ways.mjs';

const MAX_ADDED_MS = 0.1;
const MAX_BYTES = 8192;
const MAX_SEARCH_MS = 20;
const LEAST_FOUND = 0.85;
const FIRST = 5;
const SERVERS = 20;
const TOOLS = 50;
const MAX_TOOLS = 10_000;
const MAX_WAIT_MS = 20;
const STARTS = 7;
/** Until what was read is stored. */
const STORED_MS = 2500;
const CALLS = { warmUp: 3000, blocks: 60, calls: 200 };
const SEARCHES = { warmUp: 100, blocks: 20, calls: 25 };
const QUERIES = ['report a bug', 'which customers have not paid', 'restart the server', 'send a message to the team', 'delete old backups'];

export async function measureToolSearch(workspace) {
  return [
    await measureCall(workspace),
    ...(await measureMany(workspace)),
    ...(await measureFirst(workspace)),
    await measureFound(workspace),
  ];
}

/** Both kinds of call take turns in one process. */
async function measureCall(workspace) {
  const { client } = await start(workspace, configured(workspace, { toolSearch: true, mcpServers: { upstream: toolServer } }));
  const given = { name: 'time', arguments: {} };
  const samples = await takeTurns(
    {
      through: { client, request: () => ['tools/call', { name: 'call_tool', arguments: given }] },
      direct: { client, request: () => ['tools/call', given] },
    },
    CALLS,
  );
  await client.close();
  const [through, direct] = [percentile(samples.through, 0.5), percentile(samples.direct, 0.5)];
  return row({
    measure: 'call_tool, one in flight: p50',
    ours: milliseconds(through),
    other: `the tool itself ${milliseconds(direct)}`,
    ratio: through / direct,
    limit: valueAtMost(through - direct, MAX_ADDED_MS, `≤ ${MAX_ADDED_MS} ms more`),
  });
}

async function measureMany(workspace) {
  const entries = Array.from({ length: SERVERS }, (_, at) => [`server-${at}`, manyTools(TOOLS, at)]);
  const mcpServers = Object.fromEntries(entries);
  const searched = await listed(workspace, configured(workspace, { mcpServers }), (tools) => describes(tools, SERVERS));
  const whole = await listed(
    workspace,
    configured(workspace, { mcpServers, toolSearch: false }),
    (tools) => tools.length === SERVERS * TOOLS,
  );
  await whole.client.close();
  let next = 0;
  const request = () => ['tools/call', { name: 'find_tools', arguments: { query: QUERIES[next++ % QUERIES.length] } }];
  const samples = await takeTurns({ search: { client: searched.client, request } }, SEARCHES);
  await searched.client.close();
  const p95 = percentile(samples.search, 0.95);
  return [
    row({
      measure: 'Size of tools/list, 1,000 tools of 20 servers',
      ours: `${searched.bytes} bytes`,
      other: `without tool search ${whole.bytes} bytes`,
      ratio: searched.bytes / whole.bytes,
      limit: valueAtMost(searched.bytes, MAX_BYTES, '≤ 8 KB'),
    }),
    row({
      measure: 'find_tools, 1,000 tools: p95',
      ours: milliseconds(p95),
      limit: valueAtMost(p95, MAX_SEARCH_MS, `≤ ${MAX_SEARCH_MS} ms`),
    }),
  ];
}

/** As the first call of a start, and while the search goes on: pings follow each other. */
async function measureFirst(workspace) {
  const entries = Array.from({ length: SERVERS }, (_, at) => [`server-${at}`, manyTools(MAX_TOOLS / SERVERS, at)]);
  const server = configured(workspace, { mcpServers: Object.fromEntries(entries) }, workspace.folder('cache'));
  const { client } = await listed(workspace, server, (tools) => describes(tools, SERVERS));
  while (!(await isIndexed(client))) await setTimeout(100);
  await setTimeout(STORED_MS);
  await client.close();
  const rounds = [];
  for (let round = 0; round <= STARTS; round++) {
    const sample = await searchAtOnce(workspace, server);
    if (round > 0) rounds.push(sample);
  }
  const [first, longest] = [median(rounds.map((each) => each.first)), median(rounds.map((each) => each.longest))];
  return [
    row({ measure: 'find_tools as the first call, 10,000 tools: median', ours: milliseconds(first) }),
    row({
      measure: 'A ping during the first find_tools, 10,000 tools: the longest',
      ours: milliseconds(longest),
      ratio: longest / MAX_WAIT_MS,
      limit: valueAtMost(longest, MAX_WAIT_MS, `≤ ${MAX_WAIT_MS} ms`),
    }),
  ];
}

async function searchAtOnce(workspace, server) {
  const { client } = await start(workspace, server);
  let longest = 0;
  let isOver = false;
  const ping = async () => {
    while (!isOver) longest = Math.max(longest, await timeOf(() => client.request('ping', {})));
  };
  const pings = ping();
  const first = await timeOf(() => find(client, QUERIES[0]));
  while (!(await isIndexed(client)));
  isOver = true;
  await pings;
  await client.close();
  return { first, longest };
}

async function timeOf(call) {
  const begin = performance.now();
  await call();
  return performance.now() - begin;
}

const find = (client, query) => client.request('tools/call', { name: 'find_tools', arguments: { query } });

/** An answer has notes until all tools are indexed. */
async function isIndexed(client) {
  const { result } = await find(client, QUERIES[1]);
  return result.structuredContent.notes === undefined;
}

/** Requests in people's own words, about servers that the search was not made for. */
async function measureFound(workspace) {
  const folder = join(import.meta.dirname, '..', '..', 'packages', 'footbridge', 'tests', 'fixtures', 'tools');
  const file = join(folder, 'unseen-tools.jsonl');
  const lines = (name) => readFileSync(join(folder, name), 'utf8').trim().split('\n');
  const definitions = lines('unseen-tools.jsonl').map((line) => JSON.parse(line));
  const names = definitions.flatMap(({ server }) => server ?? []);
  const mcpServers = Object.fromEntries(names.map((name) => [name, listedTools(file, name)]));
  const { client } = await listed(workspace, configured(workspace, { mcpServers, toolSearch: true }), (tools) =>
    describes(tools, names.length),
  );
  const requests = lines('unseen-requests.txt').map((line) => line.split(' | '));
  let hits = 0;
  for (const [query, fitting] of requests) {
    const { result } = await client.request('tools/call', { name: 'find_tools', arguments: { query } });
    const found = [...result.structuredContent.tools, ...(result.structuredContent.more ?? [])].slice(0, FIRST);
    if (found.some(({ name }) => fitting.split(';').includes(name.replace('__', '/')))) hits++;
  }
  await client.close();
  return row({
    measure: 'find_tools, requests in own words: a right tool among the first five',
    ours: `${hits} of ${requests.length}`,
    other: `${definitions.length - names.length} tools of ${names.length} servers`,
    ratio: hits / requests.length,
    limit: ratioAtLeast(LEAST_FOUND),
  });
}

/** A host asks again while servers start. */
async function listed(workspace, server, isComplete) {
  const { client, tools } = await start(workspace, server);
  let answer = { result: { tools }, bytes: 0 };
  while (answer.bytes === 0 || !isComplete(answer.result.tools)) {
    answer = await client.request('tools/list', {});
    if (!isComplete(answer.result.tools)) await setTimeout(100);
  }
  return { client, bytes: answer.bytes };
}

function describes(tools, servers) {
  const description = tools.find((tool) => tool.name === 'find_tools')?.description ?? '';
  return description.match(/^- [\w-]+ /gm)?.length === servers;
}

function configured(workspace, config, cache = 'off') {
  const file = join(workspace.folder('tools'), 'footbridge.json');
  writeFileSync(file, JSON.stringify({ standardFolders: false, ...config }));
  return { args: [command, '--config', file], environment: { FOOTBRIDGE_CACHE: cache } };
}
