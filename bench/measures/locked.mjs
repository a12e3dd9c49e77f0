// Start to `tools/list` with `"locked": true`, against the same skills without: each file is compared with the lock first.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { milliseconds, row } from '../report.mjs';
import { command, footbridge, timeStart, warmCache } from '../servers.mjs';
import { interleave, median } from '../statistics.mjs';

const ROUNDS = 15;

export async function measureLocked(workspace) {
  const rows = [];
  for (const count of [100, 1000]) {
    const { folder, names } = await workspace.skills(count);
    const cache = await warmCache(workspace, folder);
    const config = join(workspace.folder('locked'), 'footbridge.json');
    writeFileSync(config, JSON.stringify({ locked: true, standardFolders: false, skills: [folder] }));
    execFileSync(process.execPath, [command, 'lock', '--config', config], { env: workspace.environment, stdio: 'ignore' });
    const served = (tools) => JSON.stringify(tools[0]).includes(names[0]);
    const plain = footbridge(folder, cache);
    const locked = { ...plain, args: [command, '--config', config] };
    const samples = await interleave(ROUNDS, {
      plain: () => timeStart(workspace, plain, served),
      locked: () => timeStart(workspace, locked, served),
    });
    const [ours, other] = [median(samples.locked), median(samples.plain)];
    const measure = `Start, ${count === 1000 ? '1,000' : count} skills: locked`;
    rows.push(row({ measure, ours: milliseconds(ours), other: `not locked ${milliseconds(other)}`, ratio: ours / other }));
  }
  return rows;
}
