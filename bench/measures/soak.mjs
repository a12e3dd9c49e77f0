// 1,000 servers under mixed calls, some of them killed, hanging or endless: how many run at once, memory, latency, and what is left.
import { appendFileSync, closeSync, openSync, readdirSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { megabytes, milliseconds, ratioAtMost, row, valueAtMost } from '../report.mjs';
import { HAS_PROC, residentBytes } from '../resident.mjs';
import { command, start } from '../servers.mjs';
import { generator, median, percentile } from '../statistics.mjs';

const SERVERS = 1000;
const RUNNING = 16;
/** Of each fifty servers, one behaves like each of these. */
const MODES = ['exits', 'hangs', 'stubborn', 'endless', 'pages', 'noise', 'forks'];
const EVERY = 50;
/** Those that answer calls nevertheless. */
const ANSWERING = new Set([undefined, 'stubborn', 'endless', 'pages', 'forks']);

const CALLERS = 4;
const BETWEEN_MS = 200;
const SAMPLE_MS = 20;
const KILL_MS = 3000;
const MINUTE_MS = 60_000;
const WARM_UP_MS = 240_000;
const GONE_MS = 10_000;
/** What 999 other servers may cost a call, at p50. */
const MAX_SLOWER = 2;
/** Share of the calls that go to one of the few popular servers. */
const POPULAR = { share: 0.8, servers: 10 };

const SERVER = join(import.meta.dirname, '..', '..', 'packages', 'footbridge', 'tests', 'fixtures', 'server-small.sh');

export async function measureSoak(workspace, { minutes = 2 } = {}) {
  if (!HAS_PROC) return [];
  const folder = workspace.folder('soak');
  const starts = join(folder, 'starts');
  const config = join(folder, 'footbridge.json');
  writeFileSync(config, JSON.stringify({ running: RUNNING, standardFolders: false, mcpServers: servers(starts) }));
  appendFileSync(starts, '');
  const environment = { FOOTBRIDGE_CACHE: join(folder, 'cache') };
  const { client } = await start(workspace, { args: [command, '--config', config], environment, stderr: 'ignore' });
  const seen = watchProcesses(starts, client.pid);
  await untilListed(client);
  const alone = await startAlone(workspace, join(folder, 'alone.json'));
  const calls = await callFor(client, alone, minutes * MINUTE_MS, seen);
  seen.stop();
  await Promise.all([client.close(), alone.close()]);
  const left = await leftOver(starts);
  return rowsOf({ minutes, calls, seen, left });
}

function servers(starts) {
  return Object.fromEntries(
    Array.from({ length: SERVERS }, (_, index) => {
      const mode = modeOf(index);
      return [`s${index}`, { command: 'sh', args: [SERVER, `s${index}`, starts, ...(mode === undefined ? [] : [mode])] }];
    }),
  );
}

/** A healthy server without any others, at the same time: what the machine allows. */
async function startAlone(workspace, config) {
  const mcpServers = { alone: { command: 'sh', args: [SERVER, 'alone', '/dev/null'] } };
  writeFileSync(config, JSON.stringify({ standardFolders: false, mcpServers }));
  const environment = { FOOTBRIDGE_CACHE: 'off' };
  return (await start(workspace, { args: [command, '--config', config], environment, stderr: 'ignore' })).client;
}

/** The popular ones are healthy. */
function modeOf(index) {
  return index < POPULAR.servers ? undefined : MODES[index % EVERY];
}

/** Until the tools of every server that can list them are known. */
async function untilListed(client) {
  const begin = performance.now();
  const last = `s${SERVERS - 1}__pid`;
  while (performance.now() - begin < WARM_UP_MS) {
    const { result } = await client.request('tools/call', { name: 'find_tools', arguments: { query: last } });
    const found = JSON.stringify(result.structuredContent ?? result.content).includes(last);
    if (found && (await unlisted(client)) === 0) return;
    await setTimeout(500);
  }
  throw new Error(`After ${WARM_UP_MS / 1000} s, ${await unlisted(client)} servers have not listed their tools.`);
}

async function unlisted(client) {
  let count = 0;
  for (let index = 0; index < SERVERS; index++) {
    const mode = modeOf(index);
    if (mode === 'exits' || mode === 'hangs') continue;
    const name = 'call_tool';
    const { result } = await client.request('tools/call', { name, arguments: { name: `s${index}__pid`, arguments: { none: 1 } } });
    if (JSON.stringify(result).includes('Unknown tool')) count++;
  }
  return count;
}

/** Every process that runs, and the memory of the program. `kill` ends one server that should be fine. */
function watchProcesses(starts, pid) {
  const file = openSync(starts, 'r');
  const buffer = Buffer.alloc(1024 * 1024);
  const running = new Map();
  const memory = [];
  let rest = '';
  let most = 0;
  let samples = 0;
  let started = 0;
  const look = () => {
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) rest += buffer.toString('utf8', 0, read);
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const process = JSON.parse(line);
      running.set(process.pid, process);
      started++;
    }
    for (const each of running.keys()) if (!isServer(each, starts)) running.delete(each);
    // A server and its children count as one.
    most = Math.max(most, new Set([...running.values()].map((each) => each.of ?? each.pid)).size);
    samples++;
  };
  const looking = setInterval(look, SAMPLE_MS);
  let resident = [];
  const measuring = setInterval(() => resident.push(residentBytes(pid)), 1000);
  const minute = setInterval(() => {
    memory.push(median(resident));
    resident = [];
  }, MINUTE_MS);
  return {
    memory: () => (memory.length === 0 ? [median(resident)] : memory),
    result: () => ({ most, samples, started }),
    /** The pid and name of a random server that runs. */
    any(random) {
      const servers = [...running.values()].filter((each) => each.of === undefined);
      return servers[Math.floor(random() * servers.length)];
    },
    restart() {
      memory.length = 0;
      resident = [];
    },
    stop() {
      for (const timer of [looking, measuring, minute]) clearInterval(timer);
      look();
      closeSync(file);
    },
  };
}

function isServer(pid, starts) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(starts);
  } catch {
    return false;
  }
}

async function callFor(client, alone, duration, seen) {
  const random = generator(1);
  const end = performance.now() + duration;
  const lastPid = new Map();
  const killed = new Map();
  const samples = { alone: [], running: [], started: [], search: [], list: [], read: [], broken: [] };
  const failed = new Map();
  let count = 0;
  seen.restart();

  const time = async (kind, method, params) => {
    const begin = performance.now();
    const answer = await client.request(method, params).catch((error) => ({ error }));
    const took = performance.now() - begin;
    count++;
    if (kind !== undefined) samples[kind].push(took);
    return { took, result: answer.result, error: answer.error?.message };
  };
  const call = async (index) => {
    const server = `s${index}`;
    const mode = modeOf(index);
    const given = { name: `${server}__pid`, arguments: {} };
    const isDirect = random() < 0.5;
    const params = isDirect ? given : { name: 'call_destructive_tool', arguments: given };
    if (!ANSWERING.has(mode)) return void (await time('broken', 'tools/call', params));
    const began = performance.now();
    const { took, result, error } = await time(undefined, 'tools/call', params);
    const text = result?.content?.[0]?.text ?? '';
    if (error === undefined && result?.isError !== true && /^\d+ /.test(text)) {
      const pid = text.split(' ')[0];
      samples[lastPid.get(server) === pid ? 'running' : 'started'].push(took);
      lastPid.set(server, pid);
    } else if ((killed.get(server) ?? 0) < began - KILL_MS) {
      const reason = (error ?? text)
        .replace(/\bs\d+\b/g, 'SERVER')
        .replace(/\d+/g, 'N')
        .slice(0, 160);
      failed.set(reason, (failed.get(reason) ?? 0) + 1);
    }
  };
  const pick = () => Math.floor(random() * (random() < POPULAR.share ? POPULAR.servers : SERVERS));
  const caller = async () => {
    while (performance.now() < end) {
      const kind = random();
      if (kind < 0.05) await time('search', 'tools/call', { name: 'find_tools', arguments: { query: `process id of s${pick()}` } });
      else if (kind < 0.08) await time('list', 'tools/list', {});
      else if (kind < 0.12) await time('read', 'tools/call', { name: 'get_resource', arguments: {} });
      else await call(pick());
      await setTimeout(BETWEEN_MS);
    }
  };
  const callAlone = async () => {
    while (performance.now() < end) {
      const begin = performance.now();
      await alone.request('tools/call', { name: 'pid', arguments: {} });
      samples.alone.push(performance.now() - begin);
      await setTimeout(BETWEEN_MS);
    }
  };
  const kill = setInterval(() => {
    const victim = seen.any(random);
    if (victim === undefined) return;
    killed.set(victim.name, performance.now());
    try {
      process.kill(victim.pid, 'SIGKILL');
    } catch {
      // it has just ended
    }
  }, KILL_MS);
  await Promise.all([callAlone(), ...Array.from({ length: CALLERS }, caller)]);
  clearInterval(kill);
  return { count, samples, failed: Object.fromEntries(failed), killed: killed.size };
}

/** The servers that still run after the program has ended. */
async function leftOver(starts) {
  const end = performance.now() + GONE_MS;
  for (;;) {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isServer(name, starts));
    if (pids.length === 0 || performance.now() > end) return pids.length;
    await setTimeout(SAMPLE_MS);
  }
}

function rowsOf({ minutes, calls, seen, left }) {
  const { most, samples, started } = seen.result();
  const memory = seen.memory();
  const fifth = Math.max(1, Math.floor(memory.length / 5));
  const [early, late] = [median(memory.slice(fifth - 1, 2 * fifth)), median(memory.slice(-fifth))];
  const name = `1,000 servers for ${minutes} min`;
  const p95 = (kind) => percentile(calls.samples[kind], 0.95);
  const failures = Object.values(calls.failed).reduce((sum, each) => sum + each, 0);
  const reasons = Object.entries(calls.failed).map(([reason, times]) => `${times} × ${reason}`);
  return [
    row({
      measure: `${name}: most at once`,
      ours: String(most),
      other: `${started} started, looked at ${samples} times`,
      limit: valueAtMost(most, RUNNING, `≤ ${RUNNING}`),
    }),
    row({ measure: `${name}: processes left`, ours: String(left), limit: valueAtMost(left, 0, 'none') }),
    row({
      measure: `${name}: memory at the end`,
      ours: megabytes(late),
      other: `at the beginning ${megabytes(early)}, at most ${megabytes(Math.max(...memory))}`,
      ratio: late / early,
      limit: ratioAtMost(1.1),
    }),
    ...[0.5, 0.95].map((share) => {
      const [ours, others] = [calls.samples.running, calls.samples.alone].map((each) => percentile(each, share));
      const measure = `${name}: a call of one that runs, p${100 * share}`;
      const limit = share === 0.5 ? ratioAtMost(MAX_SLOWER) : undefined;
      return row({ measure, ours: milliseconds(ours), other: `without the others ${milliseconds(others)}`, ratio: ours / others, limit });
    }),
    row({
      measure: `${name}: a call that starts one, p95`,
      ours: milliseconds(p95('started')),
      other: `p50 ${milliseconds(median(calls.samples.started))}`,
    }),
    row({
      measure: `${name}: find_tools, p95`,
      ours: milliseconds(p95('search')),
      other: `tools/list ${milliseconds(p95('list'))}`,
    }),
    row({
      measure: `${name}: failed calls of those that work`,
      ours: `${failures} of ${calls.count}`,
      other: `${calls.killed} killed`,
      limit: valueAtMost(failures, 0, 'none'),
    }),
    ...reasons.map((reason) => row({ measure: reason, ours: '' })),
  ];
}
