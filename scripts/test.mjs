// npm test: installs and builds what is missing, checks, tests, measures coverage, and ends with a count.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
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

check('format and lint', 'biome', ['ci', '--error-on-warnings', '.']);
check('types', 'tsc', ['-p', '.']);
check('types of the page', 'tsc', ['-p', 'packages/footbridge/page']);
check('types of the pages of the pack', 'tsc', ['-p', 'packages/engage/page']);
check('unused code and dependencies', 'knip', []);
for (const name of ['footbridge', 'engage', 'quilt']) check(`package ${name}`, 'publint', [`packages/${name}`, '--strict']);
// The modules are what coverage is measured on; the bundle is what people run.
test('tests of the modules', ['--project', 'rest'], { NODE_V8_COVERAGE: raw, FOOTBRIDGE_TEST_ENTRY: 'modules' });
// In one run, so that no worker waits for the last test of each; most of the work is that of the programs they start.
const published = ['program', 'engage', 'quilt'].flatMap((project) => ['--project', project]);
test('tests of the command and the packs as they are published', [...published, '--maxWorkers', '4'], { FOOTBRIDGE_TEST_ENTRY: 'bundle' });
check(`line coverage over ${LINES} %`, 'c8', [
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

// A test of the bundle alone is skipped with the modules, so only what no run has run is missing.
const ran = new Set(outcomes.filter(({ skipped }) => !skipped).map(({ test }) => test));
const skipped = [...new Set(outcomes.map(({ test }) => test))].filter((test) => !ran.has(test) && !SHARED.test(test));
// There everything that tests need is installed, so nothing is left out.
if (process.env.CI) count.failed += skipped.length;

console.log(`\n${count.passed} passed, ${count.failed} failed`);
if (skipped.length > 0) console.log(`${skipped.length} skipped${process.env.CI ? ', which fails here' : ''}:\n  ${skipped.join('\n  ')}`);
process.exitCode = count.failed === 0 && count.passed > 0 ? 0 : 1;

function check(name, command, args) {
  console.log(`\n=== ${name}`);
  const { status } = run(command, args, {});
  if (status === 0) count.passed++;
  else {
    count.failed++;
    console.log(`FAILED: ${name}`);
  }
}

function test(name, args, environment) {
  console.log(`\n=== ${name}`);
  const report = join(root, 'coverage', `${name.replaceAll(' ', '-')}.json`);
  const { status } = run('vitest', ['run', ...args, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`], environment);
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

function run(command, args, environment) {
  return spawnSync(process.execPath, [script(command), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }), ...environment },
  });
}
