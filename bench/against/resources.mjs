// Reads and lists over stdio, one at a time.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MEASURES_PROCESSOR, processorMilliseconds } from '../resident.mjs';
import { CONTENTS, writeContents } from '../resources.mjs';
import { footbridge, resourceServer, start } from '../servers.mjs';
import { percentile } from '../statistics.mjs';
import { timeRequests } from '../turns.mjs';
import { takeRounds } from './rounds.mjs';

const [SMALL] = CONTENTS;
const BATCH = 10;
const READS = { warmUp: 3000, calls: 100 };
const LISTS = { warmUp: 200, calls: 20 };
const ROUNDS = { turns: 8, least: 6 };

const call = (name, given) => ['tools/call', { name, arguments: given }];

/** `get_resource` of an author's small resource, and how it compares with `resources/read` of the same process. */
export async function compareAuthor(workspace, builds) {
  const folder = workspace.folder('contents');
  writeContents(folder);
  const { uri } = SMALL;
  const requests = { get_resource: call('get_resource', { uri }), 'resources/read': ['resources/read', { uri }] };
  const rows = [];
  for (const version of ['v1', 'v2']) {
    const what = `an author's small resource, SDK ${version}`;
    const server = ({ script }) => resourceServer(script(`peers/author-${version}.mjs`), folder);
    const against = { 'p95 / p95': { measure: `get_resource / resources/read, ${what}: p95`, unit: 'times', rough: true } };
    const ratio = (sample) => ({ 'p95 / p95': sample['get_resource p95'] / sample['resources/read p95'] });
    rows.push(...(await compareRequests(workspace, builds, { server, requests, what, ...READS, rounds: ROUNDS, against, ratio })));
  }
  return rows;
}

/** A small file of a skill. */
export async function compareResources(workspace, builds) {
  const skills = workspace.folder('skills-with-files');
  const assets = join(skills, 'bench', 'assets');
  mkdirSync(assets, { recursive: true });
  writeFileSync(join(skills, 'bench', 'SKILL.md'), '---\nname: bench\ndescription: Files to read.\n---\n\nRead them.\n');
  const files = Array.from({ length: BATCH }, (_, index) => `part-${index}.json`);
  for (const file of files) writeFileSync(join(assets, file), SMALL.text);
  const uris = files.map((file) => `skill://bench/assets/${file}`);
  return compareRequests(workspace, builds, {
    server: ({ command }) => footbridge(skills, 'off', command),
    requests: {
      get_resource: call('get_resource', { uri: uris[0] }),
      get_resources: call('get_resources', { uris }),
      'resources/read': ['resources/read', { uri: uris[0] }],
    },
    what: `small file of a skill (get_resources: ${BATCH})`,
    ...READS,
    rounds: ROUNDS,
  });
}

export async function compareLists(workspace, builds) {
  const { folder } = await workspace.skills(1000);
  return compareRequests(workspace, builds, {
    server: ({ command }) => footbridge(folder, 'off', command),
    requests: {
      'tools/list': ['tools/list', {}],
      'resources/list': ['resources/list', {}],
      list_skills: call('list_skills', {}),
      'list_skills with a query': call('list_skills', { query: 'invoice' }),
      'get_resource without a URI': call('get_resource', {}),
    },
    what: '1,000 skills',
    ...LISTS,
    rounds: ROUNDS,
  });
}

async function compareRequests(workspace, builds, options) {
  const { server, requests, what, warmUp, calls, rounds, against = {}, ratio = () => ({}) } = options;
  const rows = {};
  for (const name of Object.keys(requests)) {
    rows[`${name} p50`] = { measure: `${name}, ${what}: p50`, unit: 'ms' };
    rows[`${name} p95`] = { measure: `${name}, ${what}: p95`, unit: 'ms', rough: true };
    if (MEASURES_PROCESSOR) rows[`${name} CPU`] = { measure: `${name}, ${what}: CPU time`, unit: 'ms' };
  }
  const open = async (build) => {
    const { client } = await start(workspace, server(build));
    const time = (name, count) => timeRequests({ client, request: () => requests[name] }, count);
    for (const name of Object.keys(requests)) await time(name, warmUp);
    const turn = async () => {
      const sample = {};
      for (const name of Object.keys(requests)) {
        const before = processorMilliseconds(client.pid);
        const times = await time(name, calls);
        sample[`${name} p50`] = percentile(times, 0.5);
        sample[`${name} p95`] = percentile(times, 0.95);
        if (MEASURES_PROCESSOR) sample[`${name} CPU`] = (processorMilliseconds(client.pid) - before) / calls;
      }
      return { ...sample, ...ratio(sample) };
    };
    return { turn, close: () => client.close() };
  };
  return takeRounds(builds, { ...rows, ...against }, { open, ...rounds });
}
