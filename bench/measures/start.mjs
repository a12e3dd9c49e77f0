// Start to `tools/list` with 100 and 200 skills, against a minimal server on the same SDK.
import { milliseconds, ratioAtMost, row } from '../report.mjs';
import { footbridge, minimalServer, timeBareNode, timeStart, warmCache } from '../servers.mjs';
import { interleave, median } from '../statistics.mjs';

const ROUNDS = 25;

export async function measureStart(workspace) {
  const { folder, names } = await workspace.skills(100);
  const cache = await warmCache(workspace, folder);
  const complete = (tools) => names.every((name) => JSON.stringify(tools[0]).includes(name));
  const more = await workspace.skills(200);
  const moreCache = await warmCache(workspace, more.folder);
  const hasMore = (tools) => more.names.every((name) => JSON.stringify(tools[0]).includes(name));
  const samples = await interleave(ROUNDS, {
    minimal: () => timeStart(workspace, minimalServer),
    usual: () => timeStart(workspace, footbridge(folder, cache), complete),
    more: () => timeStart(workspace, footbridge(more.folder, moreCache), hasMore),
    first: () => timeStart(workspace, footbridge(folder, workspace.folder('cache')), complete),
    uncached: () => timeStart(workspace, footbridge(folder, 'off'), complete),
    bare: () => timeBareNode(workspace),
  });
  const minimal = median(samples.minimal);
  const line = (measure, of, limit) => {
    const ours = median(of);
    return row({ measure, ours: milliseconds(ours), other: `minimal server ${milliseconds(minimal)}`, ratio: ours / minimal, limit });
  };
  return [
    line('Start, 100 skills: as usual', samples.usual, ratioAtMost(0.75)),
    line('Start, 200 skills: as usual', samples.more, ratioAtMost(0.8)),
    line('Start, 100 skills: the first ever', samples.first),
    line('Start, 100 skills: cache off', samples.uncached),
    row({ measure: 'Bare Node, the floor of each start', ours: '', other: `node -e 0 ${milliseconds(median(samples.bare))}` }),
  ];
}
