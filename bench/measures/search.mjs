// `list_skills` with a query, and `skill` with unknown names, among 1,000 and 10,000 skills, against a tool that does nothing.
import { setTimeout } from 'node:timers/promises';
import { milliseconds, row, valueAtMost } from '../report.mjs';
import { footbridge, minimalServer, start, warmCache } from '../servers.mjs';
import { percentile } from '../statistics.mjs';

const COUNTS = [1000, 10_000];
const CALLS = 400;
const MAX_MS = 5;
/** How long a call may wait for the index, and for the slice that it is built in. */
const MAX_FIRST_MS = 20;
/** Starts whose very first call is a search, each next to one whose first call only lists. */
const STARTS = 9;
/** Until the folders are watched and the following scan is complete, or the rest is indexed. */
const QUIET_MS = 4000;
/** What the text of a skill says, and neither its name nor its description: it is found once everything is indexed. */
const IN_THE_TEXT = 'newcomer megabytes';

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

export async function measureSearch(workspace) {
  const rows = [];
  for (const count of COUNTS) rows.push(...(await measureAmong(workspace, count)));
  return rows;
}

async function measureAmong(workspace, count) {
  const { folder, names } = await workspace.skills(count);
  const cache = await warmCache(workspace, folder);
  const cold = await timeFirstCalls(workspace, footbridge(folder, cache));
  const { client } = await start(workspace, footbridge(folder, cache));
  const { client: minimal } = await start(workspace, minimalServer);
  const call = async (name, input, server = client) => {
    const begin = performance.now();
    const { result, at } = await server.request('tools/call', { name, arguments: input });
    return { result, time: at - begin };
  };

  await setTimeout(QUIET_MS);
  // The first call of a tool loads what it needs.
  await call('list_skills', {});
  const first = await call('list_skills', { query: REQUESTS[0] });
  const meanwhile = [first.time];
  for (let found = 0; found === 0; ) {
    const { result, time } = await call('list_skills', { query: IN_THE_TEXT });
    found = result.structuredContent.skills.length;
    meanwhile.push(time);
  }
  const slowest = Math.max(...meanwhile);

  await setTimeout(QUIET_MS);
  const samples = { search: [], unknown: [], empty: [] };
  for (let turn = 0; turn < CALLS; turn++) {
    samples.search.push((await call('list_skills', { query: REQUESTS[turn % REQUESTS.length] })).time);
    const { result, time } = await call('skill', { name: `${names[(turn * 37) % names.length]}x` });
    if (result.isError !== true) throw new Error('An unknown name was found.');
    samples.unknown.push(time);
    samples.empty.push((await call('empty', {}, minimal)).time);
  }
  await Promise.all([client.close(), minimal.close()]);

  const skills = count.toLocaleString('en');
  const lines = (measure, times) =>
    [
      ['p95', 0.95],
      ['p50', 0.5],
    ].map(([statistic, share]) => {
      const [ours, other] = [percentile(times, share), percentile(samples.empty, share)];
      const limit = share === 0.95 ? valueAtMost(ours, MAX_MS, `≤ ${MAX_MS} ms`) : undefined;
      const measured = `${measure}, ${skills} skills: ${statistic}`;
      return row({ measure: measured, ours: milliseconds(ours), other: `empty tool ${milliseconds(other)}`, ratio: ours / other, limit });
    });
  return [
    ...lines('Search', samples.search),
    ...lines('An unknown skill', samples.unknown),
    ofTarget(`Search, ${skills} skills: p95 of ${MAX_MS} ms`, percentile(samples.search, 0.95), MAX_MS),
    ofTarget(`An unknown skill, ${skills} skills: p95 of ${MAX_MS} ms`, percentile(samples.unknown, 0.95), MAX_MS),
    row({
      measure: `Search as the first call, ${skills} skills: median`,
      ours: milliseconds(cold.search),
      other: `list_skills without a query ${milliseconds(cold.list)}`,
      ratio: cold.search / cold.list,
    }),
    row({
      measure: `Search, ${skills} skills, while the index is built: the slowest`,
      ours: milliseconds(slowest),
      other: `${MAX_FIRST_MS} ms; the first ${milliseconds(first.time)}, of ${meanwhile.length}`,
      ratio: slowest / MAX_FIRST_MS,
      limit: valueAtMost(slowest, MAX_FIRST_MS, `≤ ${MAX_FIRST_MS} ms`),
    }),
  ];
}

/** A time as a part of the most that it may be, so that it can be a limit in `limits.json`. */
function ofTarget(measure, time, most) {
  return row({ measure, ours: milliseconds(time), other: `${most} ms`, ratio: time / most });
}

/** The medians of first calls in new processes, right after the tools were listed. */
async function timeFirstCalls(workspace, server) {
  const times = { search: [], list: [] };
  for (let turn = 0; turn < 2 * STARTS; turn++) {
    const isSearch = turn % 2 === 0;
    const { client } = await start(workspace, server);
    const begin = performance.now();
    const { at } = await client.request('tools/call', { name: 'list_skills', arguments: isSearch ? { query: REQUESTS[0] } : {} });
    times[isSearch ? 'search' : 'list'].push(at - begin);
    await client.close();
  }
  return { search: percentile(times.search, 0.5), list: percentile(times.list, 0.5) };
}
