/** Reads the objects of a bare repository: nothing is checked out, so filters, attributes and links have no effect. */

import { ByteReader } from '../archive/byte-reader.js';
import { FetchError } from '../fetch-error.js';
import type { Staging } from '../staging.js';
import { type GitSurroundings, runGit, startGit } from './command.js';

/** An entry of a tree. */
export interface TreeEntry {
  /** Such as `100644`. */
  readonly mode: string;
  readonly id: string;
  readonly path: string;
}

const EXECUTABLE = '100755';
const FILES: ReadonlySet<string> = new Set(['100644', '100664', EXECUTABLE]);

export function isFileEntry({ mode }: TreeEntry): boolean {
  return FILES.has(mode);
}

/** All files, links and submodules of a commit below `path`. */
export async function listTree(commit: string, path: string, surroundings: GitSurroundings): Promise<readonly TreeEntry[]> {
  const only = path === '' ? [] : ['--', `${path}/`];
  const output = await runGit(['ls-tree', '-r', '-z', '--full-tree', commit, ...only], surroundings);
  return output
    .toString('utf8')
    .split('\0')
    .flatMap((line) => {
      const tab = line.indexOf('\t');
      const [mode = '', , id = ''] = line.slice(0, tab).split(' ');
      return tab === -1 ? [] : [{ mode, id, path: line.slice(tab + 1) }];
    });
}

const LONGEST_LINE = 256;

/** Puts the content of these entries into the staging area, with their paths below `path`. */
export async function stageBlobs(
  entries: readonly TreeEntry[],
  path: string,
  staging: Staging,
  surroundings: GitSurroundings,
): Promise<void> {
  if (entries.length === 0) return;
  const child = startGit(['cat-file', '--batch', '--buffer'], surroundings);
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('git was started without pipes');
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()).once('error', () => resolve()));
  stdin.on('error', () => {});
  stdin.end(`${entries.map(({ id }) => id).join('\n')}\n`);
  const reader = new ByteReader(stdout);
  try {
    for (const entry of entries) {
      const size = sizeIn(await reader.readUntil(0x0a, LONGEST_LINE), entry);
      staging.admit(entry.path, size);
      const own = path === '' ? entry.path : entry.path.slice(path.length + 1);
      await staging.putFrom(reader, own, size, cutShort, entry.mode === EXECUTABLE);
      // A line feed follows each.
      await reader.skip(1);
    }
  } finally {
    child.kill('SIGKILL');
    // It closes only when the rest of its output has been read.
    stdout.destroy();
    await ended;
    surroundings.signal.throwIfAborted();
  }
}

/** Of `ID blob SIZE`; git ends instead if it does not have the file, which may have been too large to be fetched. */
function sizeIn(line: Buffer | undefined, { id, path }: TreeEntry): number {
  const [found, type, size] = line?.toString('latin1').split(' ') ?? [];
  if (found !== id || type !== 'blob' || size === undefined || !/^\d{1,12}$/.test(size))
    throw new FetchError(
      `git could not read '${path.slice(0, 200)}'.`,
      'The file may be too large, or the repository damaged. Try again later.',
    );
  return Number(size);
}

function cutShort(): FetchError {
  return new FetchError('git ended before all files were read.', 'Try again.');
}
