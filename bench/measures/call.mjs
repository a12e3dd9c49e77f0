// A call of `skill` with 10,000 skills, against a tool that does nothing.
import { setTimeout } from 'node:timers/promises';
import { milliseconds, ratioAtMost, row } from '../report.mjs';
import { footbridge, minimalServer, start, warmCache } from '../servers.mjs';
import { median, percentile } from '../statistics.mjs';
import { takeTurns } from '../turns.mjs';

const TURNS = { warmUp: 300, blocks: 40, calls: 100 };
/** Until the folders are watched and the following scan is complete. */
const QUIET_MS = 4000;

export async function measureCall(workspace) {
  const { folder, names } = await workspace.skills(10_000);
  const cache = await warmCache(workspace, folder);
  const { client: ours } = await start(workspace, footbridge(folder, cache));
  const { client: minimal } = await start(workspace, minimalServer);
  await setTimeout(QUIET_MS);

  let turn = 0;
  // A different skill each time, spread over the folder.
  const skill = () => ['tools/call', { name: 'skill', arguments: { name: names[(turn++ * 37) % names.length] } }];
  const empty = () => ['tools/call', { name: 'empty', arguments: {} }];
  const samples = await takeTurns({ ours: { client: ours, request: skill }, minimal: { client: minimal, request: empty } }, TURNS);
  await Promise.all([ours.close(), minimal.close()]);

  const line = (measure, of, limit) => {
    const [one, other] = [of(samples.ours), of(samples.minimal)];
    return row({ measure, ours: milliseconds(one), other: `empty tool ${milliseconds(other)}`, ratio: one / other, limit });
  };
  return [
    line('Call of skill, 10,000 skills: p95', (each) => percentile(each, 0.95), ratioAtMost(1.2)),
    line('Call of skill, 10,000 skills: median', median),
  ];
}
