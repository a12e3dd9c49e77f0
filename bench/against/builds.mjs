// The two builds of a comparison: the working tree, and another commit or an already built folder.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { root } from '../../scripts/ready.mjs';

const bench = join(root, 'bench');
/** The bench files that run inside a server process. */
const SERVER_FILES = ['peers', 'rescanner.mjs', 'resources.mjs', 'words.mjs'];

/** The working tree and `other`, which is a folder that contains a build or anything that git can check out. */
export function openBuilds(workspace, other) {
  const folder = isFolder(other) ? resolve(other) : checkOut(workspace, other);
  return { new: openBuild(workspace, 'new', root), old: openBuild(workspace, 'old', folder) };
}

/** What the report calls the old side: the short hash of its commit, if it has one. */
export function nameOf(other) {
  const args = isFolder(other) ? ['-C', other, 'rev-parse', '--short', 'HEAD'] : ['rev-parse', '--short', `${other}^{commit}`];
  return git(...args) ?? basename(other);
}

const isFolder = (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function openBuild(workspace, name, folder) {
  const command = join(folder, 'packages', 'footbridge', 'bin', 'footbridge.cjs');
  if (!existsSync(join(folder, 'packages', 'footbridge', 'bundle', 'footbridge.cjs'))) {
    throw new Error(`${folder} is not built. Run npm run build there first.`);
  }
  // Both sides run the same bench scripts, but resolve Footbridge and the SDK from their own folder.
  const scripts = workspace.folder(`scripts-${name}`);
  symlinkSync(join(folder, 'node_modules'), join(scripts, 'node_modules'), 'junction');
  mkdirSync(join(scripts, 'bench'));
  for (const file of SERVER_FILES) cpSync(join(bench, file), join(scripts, 'bench', file), { recursive: true });
  return { name, command, script: (path) => join(scripts, 'bench', path) };
}

/** Builds a commit in a temporary git worktree, which is removed when the process exits. */
function checkOut(workspace, revision) {
  if (git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`) === undefined) {
    throw new Error(`Unknown commit or folder '${revision}'.`);
  }
  const folder = join(workspace.folder('worktree'), 'tree');
  process.once('exit', () => git('worktree', 'remove', '--force', folder));
  execFileSync('git', ['worktree', 'add', '--quiet', '--detach', folder, revision], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  // Each commit knows how it is installed and built.
  execFileSync(process.execPath, ['-e', "import('./scripts/ready.mjs').then(({ makeReady }) => makeReady())"], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  return folder;
}

/** The trimmed output of a git command, or undefined if it fails. */
function git(...args) {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
