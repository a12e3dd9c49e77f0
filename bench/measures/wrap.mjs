// A wrapped server, against a direct connection, proxies from npm, and a relay that only rewrites ids: the floor.
import { startHttp, startWorker } from '../http/servers.mjs';
import { IN_FLIGHT, of, rate, time } from '../load-rows.mjs';
import { fasterAtLeast, milliseconds, ratioAtLeast, ratioAtMost, row, valueAtMost } from '../report.mjs';
import { fillCache, start, timeStart } from '../servers.mjs';
import { interleave, percentile } from '../statistics.mjs';
import { overHttp, overStdio } from '../wrap/load.mjs';
import { direct, directHttp, httpToStdio, stdioToHttp, stdioToStdio } from '../wrap/ways.mjs';

/** Until the code is optimized. The proxies from npm run the most code per call, and double their throughput in this time. */
const WARM_UP_MS = { ours: 1200, floor: 1200, direct: 1200, peer: 3500 };
const MANY_MS = 250;
const ONE_MS = 80;
const RELAY_ROUNDS = 14;
const PROXY_ROUNDS = 8;
const START_ROUNDS = 7;
const MAX_ADDED_MS = 0.15;
const MAX_ADDED_AT_START_MS = 120;

export async function measureWrap(workspace) {
  return [
    ...(await measureStdioToStdio(workspace)),
    ...(await measureHttpToStdio(workspace)),
    ...(await measureStdioToHttp(workspace)),
    ...(await measureStarts(workspace)),
  ];
}

async function measureStdioToStdio(workspace) {
  const servers = { ours: stdioToStdio.ours(workspace.folder('cache')), floor: stdioToStdio.floor, direct };
  const clients = await connectAll(workspace, servers);
  const { many, one } = await takeBoth(each(clients, overStdio), RELAY_ROUNDS);
  await closeAll(clients);

  const way = 'Wrap, stdio to stdio';
  const p50 = each(one, (samples) => quiet(samples.map((sample) => sample.p50)));
  const added = p50.ours - p50.direct;
  return [
    row({
      measure: `${way}, one in flight: added at p50, quiet rounds`,
      ours: milliseconds(added),
      other: `direct ${milliseconds(p50.direct)}, the floor adds ${milliseconds(p50.floor - p50.direct)}`,
      limit: valueAtMost(added, MAX_ADDED_MS, `≤ ${MAX_ADDED_MS} ms`),
    }),
    rate(way, many.ours, 'the floor', many.floor, ratioAtLeast(0.6)),
    rate(`${way}, against direct`, many.ours, 'direct', many.direct),
    floorRow(way, `${share(many.floor, many.direct, 'perSecond')} the throughput of direct`),
  ];
}

async function measureHttpToStdio(workspace) {
  const servers = {
    ours: httpToStdio.ours(workspace.folder('cache')),
    floor: httpToStdio.floor,
    peer: await httpToStdio.mcpProxy(),
    direct: directHttp,
  };
  const started = await resolved(each(servers, (server) => startHttp(workspace, server)));
  const callers = startWorker(workspace, 'callers.mjs');
  const samples = await takeBoth(await resolved(each(started, ({ port }) => overHttp(callers, port))), PROXY_ROUNDS);
  await closeAll({ ...started, callers });
  return proxyRows('Wrap, HTTP to stdio', 'mcp-proxy', samples, { rate: fasterAtLeast(3), time: ratioAtMost(0.4) });
}

async function measureStdioToHttp(workspace) {
  const upstream = await startHttp(workspace, directHttp);
  const clients = await connectAll(workspace, {
    ours: stdioToHttp.ours(upstream.port, workspace.folder('cache')),
    floor: stdioToHttp.floor(upstream.port),
    peer: stdioToHttp.mcpRemote(upstream.port),
  });
  const callers = startWorker(workspace, 'callers.mjs');
  const samples = await takeBoth({ ...each(clients, overStdio), direct: await overHttp(callers, upstream.port) }, PROXY_ROUNDS);
  await closeAll({ ...clients, callers });
  await upstream.close();
  return proxyRows('Wrap, stdio to HTTP', 'mcp-remote', samples, { rate: fasterAtLeast(2), time: ratioAtMost(0.6) });
}

async function measureStarts(workspace) {
  const complete = (tools) => ['echo', 'add', 'time'].every((name) => tools.some((tool) => tool.name === name));
  const timed = (server) => timeStart(workspace, server, complete);
  const cache = await fillCache(workspace, stdioToStdio.ours);
  const samples = await interleave(START_ROUNDS, {
    direct: () => timed(direct),
    first: () => timed(stdioToStdio.ours(workspace.folder('cache'))),
    later: () => timed(stdioToStdio.ours(cache)),
    floor: () => timed(stdioToStdio.floor),
  });
  const alone = quiet(samples.direct);
  const line = (measure, starts) => {
    const ours = quiet(starts);
    return row({
      measure,
      ours: milliseconds(ours),
      other: `direct ${milliseconds(alone)}`,
      ratio: ours / alone,
      limit: valueAtMost(ours - alone, MAX_ADDED_AT_START_MS, `≤ ${MAX_ADDED_AT_START_MS} ms more`),
    });
  };
  return [
    line('Wrap, start to tools/list: the first ever, quiet rounds', samples.first),
    line('Wrap, start to tools/list: a later one, quiet rounds', samples.later),
    floorRow('Wrap, start to tools/list', `${milliseconds(quiet(samples.floor))}, direct ${milliseconds(alone)}`),
  ];
}

/**
 * The samples of all sides with many calls in flight, and with one. A side takes both in one turn: the duration of a single call
 * depends on which processors its processes run on, and a heavy load makes the system choose again.
 */
async function takeBoth(sides, rounds) {
  for (const [name, call] of Object.entries(sides)) await call(IN_FLIGHT, WARM_UP_MS[name]);
  const turn = (call) => async () => ({ many: await call(IN_FLIGHT, MANY_MS), one: await call(1, ONE_MS) });
  const samples = await interleave(rounds, each(sides, turn));
  const only = (load) => each(samples, (turns) => turns.map((sample) => sample[load]));
  return { many: only('many'), one: only('one') };
}

function proxyRows(way, peer, { many, one }, limits) {
  const floor = `${share(many.floor, many.peer, 'perSecond')} the throughput of ${peer}, ${share(many.floor, many.peer, 'p50')} its p50`;
  return [
    rate(way, many.ours, peer, many.peer, limits.rate),
    time(`${way}, ${IN_FLIGHT} in flight: p50`, many.ours, peer, many.peer, limits.time),
    time(`${way}, one in flight: p50`, one.ours, peer, one.peer),
    rate(`${way}, against the floor`, many.ours, 'the floor', many.floor),
    rate(`${way}, against direct`, many.ours, 'HTTP of the server itself', many.direct),
    floorRow(way, floor),
  ];
}

/** The floor has no ratio to Footbridge, so it is shown as text. */
const floorRow = (way, other) => row({ measure: `${way}: the floor`, ours: '', other });

const share = (samples, others, key) => `${(of(samples, key) / of(others, key)).toFixed(2)} ×`;
/** The lower quartile, for differences of times: other work on the machine can double a time, but never shortens it. */
const quiet = (samples) => percentile(samples, 0.25);

const each = (sides, make) => Object.fromEntries(Object.entries(sides).map(([name, side]) => [name, make(side)]));

async function resolved(promises) {
  const values = await Promise.all(Object.values(promises));
  return Object.fromEntries(Object.keys(promises).map((name, index) => [name, values[index]]));
}

const connectAll = (workspace, servers) =>
  resolved(
    each(servers, async (server) => {
      const { client } = await start(workspace, server);
      return client;
    }),
  );

const closeAll = (sides) => Promise.all(Object.values(sides).map((side) => side.close()));
