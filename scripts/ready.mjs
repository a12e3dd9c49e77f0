// Installs and builds what is missing or out of date, so that each command works from a clean clone.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');

const PACKAGES = ['footbridge', 'engage', 'quilt'];
/** Everything that decides what a build writes. */
const INPUTS = [
  'package-lock.json',
  'tsconfig.json',
  'scripts',
  ...PACKAGES.flatMap((name) => ['src', 'page', 'package.json', 'tsconfig.json'].map((path) => join('packages', name, path))),
];
/** The file that a build writes last. */
const BUILT = join('packages', 'quilt', 'bundle', 'THIRD-PARTY-LICENSES.txt');

/** What starts a build: a command, its arguments and options. */
const BUILD = [process.execPath, [join(root, 'scripts', 'build.mjs')], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }];

/** Installs the workspace, and builds if any input is newer than the build. */
export function makeReady() {
  install('.');
  build();
}

/** Builds if any input is newer than the build. */
function build() {
  if (isBuilt()) return;
  report('building');
  attempt('Building', () => execFileSync(...BUILD));
}

/** As `build`, concurrently with other work. */
export async function building() {
  if (isBuilt()) return;
  report('building');
  const [status] = await once(spawn(...BUILD), 'close');
  if (status !== 0) fail('Building');
}

function isBuilt() {
  return newest(INPUTS) <= changedAt(BUILT);
}

/** Installs in a folder if its packages are not those of its lock file. */
export function install(folder) {
  if (isInstalled(folder)) return;
  report(folder === '.' ? 'installing' : `installing in ${folder}`);
  attempt('Installing', () => execFileSync(...npmInstall(folder)));
}

/** As `install`, concurrently with other work. */
export async function installing(folder) {
  if (isInstalled(folder)) return;
  report(`installing in ${folder}`);
  const [status] = await once(spawn(...npmInstall(folder)), 'close');
  if (status !== 0) fail('Installing');
}

function isInstalled(folder) {
  const installed = packagesOf(join(folder, 'node_modules', '.package-lock.json'));
  const wanted = Object.entries(packagesOf(join(folder, 'package-lock.json')));
  return wanted.every(
    ([path, { link, optional, version }]) => !path.includes('node_modules/') || link || optional || installed[path]?.version === version,
  );
}

/** The packages of a lock file by their paths, or none if it does not exist. */
function packagesOf(file) {
  return existsSync(join(root, file)) ? JSON.parse(readFileSync(join(root, file), 'utf8')).packages : {};
}

function attempt(step, action) {
  try {
    action();
  } catch {
    fail(step);
  }
}

function fail(step) {
  process.stderr.write(`footbridge: ${step} failed. See the output above.\n`);
  process.exit(1);
}

/** What starts npm: a command, its arguments and options. */
function npmInstall(folder) {
  // Set by npm when it starts a script.
  const self = process.env.npm_execpath;
  const [command, before] = self === undefined ? ['npm', []] : [process.execPath, [self]];
  // Where packages are installed already, only the differences are: `npm ci` would remove everything first.
  const action = existsSync(join(root, folder, 'node_modules')) ? ['install', '--no-save'] : ['ci'];
  return [
    command,
    [...before, ...action, '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: join(root, folder), stdio: ['ignore', 'inherit', 'inherit'], shell: self === undefined && process.platform === 'win32' },
  ];
}

function newest(paths) {
  return Math.max(
    0,
    ...paths.map((path) => (isFolder(path) ? newest(readdirSync(join(root, path)).map((name) => join(path, name))) : changedAt(path))),
  );
}

function isFolder(path) {
  return existsSync(join(root, path)) && statSync(join(root, path)).isDirectory();
}

function changedAt(path) {
  return statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function report(step) {
  process.stderr.write(`footbridge: ${step} …\n`);
}
