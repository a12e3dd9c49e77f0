/** Reading and writing the lock, and the origins of skills relative to it. */
import { constants, createReadStream, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { systemCode } from '../../errors.js';
import { isInside } from '../../sources/skills/folders.js';
import type { Skill } from '../../sources/source.js';
import { decodeInTurns } from '../../text-turns.js';
import { LOCK_FILE, withoutLinks } from '../folders.js';
import { type Lock, LockError, lockText, parseLock } from './document.js';
import type { LockPlace } from './place.js';

/** More than 10,000 skills with their files need. */
const LARGEST = 64 * 1024 * 1024;
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Undefined if it does not exist. Throws a `LockError` if it is invalid. */
export async function readLock({ file, folder }: LockPlace): Promise<{ readonly lock: Lock; readonly text: string } | undefined> {
  let bytes: Buffer;
  try {
    // Reads at most LARGEST bytes of an endless device, and does not wait for a pipe. Windows has no O_NONBLOCK.
    bytes = await buffer(createReadStream('', { fd: openSync(join(folder, LOCK_FILE), FLAGS), end: LARGEST }));
  } catch (cause) {
    const code = systemCode(cause);
    if (code === 'ENOENT') return undefined;
    throw new LockError(`${file} cannot be read (${code ?? 'unknown error'}).`, 'Check what it is, and its permissions.');
  }
  if (bytes.length > LARGEST) throw new LockError(`${file} is larger than 64 MiB.`, 'Is it the right file?');
  const text = await decodeInTurns(bytes);
  if (text === undefined) throw new LockError(`${file} is not UTF-8.`, 'Write it again with: footbridge lock');
  return { lock: await parseLock(text, file), text };
}

/** Atomic. */
export function writeLock({ file, folder }: LockPlace, lock: Lock): void {
  const path = join(folder, LOCK_FILE);
  const draft = `${path}.${process.pid}`;
  try {
    // May be left over from an interrupted run, or be a link.
    rmSync(draft, { force: true });
    writeFileSync(draft, lockText(lock), { flag: 'wx' });
    renameSync(draft, path);
  } catch (cause) {
    rmSync(draft, { force: true });
    throw new LockError(`${file} cannot be written (${systemCode(cause) ?? 'unknown error'}).`, 'Check the permissions of its folder.');
  }
}

/** The origin of a skill, the same on every machine: folders are relative to that of the lock. */
export function lockedOrigin(skill: Skill, { folder, cwd }: Pick<LockPlace, 'folder' | 'cwd'>): string {
  const root = folderOf(skill, cwd);
  return root === undefined || skill.origin.startsWith('~/') ? skill.origin : standingOf(root, folder).path;
}

/** Whether a skill belongs to the user rather than to the project of the lock. */
export function isPersonal(skill: Skill, { folder, cwd }: Pick<LockPlace, 'folder' | 'cwd'>): boolean {
  const root = folderOf(skill, cwd);
  return root !== undefined && (skill.origin.startsWith('~/') || !standingOf(root, folder).isWithin);
}

/** Undefined for the skills of packs and servers. */
function folderOf({ directory, origin }: Skill, cwd: string): string | undefined {
  if (directory === undefined) return undefined;
  if (origin.startsWith('~/')) return origin;
  const root = resolve(cwd, origin);
  return directory === root || directory.startsWith(root.endsWith(sep) ? root : `${root}${sep}`) ? root : undefined;
}

const standings = new Map<string, { readonly path: string; readonly isWithin: boolean }>();

/**
 * The position of a folder of skills relative to that of the lock. A folder inside the project belongs to it even if it is a link to
 * the outside: a planted link must not bypass the lock. Cached, because many skills share a folder.
 */
function standingOf(root: string, folder: string) {
  const key = JSON.stringify([root, folder]);
  const known = standings.get(key);
  if (known !== undefined) return known;
  const [realFolder, realRoot] = [withoutLinks(folder), withoutLinks(root)];
  const named = isInside(realFolder, realRoot) ? undefined : [realFolder, folder].find((each) => isInside(each, root));
  const path = (named === undefined ? relative(realFolder, realRoot) : relative(named, root)).split(sep).join('/');
  const isWithin = named !== undefined || isInside(realFolder, realRoot);
  const standing = { path: path === '' ? '.' : path.startsWith('..') ? path : `./${path}`, isWithin };
  standings.set(key, standing);
  return standing;
}
