// Memory of a server three seconds after tools/list, compared with a server without skills.
import { setTimeout } from 'node:timers/promises';
import { megabytes, row, valueAtMost } from '../report.mjs';
import { HAS_PROC, residentBytes } from '../resident.mjs';
import { footbridge, start, warmCache } from '../servers.mjs';
import { interleave, median } from '../statistics.mjs';

const ROUNDS = 3;
const QUIET_MS = 3000;
const LIMITS = [
  { count: 100, most: 10e6 },
  { count: 10_000, most: 60e6 },
];

export async function measureMemory(workspace) {
  if (!HAS_PROC) return [row({ measure: 'Memory', ours: 'skipped: this system has no /proc' })];
  const sides = { 0: await sideOf(workspace, workspace.folder('skills-0')) };
  for (const { count } of LIMITS) sides[count] = await sideOf(workspace, (await workspace.skills(count)).folder);
  const samples = await interleave(ROUNDS, sides);
  const base = median(samples[0]);
  return LIMITS.map(({ count, most }) => {
    const above = median(samples[count]) - base;
    return row({
      measure: `Memory, ${count.toLocaleString('en')} skills, above an empty server`,
      ours: megabytes(above),
      other: `empty server ${megabytes(base)}`,
      ratio: median(samples[count]) / base,
      limit: valueAtMost(above, most, `< ${megabytes(most)}`),
    });
  });
}

async function sideOf(workspace, folder) {
  const server = footbridge(folder, await warmCache(workspace, folder));
  return () => measureStarted(workspace, server);
}

async function measureStarted(workspace, server) {
  const { client } = await start(workspace, server);
  await setTimeout(QUIET_MS);
  const bytes = residentBytes(client.pid);
  await client.close();
  return bytes;
}
