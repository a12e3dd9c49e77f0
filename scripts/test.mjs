// npm test: installs and builds what is missing, runs the checks and all tests, measures coverage, and prints the totals.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { building, install, installing, root } from './ready.mjs';

const LINES = 95;
const coverage = join(root, 'coverage');
const began = performance.now();
const count = { passed: 0, failed: 0 };
const skipped = new Set();
/** Tests that all sources share skip what a source does not have. That is not a missing test. */
const SHARED = /: source "[^"]+" /;

// Both installations mostly wait for the disk and the network.
const serversOfOthers = installing(join('packages', 'footbridge', 'tests', 'npm'));
install('.');
const built = building();
// Beside the build and the tests, which often wait, and one after the other, so that they do not make the tests wait.
const checks = checkAll();
await Promise.all([built, serversOfOthers]);
// It uses packages that may have been installed just now.
const { bundleForCoverage, keepPrograms, lineCoverage, PROGRAMS_RAW, RAW } = await import('./coverage.mjs');
rmSync(coverage, { recursive: true, force: true });
mkdirSync(RAW, { recursive: true });
phase('ready');

await bundleForCoverage();
await test(['--coverage', '--coverage.reporter=json', `--coverage.reportsDirectory=${join(coverage, 'tests')}`], {
  FOOTBRIDGE_TEST_COVERAGE: RAW,
});
phase('tests');
for (const report of await checks) report();

keepPrograms();
const programs = join(coverage, 'programs');
(
  await check('coverage of programs', 'c8', [
    'report',
    `--temp-directory=${PROGRAMS_RAW}`,
    '--include=packages/*/src/**',
    '--exclude-after-remap',
    '--reporter=json',
    `--reports-dir=${programs}`,
  ])
)();
const { isEnough, text: table } = lineCoverage(
  [join(coverage, 'tests'), programs].map((folder) => join(folder, 'coverage-final.json')),
  LINES,
);
conclude(`line coverage of at least ${LINES} % in each package`, isEnough, `${table}\n`);
phase('coverage');

// In CI everything that tests need is installed, so none may be skipped.
if (process.env.CI) count.failed += skipped.size;

console.log(`\n${count.passed} passed, ${count.failed} failed`);
if (skipped.size > 0) console.log(`${skipped.size} skipped${process.env.CI ? ', which fails in CI' : ''}:\n  ${[...skipped].join('\n  ')}`);
process.exitCode = count.failed === 0 && count.passed > 0 ? 0 : 1;

async function checkAll() {
  const sources = [
    ['format and lint', 'biome', ['ci', '--error-on-warnings', `--colors=${process.stdout.isTTY ? 'force' : 'off'}`, '.']],
    // More checkers would check shared files more than once.
    ['types', 'tsc', ['-p', '.', '--checkers', '1']],
    ['types of the catalog page', 'tsc', ['-p', 'packages/footbridge/page']],
    ['types of the Engage pages', 'tsc', ['-p', 'packages/engage/page']],
    ['unused code and dependencies', 'knip', []],
  ];
  const packages = ['footbridge', 'engage', 'quilt'].map((name) => [`package ${name}`, 'publint', [`packages/${name}`, '--strict']]);
  const reports = [];
  for (const each of sources) reports.push(await check(...each));
  await built;
  for (const each of packages) reports.push(await check(...each));
  return reports;
}

/** Starts a check; resolves when it has ended, with a function that reports and counts it. */
async function check(name, command, args) {
  const child = start(command, args, {}, 'pipe');
  const [output, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return () => conclude(name, status === 0, output + errors);
}

function conclude(name, isGood, output) {
  console.log(`\n=== ${name}`);
  process.stdout.write(output);
  if (isGood) count.passed++;
  else {
    count.failed++;
    console.log(`FAILED: ${name}`);
  }
}

/** All tests in one run, so that no worker waits for the end of another run. */
async function test(args, environment) {
  console.log('\n=== tests');
  const report = join(coverage, 'tests.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const [status] = await once(start('vitest', ['run', ...args, ...reporters], environment, 'inherit'), 'close');
  const { numPassedTests = 0, numFailedTests = 0, testResults = [] } = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {};
  for (const { name: file, assertionResults } of testResults) {
    for (const { fullName, status: outcome } of assertionResults) {
      const title = `${basename(file)}: ${fullName}`;
      if (outcome !== 'passed' && outcome !== 'failed' && !SHARED.test(title)) skipped.add(title);
    }
  }
  count.passed += numPassedTests;
  // A run that fails without a failed test, such as one with an unhandled error, counts as a failure.
  count.failed += status === 0 ? numFailedTests : Math.max(1, numFailedTests);
}

function start(command, args, environment, output) {
  const colours = process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' };
  return spawn(process.execPath, [script(command), ...args], {
    cwd: root,
    stdio: ['ignore', output, output],
    env: { ...process.env, ...colours, ...environment },
  });
}

/** The script of a package's command. The files in .bin differ between platforms. */
function script(command) {
  const name = { biome: '@biomejs/biome', tsc: 'typescript' }[command] ?? command;
  const folder = join(root, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[command]);
}

function phase(name) {
  console.log(`\n--- ${name}: ${((performance.now() - began) / 1000).toFixed(0)} s since the start`);
}
