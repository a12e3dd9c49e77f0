/** Reading inside one folder and nowhere else. */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  read,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { join, sep } from 'node:path';
import { promisify } from 'node:util';
import { FootbridgeError, systemCode } from '../../errors.js';
import { atOnce } from '../../turns.js';
import type { ReadContext } from '../resource.js';
import { SKILL_FILE, type SkillFileEntry } from '../source.js';
import { isInside } from './folders.js';
import { folderNames } from './names.js';
import { LIMITS, SKIPPED_FOLDERS } from './rules.js';
import { type Stamp, sameStamp, stampOf } from './stamp.js';

/** Up to this size a synchronous read is faster than the thread pool. */
const SMALL_FILE = 256 * 1024;
const CHUNK = 1024 * 1024;

// Windows has neither flag; there a link or a pipe is caught by the checks around the open.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const readAsync = promisify(read);

/**
 * A file below `root` (a real path), found by the exact names in its folders; undefined when it does not exist. Throws where a
 * folder has too many names to look for it.
 */
export function locate(root: string, path: string): string | undefined {
  let place = root;
  for (const segment of path.split('/')) {
    if (!isPlainName(segment) || SKIPPED_FOLDERS.has(segment)) return undefined;
    // Comparing with the folder's own names rules out case folding, short names, device names and streams.
    const names = absentAsUndefined(() => folderNames(place) ?? 'crowded');
    if (names === 'crowded') throw crowded();
    if (names?.has(segment) !== true) return undefined;
    place = place.endsWith(sep) ? place + segment : place + sep + segment;
  }
  return insideOnly(root, place);
}

/** The real path of `place` if that lies inside `root`. */
function insideOnly(root: string, place: string): string | undefined {
  const real = absentAsUndefined(() => realpathSync.native(place));
  if (real === undefined) return undefined;
  // Both are real paths, so that a common beginning says it in nearly all cases.
  return (real.startsWith(root) && real.startsWith(sep, root.length)) || isInside(root, real) ? real : undefined;
}

/** Whether a name can only be that of an entry of the folder. */
export function isPlainName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\\\0]/.test(name);
}

/**
 * All bytes of the regular file at `real`; undefined when it was removed or replaced by a link.
 * A file with the `known` stamp was checked before.
 */
export async function readRegularFile(
  real: string,
  known?: Stamp,
  context?: ReadContext,
): Promise<{ bytes: Uint8Array; stamp: Stamp } | undefined> {
  const descriptor = absentAsUndefined(() => openSync(real, OPEN_FLAGS));
  if (descriptor === undefined) return undefined;
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return undefined;
    if (!(known !== undefined && sameStamp(known, stats)) && !isReally(descriptor, real, stats)) return undefined;
    if (stats.size > LIMITS.file) throw tooLarge(stats.size);
    const room = context?.admit?.(stats.size);
    if (room !== undefined) await room;
    const bytes = stats.size <= SMALL_FILE ? readSmall(descriptor, stats.size) : await readLarge(descriptor, stats.size);
    return { bytes, stamp: stampOf(stats) };
  } catch (cause) {
    if (isAbsent(cause)) return undefined;
    throw cause instanceof FootbridgeError ? cause : unreadable(cause);
  } finally {
    closeSync(descriptor);
  }
}

/** Whether the file at `real` still has a stamp, and is not a link. */
export function isUnchanged(real: string, stamp: Stamp): boolean {
  const stats = absentAsUndefined(() => lstatSync(real));
  return stats?.isFile() === true && sameStamp(stamp, stats);
}

/** Linux reports the real path of an open file. */
const OPEN_FILES = process.platform === 'linux' && existsSync('/proc/self/fd') ? '/proc/self/fd/' : undefined;

/**
 * Whether the open file is the one at `real`, without links: a folder may have been replaced by a link since its real path
 * was resolved. Where the system does not report the path, resolving it again after the open leaves only an instant.
 */
function isReally(descriptor: number, real: string, stats: Stats): boolean {
  if (OPEN_FILES !== undefined) return readlinkSync(OPEN_FILES + descriptor) === real;
  if (realpathSync.native(real) !== real) return false;
  const again = lstatSync(real);
  return again.ino === stats.ino && again.dev === stats.dev;
}

function readSmall(descriptor: number, size: number): Uint8Array {
  const buffer = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const count = readSync(descriptor, buffer, filled, size - filled, filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}

async function readLarge(descriptor: number, size: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await readAsync(descriptor, buffer, filled, Math.min(CHUNK, size - filled), filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/**
 * Stats of the file at `real`, and how many of its first bytes were read; undefined when a link leads there. A caller that
 * rules out links otherwise can skip that check, which is a good part of a scan's time.
 */
export function readHead(real: string, buffer: Buffer, look = true): { stats: Stats; length: number } | undefined {
  const descriptor = openSync(real, OPEN_FLAGS);
  try {
    const stats = fstatSync(descriptor);
    if (look && !isReally(descriptor, real, stats)) return undefined;
    return { stats, length: stats.isFile() ? readSync(descriptor, buffer, 0, buffer.length, 0) : 0 };
  } finally {
    closeSync(descriptor);
  }
}

/** The same without the stats, for a caller that has just looked at them and rules out links otherwise. */
export function readStart(real: string, buffer: Buffer): number {
  const descriptor = openSync(real, OPEN_FLAGS);
  try {
    return readSync(descriptor, buffer, 0, buffer.length, 0);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Children of a folder below `root`, sorted, up to the limit of files, without files that `refuses` names by their path and
 * real path; undefined when it is not a folder. Of one with too many names, only the `SKILL.md` of the skill. In steps.
 */
export function* stepsToListFolder(
  root: string,
  folder: string,
  refuses: (path: string, real: string) => boolean,
): Generator<void, SkillFileEntry[] | undefined> {
  const place = folder === '' ? root : locate(root, folder);
  if (place === undefined || absentAsUndefined(() => lstatSync(place))?.isDirectory() !== true) return undefined;
  const names = sortedNames(place) ?? (folder === '' ? [SKILL_FILE] : []);
  const children = yield* childrenOf(root, folder, place, names);
  return children.flatMap(({ entry, real }) => (entry.kind === 'file' && refuses(entry.path, real) ? [] : [entry]));
}

interface Child {
  readonly entry: SkillFileEntry;
  readonly real: string;
}

/** Undefined where there are too many. */
function sortedNames(folder: string): readonly string[] | undefined {
  const names = absentAsUndefined(() => folderNames(folder) ?? 'crowded') ?? new Set<string>();
  return names === 'crowded' ? undefined : [...names].sort();
}

/** One more than the limit where there are more. `place` is the real path of `folder`. */
function* childrenOf(root: string, folder: string, place: string, names: readonly string[]): Generator<void, Child[]> {
  const children: Child[] = [];
  for (const name of names) {
    if (children.length > LIMITS.files) break;
    if (!isPlainName(name) || SKIPPED_FOLDERS.has(name)) continue;
    yield;
    const path = folder === '' ? name : `${folder}/${name}`;
    const real = insideOnly(root, join(place, name));
    const stats = real === undefined ? undefined : absentAsUndefined(() => statSync(real));
    if (real === undefined || stats === undefined) continue;
    if (stats.isDirectory()) children.push({ entry: { path, kind: 'directory' }, real });
    else if (stats.isFile()) children.push({ entry: { path, kind: 'file', size: stats.size }, real });
  }
  return children;
}

/** Every file below `root` with its real path, or undefined when there are more files, folders or names than a skill may have. */
export function listAllFiles(root: string): Child[] | undefined {
  return atOnce(stepsToListAll(root));
}

/** The same in steps. */
export function* stepsToListAll(root: string): Generator<void, Child[] | undefined> {
  const files: Child[] = [];
  let left: number = LIMITS.names;
  const folders = [{ path: '', real: root }];
  // Guards against links to a parent folder.
  const seen = new Set([root]);
  // Folders are added while they are walked.
  for (const { path, real } of folders) {
    const names = sortedNames(real);
    if (names === undefined || names.length > left) return undefined;
    left -= names.length;
    const children = yield* childrenOf(root, path, real, names);
    for (const child of children) {
      if (child.entry.kind === 'file') files.push(child);
      else if (!seen.has(child.real)) {
        seen.add(child.real);
        folders.push({ path: child.entry.path, real: child.real });
      }
    }
    if (Math.max(files.length, folders.length, children.length) > LIMITS.files) return undefined;
  }
  return files;
}

/** Runs a file-system call; undefined when the file does not exist or has another type. */
export function absentAsUndefined<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (cause) {
    if (isAbsent(cause)) return undefined;
    throw unreadable(cause);
  }
}

function isAbsent(cause: unknown): boolean {
  return ABSENT.has(systemCode(cause) ?? '');
}

const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EINVAL', 'ENXIO', 'ERR_INVALID_ARG_VALUE']);

function unreadable(cause: unknown): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', 'The file exists but is temporarily unavailable: it could not be read.', {
    details: systemCode(cause) === 'EACCES' ? 'Permission denied.' : `System error ${systemCode(cause) ?? 'unknown'}.`,
    suggestedActions: ['Retry in a moment.', 'If it fails again, ask the owner of the skill folder to check its permissions.'],
    retryable: true,
    cause,
  });
}

function crowded(): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', 'The folder has too many entries, so its files are not served.', {
    details: `A folder of a skill has at most ${LIMITS.names} files, folders and links.`,
    suggestedActions: ['Go on without it.', 'Ask the owner of the skill to divide the folder, or to keep large data outside the skill.'],
  });
}

function tooLarge(size: number): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', 'The file is too large to be served.', {
    details: `It has ${size} bytes; the limit is ${LIMITS.file}.`,
    suggestedActions: ['Split the file, or keep large data outside the skill and refer to it.'],
  });
}
