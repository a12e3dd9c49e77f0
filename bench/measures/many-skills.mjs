// Nested skills, up to 100,000: starts, searches, memory, a change, and how long other calls wait meanwhile.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { milliseconds, row, valueAtMost } from '../report.mjs';
import { HAS_PROC, residentBytes } from '../resident.mjs';
import { footbridge, start } from '../servers.mjs';
import { median, percentile } from '../statistics.mjs';

const COUNT = 100_000;
const CALLS = 300;
const PROBE_MS = 5;
/** The caches are complete when nothing was written for so long. */
const QUIET_MS = 4000;
const LATER_STARTS = 3;

const REQUESTS = [
  'split a slide deck for schools',
  'check the invoices of a bank for mistakes',
  'kuberntes manifests, monitring',
  'how do I clean the log files of a hospital without losing anything important',
  'what changed in the last release',
  'zzzzqqq xyzzyplugh',
  'budget',
  'we need to move our dashboards to something else before the end of the year, what should I do first',
];

export async function measureManySkills(workspace) {
  const { cold, warm, search, unknown, resident, announced, delays } = await measureAmong(workspace, COUNT);
  const skills = COUNT.toLocaleString('en');
  const steps = await measureSteps(workspace);
  // A share of its limit, so that it can have one in `limits.json`.
  const line = (measure, value, most, shown = milliseconds(value)) =>
    row({
      measure: `${measure}, ${skills} nested skills`,
      ours: shown,
      other: most.text.replace(/^\D+/, ''),
      ratio: value / most.value,
      limit: valueAtMost(value, most.value, most.text),
    });
  const within = (most) => ({ value: most, text: `≤ ${most} ms` });
  return [
    line('Start: the first ever', cold, within(3000)),
    line('Start: later ones', warm, within(1000)),
    line('Search: p95', percentile(search, 0.95), within(20)),
    line('An unknown skill: p95', percentile(unknown, 0.95), within(20)),
    ...(resident === undefined
      ? []
      : [line('Memory, all indexed', resident / 1e6, { value: 400, text: '< 400 MB' }, `${Math.round(resident / 1e6)} MB`)]),
    line('A changed skill is announced', Math.max(...announced), within(2000)),
    line('The step to the next snapshot when one skill changed, median', median(steps), within(2)),
    ...Object.entries(delays).map(([phase, longest]) => line(`The longest delay of a call ${phase}`, longest, within(20))),
  ];
}

/** What so many skills cost: times in milliseconds, memory in bytes. */
export async function measureAmong(workspace, count) {
  const { folder, names } = await workspace.skills(count, { nested: true });
  const cache = workspace.folder('cache');
  const server = footbridge(folder, cache);

  const first = await probedStart(workspace, server);
  const indexing = probe(first.client);
  await untilWritten(cache);
  const whileIndexed = await indexing.stop();
  const residentFirst = HAS_PROC ? residentBytes(first.client.pid) : undefined;
  await first.client.close();

  const later = [];
  for (let round = 1; round < LATER_STARTS; round++) {
    const { client, milliseconds } = await start(workspace, server);
    later.push(milliseconds);
    await client.close();
  }
  const { client, ...again } = await probedStart(workspace, server);
  later.push(again.milliseconds);
  const following = probe(client);
  await untilWritten(cache);
  const whileFollowed = await following.stop();

  const call = async (name, input) => {
    const begin = performance.now();
    const { result, at } = await client.request('tools/call', { name, arguments: input });
    return { result, time: at - begin };
  };
  const samples = { search: [], unknown: [] };
  await call('list_skills', { query: 'first of all' });
  for (let turn = 0; turn < CALLS; turn++) {
    samples.search.push((await call('list_skills', { query: REQUESTS[turn % REQUESTS.length] })).time);
    const { result, time } = await call('skill', { name: `${names[(turn * 37) % names.length]}x` });
    if (result.isError !== true) throw new Error('An unknown name was found.');
    samples.unknown.push(time);
  }
  const resident = HAS_PROC ? Math.max(residentBytes(client.pid), residentFirst) : undefined;
  const changes = await measureChanges(client, folder, call);
  await client.close();
  return {
    cold: first.milliseconds,
    warm: median(later),
    ...samples,
    resident,
    announced: changes.announced,
    delays: {
      'during the first start': first.longest,
      'while the index is built and saved': whileIndexed,
      'during a later start': Math.max(again.longest, whileFollowed),
      'during a change': changes.longest,
    },
  };
}

/** From one snapshot to the next alone, in a separate process: without the scan that finds the change, and without answers. */
async function measureSteps(workspace) {
  const { folder } = await workspace.skills(COUNT, { nested: true });
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'step-process.mjs'), folder], {
    cwd: workspace.workingFolder,
    env: workspace.environment,
  });
  return JSON.parse(stdout).steps;
}

/** Starts a server whose `tools/list` is on its way while pings are answered. */
async function probedStart(workspace, server) {
  let pings;
  const started = await start(workspace, server, (client) => {
    pings = probe(client);
  });
  return { ...started, longest: await pings.stop() };
}

/** Pings a server until it is stopped, which resolves with the longest time that an answer took. */
function probe(client) {
  let isOver = false;
  let longest = 0;
  const run = async () => {
    while (!isOver) {
      const begin = performance.now();
      const { at } = await client.request('ping', {});
      longest = Math.max(longest, at - begin);
      await setTimeout(PROBE_MS);
    }
    return longest;
  };
  const running = run();
  return {
    stop() {
      isOver = true;
      return running;
    },
  };
}

/** Rewrites, adds and removes a skill, each while pings are answered, and looks for an unknown name right after. */
async function measureChanges(client, folder, call) {
  const file = someSkill(folder);
  const added = join(dirname(dirname(file)), 'newly-added', 'SKILL.md');
  const changes = [
    () => writeFileSync(file, readFileSync(file, 'utf8').replace('description: ', 'description: Newly changed. ')),
    () => {
      mkdirSync(dirname(added));
      writeFileSync(added, '---\nname: newly-added\ndescription: Was added a moment ago.\n---\n\nText.\n');
    },
    () => rmSync(dirname(added), { recursive: true }),
  ];
  const announced = [];
  const waits = [];
  for (const change of changes) {
    const pings = probe(client);
    const notified = client.notification(({ method }) => method === 'notifications/resources/list_changed');
    const begin = performance.now();
    change();
    announced.push((await notified) - begin);
    waits.push((await call('skill', { name: 'newly-addedx' })).time, (await call('list_skills', { query: REQUESTS[0] })).time);
    await setTimeout(1500);
    waits.push(await pings.stop());
  }
  return { announced, longest: Math.max(...waits) };
}

/** The file of one skill that lies deep in a folder. */
function someSkill(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  if (entries.some(({ name }) => name === 'SKILL.md')) return join(folder, 'SKILL.md');
  const inside = entries.filter((entry) => entry.isDirectory());
  return someSkill(join(folder, inside[Math.floor(inside.length / 2)].name));
}

/** Resolves when both indexes are in the cache folder, and were not written for a while. */
async function untilWritten(cache) {
  const state = () => readdirSync(cache).map((name) => `${name} ${statSync(join(cache, name)).mtimeMs}`);
  for (let before = '', same = performance.now(); ; ) {
    await setTimeout(200);
    let now = '';
    try {
      now = state().join();
    } catch {
      // A draft was renamed meanwhile.
    }
    if (now !== before) same = performance.now();
    before = now;
    if (performance.now() - same > QUIET_MS && /skills-.*search-|search-.*skills-/.test(now)) return;
  }
}
