// Runs the benchmarks: all, or those that `--only start,memory` names. With `--strict` a missed limit fails.
// `--check` tells which ratios are over 15 % worse than in bench/baseline.json; it writes nothing and fails nothing.
// `--baseline` writes that file from this run, which has to be a whole one.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compare, toBaseline } from '../bench/baseline.mjs';
import { measureCall } from '../bench/measures/call.mjs';
import { measureDiscovery } from '../bench/measures/discovery.mjs';
import { measureHttp } from '../bench/measures/http.mjs';
import { measureLargeStart } from '../bench/measures/large-start.mjs';
import { measureLoad } from '../bench/measures/load.mjs';
import { measureLocked } from '../bench/measures/locked.mjs';
import { measureMemory } from '../bench/measures/memory.mjs';
import { measureQuilt } from '../bench/measures/quilt.mjs';
import { measureRescan } from '../bench/measures/rescan.mjs';
import { measureResolution } from '../bench/measures/resolution.mjs';
import { measureResource } from '../bench/measures/resource.mjs';
import { measureSecondStart } from '../bench/measures/second-start.mjs';
import { measureSize } from '../bench/measures/size.mjs';
import { measureStart } from '../bench/measures/start.mjs';
import { measureWrap } from '../bench/measures/wrap.mjs';
import { document, table } from '../bench/report.mjs';
import { createWorkspace } from '../bench/workspace.mjs';
import { install, root } from './ready.mjs';

const GROUPS = {
  start: measureStart,
  large: measureLargeStart,
  second: measureSecondStart,
  locked: measureLocked,
  rescan: measureRescan,
  call: measureCall,
  resource: measureResource,
  discovery: measureDiscovery,
  resolution: measureResolution,
  http: measureHttp,
  load: measureLoad,
  wrap: measureWrap,
  quilt: measureQuilt,
  size: measureSize,
  memory: measureMemory,
};

const baselineFile = join(root, 'bench', 'baseline.json');
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    strict: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    baseline: { type: 'boolean', default: false },
  },
});
const chosen = values.only?.split(',') ?? Object.keys(GROUPS);
const unknown = chosen.filter((name) => !Object.hasOwn(GROUPS, name));
if (unknown.length > 0) fail(`There is no group '${unknown.join("', '")}'. There are: ${Object.keys(GROUPS).join(', ')}.`);
if (values.baseline && values.only !== undefined) fail('A baseline is of a whole run: leave out --only.');
if (!existsSync(join(root, 'packages', 'footbridge', 'bundle', 'footbridge.cjs'))) fail('Not built yet. Run npm run build first.');
if (chosen.includes('wrap')) install(join('bench', 'npm'));

// An exit, unlike a signal, removes the temporary folders and ends the servers.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

const workspace = createWorkspace();
const rows = [];
for (const name of chosen) {
  process.stderr.write(`${name} … `);
  const begin = performance.now();
  rows.push(...(await GROUPS[name](workspace)));
  process.stderr.write(`${((performance.now() - begin) / 1000).toFixed(0)} s\n`);
}

process.stdout.write(`\n${table(rows)}\n`);
// A part is no result to keep, and a check leaves everything as it is.
if (values.only === undefined && !values.check) writeFileSync(join(root, 'bench', 'results.md'), document(rows));
if (values.baseline) writeFileSync(baselineFile, `${JSON.stringify(toBaseline(rows), null, 2)}\n`);
const missed = rows.filter((row) => row.verdict === 'MISSED');
if (missed.length > 0) {
  process.stdout.write(`\nMISSED: ${missed.map((row) => row.measure).join('; ')}\n`);
  if (values.strict) process.exitCode = 1;
}
if (values.check) process.stdout.write(`\n${check().join('\n')}\n`);

function check() {
  if (!existsSync(baselineFile)) return ['There is no baseline to compare with: npm run bench -- --baseline writes one.'];
  return compare(rows, JSON.parse(readFileSync(baselineFile, 'utf8')));
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
