// How long it takes to resolve a URI: among 100,000 resources against 10, and among 1,000 templates.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { microseconds, ratioAtMost, row, valueAtMost } from '../report.mjs';
import { median, percentile } from '../statistics.mjs';

const MAX_TEMPLATE_MS = 0.2;

export async function measureResolution(workspace) {
  // In a separate process, so that garbage of the benchmark itself is not collected in the meantime.
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'resolution-process.mjs')], {
    cwd: workspace.workingFolder,
    env: workspace.environment,
    maxBuffer: 64 * 1024 * 1024,
  });
  const { find, cold, read, ownPrefix, sharedPrefix } = JSON.parse(stdout);
  const amongMany = (measure, many, few, limit) =>
    row({
      measure,
      ours: microseconds(median(many)),
      other: `among 10 ${microseconds(median(few))}`,
      ratio: median(many) / median(few),
      limit,
    });
  const template = (measure, samples) => {
    const p95 = percentile(samples, 0.95);
    const limit = valueAtMost(p95, MAX_TEMPLATE_MS, `≤ ${MAX_TEMPLATE_MS} ms`);
    return row({ measure, ours: microseconds(p95), other: `its median ${microseconds(median(samples))}`, limit });
  };
  return [
    amongMany('A URI among 100,000: found', find.many, find.few, ratioAtMost(1.2)),
    amongMany('A URI among 100,000: found, another each time', cold.cold, cold.few),
    amongMany('A URI among 100,000: read', read.many, read.few, ratioAtMost(1.2)),
    template('A template among 1,000, each with its prefix: p95', ownPrefix),
    template('A template among 1,000 with one prefix: p95', sharedPrefix),
  ];
}
