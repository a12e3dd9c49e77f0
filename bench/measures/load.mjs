// A server with 1,000 clients for 30 seconds, and with one caller that floods it.
import { setTimeout } from 'node:timers/promises';
import { askOnce } from '../http/connection.mjs';
import { modern } from '../http/requests.mjs';
import { footbridgeHttp, protectedFolder, startHttp, startWorker } from '../http/servers.mjs';
import { megabytes, milliseconds, ratioAtMost, row, valueAtMost } from '../report.mjs';
import { HAS_PROC, residentBytes } from '../resident.mjs';
import { writeSkills } from '../skills.mjs';
import { percentile } from '../statistics.mjs';

const CLIENTS = 1000;
const LISTENERS = 51;
const SECONDS = 30;
/** Before the measurement, so that the heap has grown to the size that this load needs. */
const WARM_UP_SECONDS = 15;
/** The last seconds are halved and the minimum of each half compared, because memory rises between two garbage collections. */
const FLAT_SECONDS = 20;
const MAX_HEARD_MS = 2000;

const FLOOD_ROUNDS = 3;
const FLOOD_ROUND_MS = 3000;
const FLOOD_CONNECTIONS = 64;
/** One caller calls this often, which is below the limit; the other as often as it can. */
const MODEST_MS = 50;
const LIMITS = { callsPerMinute: 1500, burst: 100 };
const [MODEST, GREEDY] = ['a-modest-caller', 'a-greedy-caller'];

export async function measureLoad(workspace) {
  return [...(await measureCrowd(workspace)), await measureFlood(workspace)];
}

async function measureCrowd(workspace) {
  const skills = workspace.folder('skills-that-change');
  const [name] = writeSkills(skills, 100);
  const server = await startHttp(workspace, footbridgeHttp(skills));
  const crowd = startWorker(workspace, 'crowd.mjs');
  const uri = `skill://${name}/SKILL.md`;
  const call = { method: 'tools/call', params: { name: 'skill', arguments: { name } }, expected: `# ${name}` };
  await crowd.run({
    port: server.port,
    clients: CLIENTS,
    listeners: LISTENERS,
    calls: [
      call,
      { method: 'resources/read', params: { uri }, expected: `# ${name}` },
      call,
      { method: 'tools/list', params: {}, expected: name },
      call,
      { method: 'resources/templates/list', params: {}, expected: 'resourceTemplates' },
    ],
  });
  const sampling = HAS_PROC ? sampleMemory(server.pid, WARM_UP_SECONDS + SECONDS) : undefined;
  const { made, failed, failure, heard } = await crowd.run({ milliseconds: (WARM_UP_SECONDS + SECONDS) * 1000, skills });
  const memory = await sampling;
  await crowd.close();
  await server.close();

  const slowest = Math.max(...heard.map((each) => each ?? Number.POSITIVE_INFINITY));
  const who = `${CLIENTS.toLocaleString('en')} clients for ${SECONDS} s`;
  return [
    row({
      measure: `${who}: failed calls`,
      ours: `${failed} of ${made.toLocaleString('en')}`,
      other: failure === undefined ? '' : `the first: ${failure.replace(/\s+/g, ' ').slice(0, 80)}`,
      limit: valueAtMost(failed, 0, 'none'),
    }),
    memoryRow(`${who}: memory kept, the last ${FLAT_SECONDS} s`, memory),
    row({
      measure: `${who}: ${LISTENERS} listeners hear of a new skill`,
      ours: milliseconds(slowest),
      other: `each time: ${heard.map((each) => (each === null ? 'not all' : milliseconds(each))).join(', ')}`,
      limit: valueAtMost(slowest, MAX_HEARD_MS, `≤ ${MAX_HEARD_MS} ms`),
    }),
  ];
}

/** Once a second. */
async function sampleMemory(pid, seconds) {
  const samples = [];
  const begin = performance.now();
  for (let second = 1; second <= seconds; second++) {
    await setTimeout(begin + second * 1000 - performance.now());
    samples.push(residentBytes(pid));
  }
  return samples;
}

function memoryRow(measure, samples) {
  if (samples === undefined) return row({ measure, ours: 'skipped: this system has no /proc' });
  const last = samples.slice(-FLAT_SECONDS);
  const [before, after] = [last.slice(0, FLAT_SECONDS / 2), last.slice(FLAT_SECONDS / 2)].map((half) => Math.min(...half));
  return row({
    measure,
    ours: megabytes(after),
    other: `${FLAT_SECONDS / 2} s before ${megabytes(before)}, at most ${megabytes(Math.max(...last))}`,
    ratio: after / before,
    limit: ratioAtMost(1.1),
  });
}

async function measureFlood(workspace) {
  const skills = workspace.folder('skills-of-two');
  const [name] = writeSkills(skills, 10);
  const server = await startHttp(workspace, footbridgeHttp(skills, protectedFolder(workspace, [MODEST, GREEDY], LIMITS)));
  const call = (headers) => modern('tools/call', { name: 'skill', arguments: { name } }, headers);
  const unknown = await askOnce(server.port, call());
  if (unknown.status !== 401) {
    await server.close();
    return floodRow({ problem: 'not measured: no token was asked for' });
  }
  const task = (token, given) => ({
    port: server.port,
    requests: [call({ authorization: `Bearer ${token}` })],
    expected: `# ${name}`,
    milliseconds: FLOOD_ROUND_MS,
    ...given,
  });
  const modest = task(MODEST, { connections: 1, everyMs: MODEST_MS });
  const greedy = task(GREEDY, { connections: FLOOD_CONNECTIONS });
  // In separate processes, so that the flood does not delay the measurement.
  const [caller, flood] = [startWorker(workspace, 'callers.mjs'), startWorker(workspace, 'callers.mjs')];
  const quiet = [];
  const flooded = [];
  const floods = [];
  await caller.run(modest);
  for (let round = 0; round < FLOOD_ROUNDS; round++) {
    quiet.push(await caller.run(modest));
    const flooding = flood.run(greedy);
    flooded.push(await caller.run(modest));
    floods.push(await flooding);
  }
  await Promise.all([caller, flood, server].map((each) => each.close()));

  const failed = [...quiet, ...flooded].filter((each) => each.failed > 0);
  const refused = sum(floods, 'failed');
  if (failed.length > 0) return floodRow({ problem: `${sum(failed, 'failed')} calls failed: ${failed[0].failure.slice(0, 60)}` });
  if (!floods.every(({ failure }) => failure?.startsWith('status 429') === true)) return floodRow({ problem: 'the flood was let in' });
  return floodRow({ quiet: p95(quiet), flooded: p95(flooded), refused });
}

const sum = (results, key) => results.reduce((total, each) => total + each[key], 0);
const p95 = (results) =>
  percentile(
    results.flatMap(({ times }) => times),
    0.95,
  );

function floodRow({ problem, quiet, flooded, refused }) {
  const measure = 'A call while another caller floods: p95';
  const limit = ratioAtMost(3);
  if (problem !== undefined) return row({ measure, ours: problem, limit: valueAtMost(1, 0, limit.text) });
  const other = `quiet ${milliseconds(quiet)}, ${refused} of the flood refused`;
  return row({ measure, ours: milliseconds(flooded), other, ratio: flooded / quiet, limit });
}
