// A second start with 10,000 unchanged skills, against the usual start with 10.
import { milliseconds, ratioAtMost, row } from '../report.mjs';
import { footbridge, timeStart, warmCache } from '../servers.mjs';
import { interleave, median } from '../statistics.mjs';
import { countsAll } from './large-start.mjs';

const ROUNDS = 20;

export async function measureSecondStart(workspace) {
  const few = await workspace.skills(10);
  const many = await workspace.skills(10_000);
  const fewCache = await warmCache(workspace, few.folder);
  const manyCache = await warmCache(workspace, many.folder);
  const samples = await interleave(ROUNDS, {
    few: () => timeStart(workspace, footbridge(few.folder, fewCache), (tools) => tools[0].description.includes(few.names[9])),
    many: () => timeStart(workspace, footbridge(many.folder, manyCache), countsAll),
  });
  const ours = median(samples.many);
  const other = median(samples.few);
  return [
    row({
      measure: 'Start, 10,000 skills: nothing changed',
      ours: milliseconds(ours),
      other: `10 skills ${milliseconds(other)}`,
      ratio: ours / other,
      limit: ratioAtMost(2),
    }),
  ];
}
