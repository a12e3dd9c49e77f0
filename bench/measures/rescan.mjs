// A rescan of 10,000 unchanged skills, against a full scan, and how long it blocks calls.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { milliseconds, ratioAtMost, row, valueAtMost } from '../report.mjs';
import { median } from '../statistics.mjs';

const LONGEST_STALL_MS = 20;

export async function measureRescan(workspace) {
  const { folder } = await workspace.skills(10_000);
  // In a separate process, so that garbage of the benchmark itself is not collected in the meantime.
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'rescan-process.mjs'), folder], {
    cwd: workspace.workingFolder,
    env: workspace.environment,
  });
  const { full, rescans, stalls, idle } = JSON.parse(stdout);
  const longest = Math.max(...stalls);
  return [
    row({
      measure: 'Rescan, 10,000 skills, nothing changed',
      ours: milliseconds(median(rescans)),
      other: `full scan ${milliseconds(median(full))}`,
      ratio: median(rescans) / median(full),
      limit: ratioAtMost(0.3),
    }),
    row({
      measure: `Longest stall in ${stalls.length} rescans`,
      ours: milliseconds(longest),
      other: `without a rescan ${milliseconds(Math.max(...idle))}`,
      limit: valueAtMost(longest, LONGEST_STALL_MS, `≤ ${LONGEST_STALL_MS} ms`),
    }),
  ];
}
