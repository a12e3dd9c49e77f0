// Runs the benchmarks: all, or those that `--only start,memory` names. With `--strict` a missed limit fails.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureCall } from '../bench/measures/call.mjs';
import { measureDiscovery } from '../bench/measures/discovery.mjs';
import { measureLargeStart } from '../bench/measures/large-start.mjs';
import { measureMemory } from '../bench/measures/memory.mjs';
import { measureRescan } from '../bench/measures/rescan.mjs';
import { measureResolution } from '../bench/measures/resolution.mjs';
import { measureResource } from '../bench/measures/resource.mjs';
import { measureSecondStart } from '../bench/measures/second-start.mjs';
import { measureSize } from '../bench/measures/size.mjs';
import { measureStart } from '../bench/measures/start.mjs';
import { document, table } from '../bench/report.mjs';
import { createWorkspace } from '../bench/workspace.mjs';

const GROUPS = {
  start: measureStart,
  large: measureLargeStart,
  second: measureSecondStart,
  rescan: measureRescan,
  call: measureCall,
  resource: measureResource,
  discovery: measureDiscovery,
  resolution: measureResolution,
  size: measureSize,
  memory: measureMemory,
};

const root = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { only: { type: 'string' }, strict: { type: 'boolean', default: false } } });
const chosen = values.only?.split(',') ?? Object.keys(GROUPS);
const unknown = chosen.filter((name) => !Object.hasOwn(GROUPS, name));
if (unknown.length > 0) fail(`There is no group '${unknown.join("', '")}'. There are: ${Object.keys(GROUPS).join(', ')}.`);
if (!existsSync(join(root, 'packages', 'footbridge', 'bundle', 'footbridge.cjs'))) fail('Not built yet. Run npm run build first.');

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
// A part is no result to keep.
if (values.only === undefined) writeFileSync(join(root, 'bench', 'results.md'), document(rows));
const missed = rows.filter((row) => row.verdict === 'MISSED');
if (missed.length > 0) {
  process.stdout.write(`\nMISSED: ${missed.map((row) => row.measure).join('; ')}\n`);
  if (values.strict) process.exitCode = 1;
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
