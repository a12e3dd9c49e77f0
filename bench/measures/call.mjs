// A call of `skill` with 10,000 skills, against a tool that does nothing.
import { setTimeout } from 'node:timers/promises';
import { milliseconds, ratioAtMost, row } from '../report.mjs';
import { footbridge, minimalServer, start, warmCache } from '../servers.mjs';
import { median, percentile } from '../statistics.mjs';

const WARM_UP = 300;
/** Many blocks, so that a bad moment of the machine hits both sides alike; long enough that a change of sides does not count. */
const BLOCKS = 40;
const CALLS = 100;
/** Until the watches are set and the scan that follows them is over. */
const QUIET_MS = 4000;

export async function measureCall(workspace) {
  const { folder, names } = await workspace.skills(10_000);
  const cache = await warmCache(workspace, folder);
  const { client: ours } = await start(workspace, footbridge(folder, cache));
  const { client: minimal } = await start(workspace, minimalServer);
  await setTimeout(QUIET_MS);

  let turn = 0;
  // A different skill each time, from all over the folder.
  const skill = () => ({ name: 'skill', arguments: { name: names[(turn++ * 37) % names.length] } });
  const empty = () => ({ name: 'empty', arguments: {} });
  const sides = [
    { client: ours, call: skill, samples: [] },
    { client: minimal, call: empty, samples: [] },
  ];
  for (const side of sides) await timeCalls(side.client, side.call, WARM_UP);
  for (let block = 0; block < BLOCKS; block++) {
    for (const side of block % 2 === 0 ? sides : sides.toReversed()) side.samples.push(...(await timeCalls(side.client, side.call, CALLS)));
  }
  await Promise.all([ours.close(), minimal.close()]);

  const [one, other] = sides.map((side) => side.samples);
  const line = (measure, of, limit) =>
    row({ measure, ours: milliseconds(of(one)), other: `empty tool ${milliseconds(of(other))}`, ratio: of(one) / of(other), limit });
  return [
    line('Call of skill, 10,000 skills: p95', (samples) => percentile(samples, 0.95), ratioAtMost(1.2)),
    line('Call of skill, 10,000 skills: median', median),
  ];
}

async function timeCalls(client, call, count) {
  const samples = [];
  for (let index = 0; index < count; index++) {
    const params = call();
    const begin = performance.now();
    const { result, at } = await client.request('tools/call', params);
    if (result.isError === true) throw new Error(`A call failed: ${JSON.stringify(result.content)}`);
    samples.push(at - begin);
  }
  return samples;
}
