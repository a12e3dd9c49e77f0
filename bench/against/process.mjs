// What a process costs: its start, a rescan of its skills, its memory.
import { setTimeout } from 'node:timers/promises';
import { startWorker } from '../http/servers.mjs';
import { countsAll } from '../measures/large-start.mjs';
import { HAS_PROC, residentBytes } from '../resident.mjs';
import { fillCache, footbridge, start } from '../servers.mjs';
import { takeRounds } from './rounds.mjs';
import { compareStarts } from './starts.mjs';

const RESCAN_ROUNDS = { turns: 4, least: 6 };
const MEMORY_ROUNDS = { turns: 1, least: 6 };
/** Until the folders are watched and the following scan is complete. */
const QUIET_MS = 3000;

export async function compareStart(workspace, builds) {
  const few = await workspace.skills(100);
  const many = await workspace.skills(10_000);
  const caches = await fillCaches(workspace, builds, { few: few.folder, many: many.folder });
  const complete = (tools) => few.names.every((name) => JSON.stringify(tools[0]).includes(name));
  return compareStarts(workspace, builds, [
    {
      measure: 'start, 100 skills: as usual',
      server: ({ name, command }) => footbridge(few.folder, caches[name].few, command),
      check: complete,
    },
    {
      measure: 'start, 10,000 skills: the first ever',
      server: ({ command }) => footbridge(many.folder, workspace.folder('cache'), command),
      check: countsAll,
    },
    {
      measure: 'start, 10,000 skills: a later one',
      server: ({ name, command }) => footbridge(many.folder, caches[name].many, command),
      check: countsAll,
    },
  ]);
}

export async function compareRescan(workspace, builds) {
  const { folder } = await workspace.skills(10_000);
  const rows = {
    rescan: { measure: 'rescan, 10,000 skills, nothing changed', unit: 'ms' },
    scan: { measure: 'scan, 10,000 skills', unit: 'ms' },
  };
  const open = async ({ script }) => {
    const worker = startWorker(workspace, script('rescanner.mjs'), [folder]);
    const turn = async () => ({ rescan: await worker.run('rescan'), scan: await worker.run('scan') });
    for (let warmUp = 0; warmUp < 3; warmUp++) await turn();
    return { turn, close: worker.close };
  };
  return takeRounds(builds, rows, { open, ...RESCAN_ROUNDS });
}

export async function compareMemory(workspace, builds) {
  if (!HAS_PROC) return [];
  const folders = { 0: workspace.folder('skills-0') };
  for (const count of [100, 10_000]) folders[count] = (await workspace.skills(count)).folder;
  const caches = await fillCaches(workspace, builds, folders);
  const rows = Object.fromEntries(
    Object.keys(folders).map((count) => [count, { measure: `memory, ${Number(count).toLocaleString('en')} skills`, unit: 'bytes' }]),
  );
  const open = async ({ name, command }) => ({
    async turn() {
      const clients = {};
      for (const [count, folder] of Object.entries(folders)) {
        clients[count] = (await start(workspace, footbridge(folder, caches[name][count], command))).client;
      }
      await setTimeout(QUIET_MS);
      const sample = Object.fromEntries(Object.entries(clients).map(([count, { pid }]) => [count, residentBytes(pid)]));
      for (const client of Object.values(clients)) await client.close();
      return sample;
    },
    close() {},
  });
  return takeRounds(builds, rows, { open, ...MEMORY_ROUNDS });
}

/** For each build and folder, a cache that a start has filled. */
async function fillCaches(workspace, builds, folders) {
  const caches = {};
  for (const { name, command } of Object.values(builds)) {
    caches[name] = {};
    for (const [key, folder] of Object.entries(folders)) {
      caches[name][key] = await fillCache(workspace, (cache) => footbridge(folder, cache, command));
    }
  }
  return caches;
}
