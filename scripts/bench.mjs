// Runs the benchmarks: all groups, or those that `--only start,memory` names. With `--strict` a missed limit fails.
// `--minutes 30` is how long the group `soak` goes on.
// `--check` measures the groups that bench/limits.json names, up to three times, and fails if a ratio misses its limit every time. It
// writes nothing.
// `--against REV` compares the working tree with another commit or with a folder that contains a build; with `--strict` a row
// that is more than 5 % worse fails.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { nameOf } from '../bench/against/builds.mjs';
import { isWorse } from '../bench/against/compare.mjs';
import { COMPARISONS, comparisonsWith, report } from '../bench/against/index.mjs';
import { ATTEMPTS, checkLimits } from '../bench/gate.mjs';
import { measureAdd } from '../bench/measures/add.mjs';
import { measureCall } from '../bench/measures/call.mjs';
import { measureDiscovery } from '../bench/measures/discovery.mjs';
import { measureHttp } from '../bench/measures/http.mjs';
import { measureLargeStart } from '../bench/measures/large-start.mjs';
import { measureLoad } from '../bench/measures/load.mjs';
import { measureLocked } from '../bench/measures/locked.mjs';
import { measureManyServers } from '../bench/measures/many-servers.mjs';
import { measureManySkills } from '../bench/measures/many-skills.mjs';
import { measureMemory } from '../bench/measures/memory.mjs';
import { measureQuilt } from '../bench/measures/quilt.mjs';
import { measureRescan } from '../bench/measures/rescan.mjs';
import { measureResolution } from '../bench/measures/resolution.mjs';
import { measureLargeResource, measureResource } from '../bench/measures/resource.mjs';
import { measureSearch } from '../bench/measures/search.mjs';
import { measureSecondStart } from '../bench/measures/second-start.mjs';
import { measureSignIn } from '../bench/measures/sign-in.mjs';
import { measureSize } from '../bench/measures/size.mjs';
import { measureSoak } from '../bench/measures/soak.mjs';
import { measureStart } from '../bench/measures/start.mjs';
import { measureToolSearch } from '../bench/measures/tool-search.mjs';
import { measureWrap } from '../bench/measures/wrap.mjs';
import { comparisonPart, document, replacePart, table } from '../bench/report.mjs';
import { createWorkspace } from '../bench/workspace.mjs';
import { install, root } from './ready.mjs';

const GROUPS = {
  start: measureStart,
  large: measureLargeStart,
  second: measureSecondStart,
  locked: measureLocked,
  add: measureAdd,
  rescan: measureRescan,
  call: measureCall,
  search: measureSearch,
  resource: measureResource,
  'large-resource': measureLargeResource,
  discovery: measureDiscovery,
  resolution: measureResolution,
  http: measureHttp,
  load: measureLoad,
  wrap: measureWrap,
  servers: measureManyServers,
  soak: measureSoak,
  tools: measureToolSearch,
  'sign-in': measureSignIn,
  quilt: measureQuilt,
  size: measureSize,
  memory: measureMemory,
  scale: measureManySkills,
};

const limits = JSON.parse(readFileSync(join(root, 'bench', 'limits.json'), 'utf8'));
const resultsFile = join(root, 'bench', 'results.md');
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    minutes: { type: 'string' },
    against: { type: 'string' },
    strict: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});
const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
if (minutes !== undefined && !(minutes > 0)) fail('--minutes needs a number.');
const isWhole = values.only === undefined;
const available = Object.keys(values.against !== undefined ? COMPARISONS : values.check ? limits : GROUPS);
const chosen = values.only?.split(',') ?? available;
const unknown = chosen.filter((name) => !available.includes(name));
if (unknown.length > 0) fail(`Unknown group '${unknown.join("', '")}'. Use one or more of: ${available.join(', ')}.`);
if (values.against !== undefined && values.check) fail('--against does not work with --check.');
if (!existsSync(join(root, 'packages', 'footbridge', 'bundle', 'footbridge.cjs'))) fail('Not built yet. Run npm run build first.');

// An exit, unlike a signal, removes the temporary folders and ends the servers.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

const workspace = createWorkspace();
if (values.against !== undefined) await compareWith(values.against);
else if (values.check) await check();
else await measure();

async function measure() {
  if (chosen.includes('wrap')) install(join('bench', 'npm'));
  const rows = await run(GROUPS);
  process.stdout.write(`\n${table(rows)}\n`);
  // A part is no result to keep.
  if (isWhole) writeResults({ main: document(rows) });
  const missed = rows.filter((row) => row.verdict === 'MISSED');
  if (missed.length > 0) {
    process.stdout.write(`\nMISSED: ${missed.map((row) => row.measure).join('; ')}\n`);
    if (values.strict) process.exitCode = 1;
  }
}

async function check() {
  if (chosen.includes('wrap')) install(join('bench', 'npm'));
  const report = (line) => process.stdout.write(`${line}\n`);
  const measureGroup = async (name) => {
    const rows = await runGroup(GROUPS, name);
    report(`\n${table(rows)}\n`);
    return rows;
  };
  const { compared, failed } = await checkLimits(Object.fromEntries(chosen.map((name) => [name, limits[name]])), measureGroup, report);
  if (failed.length === 0) report(`\nAll ${compared} ratios are within their limits.`);
  else report(`\nFAILED: ${failed.length} of ${compared} ratios missed their limits ${ATTEMPTS} times: ${failed.join('; ')}`);
  // A group that could not be measured may have left servers behind, which an exit ends.
  process.exit(failed.length === 0 ? 0 : 1);
}

async function compareWith(other) {
  const name = nameOf(other);
  const [load] = loadavg();
  if (load > availableParallelism() / 2)
    process.stderr.write(`The machine is busy (load average ${load.toFixed(1)}). Expect a large spread.\n`);
  const rows = await run(comparisonsWith(workspace, other));
  const text = report(rows, name);
  process.stdout.write(`\n${text}\n`);
  if (isWhole) writeResults({ comparison: comparisonPart(name, text) });
  if (values.strict && rows.some(isWorse)) process.exitCode = 1;
}

/** The rows of the chosen groups. One that cannot be measured does not cost the others theirs. */
async function run(groups) {
  const rows = [];
  for (const name of chosen) {
    try {
      rows.push(...(await runGroup(groups, name)));
    } catch (error) {
      process.stderr.write(`FAILED: ${error.stack}\n`);
      process.exitCode = 1;
    }
  }
  return rows;
}

async function runGroup(groups, name) {
  process.stderr.write(`${name} … `);
  const begin = performance.now();
  const rows = await groups[name](workspace, { minutes });
  process.stderr.write(`${((performance.now() - begin) / 1000).toFixed(0)} s\n`);
  return rows;
}

function writeResults(part) {
  writeFileSync(resultsFile, replacePart(existsSync(resultsFile) ? readFileSync(resultsFile, 'utf8') : '', part));
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
