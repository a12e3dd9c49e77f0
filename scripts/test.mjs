// npm test: installs and builds what is missing, checks, tests, measures coverage, and ends with a count.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { install, makeReady, root } from './ready.mjs';

const LINES = 95;
/** The script behind a command of a package: what lies in .bin is not the same on every system. */
function script(command) {
  const name = { biome: '@biomejs/biome', tsc: 'typescript' }[command] ?? command;
  const folder = join(root, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[command]);
}

const raw = join(root, 'coverage', 'raw');
const count = { passed: 0, failed: 0 };
/** Every test of every run, by its file and name, and whether it was skipped. */
const outcomes = [];
/** The tests that all sources share pass over what a source does not have; nothing is missing there. */
const SHARED = /: the source ".+" keeps the contract /;

makeReady();
install(join('packages', 'footbridge', 'tests', 'npm'));
rmSync(join(root, 'coverage'), { recursive: true, force: true });
mkdirSync(raw, { recursive: true });

// Side by side, and told one after the other.
const checks = [
  check('format and lint', 'biome', ['ci', '--error-on-warnings', `--colors=${process.stdout.isTTY ? 'force' : 'off'}`, '.']),
  check('types', 'tsc', ['-p', '.']),
  check('types of the page', 'tsc', ['-p', 'packages/footbridge/page']),
  check('types of the pages of the pack', 'tsc', ['-p', 'packages/engage/page']),
  check('unused code and dependencies', 'knip', []),
  ...['footbridge', 'engage', 'quilt'].map((name) => check(`package ${name}`, 'publint', [`packages/${name}`, '--strict'])),
];
for (const done of checks) (await done)();

// Coverage is measured on the sources in few files; the bundle is what people run. What makes the first is installed by now.
const { bundleMeasured, nameMaps } = await import('./measured.mjs');
const measured = join(root, 'packages', 'footbridge', 'coverage');
await bundleMeasured(join(root, 'packages', 'footbridge', 'src', 'cli', 'run.ts'), measured);
await test('tests of the sources', ['--project', 'unit'], { NODE_V8_COVERAGE: raw });
nameMaps(measured);
const covered = check(`line coverage over ${LINES} %`, 'c8', [
  'report',
  `--temp-directory=${raw}`,
  '--src=packages/footbridge/src',
  '--include=packages/footbridge/src/**',
  '--exclude-after-remap',
  '--all',
  '--reporter=text',
  '--check-coverage',
  `--lines=${LINES}`,
]);
// In one run, so that no worker waits for the last test of each; most of the work is that of the programs they start.
const published = ['program'].flatMap((project) => ['--project', project]);
await test('tests of the command and the packs as they are published', [...published, '--maxWorkers', '4'], {
  FOOTBRIDGE_TEST_ENTRY: 'bundle',
});
(await covered)();

// A test of the bundle alone is skipped with the modules, so only what no run has run is missing.
const ran = new Set(outcomes.filter(({ skipped }) => !skipped).map(({ test }) => test));
const skipped = [...new Set(outcomes.map(({ test }) => test))].filter((test) => !ran.has(test) && !SHARED.test(test));
// There everything that tests need is installed, so nothing is left out.
if (process.env.CI) count.failed += skipped.length;

console.log(`\n${count.passed} passed, ${count.failed} failed`);
if (skipped.length > 0) console.log(`${skipped.length} skipped${process.env.CI ? ', which fails here' : ''}:\n  ${skipped.join('\n  ')}`);
process.exitCode = count.failed === 0 && count.passed > 0 ? 0 : 1;

/** Begins a check; resolves when it has ended, with what tells and counts how. */
async function check(name, command, args) {
  const child = start(command, args, {}, 'pipe');
  const [output, complaints, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return () => {
    console.log(`\n=== ${name}`);
    process.stdout.write(output);
    process.stderr.write(complaints);
    if (status === 0) count.passed++;
    else {
      count.failed++;
      console.log(`FAILED: ${name}`);
    }
  };
}

async function test(name, args, environment) {
  console.log(`\n=== ${name}`);
  const report = join(root, 'coverage', `${name.replaceAll(' ', '-')}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const [status] = await once(start('vitest', ['run', ...args, ...reporters], environment, 'inherit'), 'close');
  const { numPassedTests = 0, numFailedTests = 0, testResults = [] } = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {};
  for (const { name: file, assertionResults } of testResults) {
    for (const { fullName, status } of assertionResults) {
      outcomes.push({ test: `${basename(file)}: ${fullName}`, skipped: status !== 'passed' && status !== 'failed' });
    }
  }
  count.passed += numPassedTests;
  // A run that ends badly without a failed test has failed all the same.
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
