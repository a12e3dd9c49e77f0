// Installs and builds what is missing or out of date, so that each command works from a clean clone.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');

/** Installs the workspace, and builds if a source is newer than the build. */
export function makeReady() {
  install('.');
  const sources = [
    'packages/footbridge/src',
    'packages/footbridge/page',
    'packages/footbridge/package.json',
    'packages/engage/src',
    'packages/engage/page',
    'packages/engage/package.json',
    'packages/quilt/src',
    'packages/quilt/package.json',
    'package-lock.json',
    'tsconfig.json',
    'scripts/bundle.mjs',
    'scripts/engage-page.mjs',
    'scripts/pack.mjs',
    'scripts/page.mjs',
    'scripts/schema.mjs',
  ];
  // What is built last: were it older than a source, so would be all the rest.
  if (Math.max(...sources.map(newestIn)) > changedAt('packages/quilt/bundle/THIRD-PARTY-LICENSES.txt')) {
    say('building');
    attempt('Building', () =>
      execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }),
    );
  }
}

/** Installs in a folder if its lock file is newer than what is installed. */
export function install(folder) {
  if (changedAt(join(folder, 'package-lock.json')) <= changedAt(join(folder, 'node_modules', '.package-lock.json'))) return;
  say(folder === '.' ? 'installing' : `installing in ${folder}`);
  attempt('Installing', () => npm(folder, 'ci', '--no-audit', '--no-fund', '--loglevel=error'));
}

function attempt(what, action) {
  try {
    action();
  } catch {
    process.stderr.write(`footbridge: ${what} failed; the reason is above.\n`);
    process.exit(1);
  }
}

function npm(folder, ...args) {
  // npm_execpath is npm itself when started by npm, which spares looking for it.
  const self = process.env.npm_execpath;
  const [command, before] = self === undefined ? ['npm', []] : [process.execPath, [self]];
  execFileSync(command, [...before, ...args], {
    cwd: join(root, folder),
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: self === undefined && process.platform === 'win32',
  });
}

function changedAt(path) {
  return statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function newestIn(path) {
  const full = join(root, path);
  if (!existsSync(full)) return 0;
  if (!statSync(full).isDirectory()) return changedAt(path);
  return Math.max(0, ...readdirSync(full).map((name) => newestIn(join(path, name))));
}

function say(what) {
  process.stderr.write(`footbridge: ${what} …\n`);
}
