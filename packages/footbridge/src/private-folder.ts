/** Folders that other users of the machine cannot change. */
import { lstatSync, mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from './errors.js';

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Whether no other user could have written to the folder; undefined if it does not exist. Only then may its content be
 * trusted. A link may also belong to root: another user could change its target later.
 */
export function isPrivateFolder(folder: string): boolean | undefined {
  try {
    const entry = lstatSync(folder, { throwIfNoEntry: false });
    if (entry === undefined) return undefined;
    const stats = entry.isSymbolicLink() ? statSync(folder, { throwIfNoEntry: false }) : entry;
    return stats?.isDirectory() === true && isOurs(stats) && (entry === stats || entry.uid === 0 || isOurs(entry, 0));
  } catch {
    return false;
  }
}

function isOurs({ uid, mode }: Stats, forbidden = WRITABLE_BY_OTHERS): boolean {
  // Windows has neither owners nor modes.
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & forbidden) === 0);
}

/**
 * Creates a folder and its parents; returns the created ones, innermost first. Node's recursive mkdir never returns below /proc, nor
 * below a broken link.
 */
export function makeFolders(folder: string, mode?: number): readonly string[] {
  try {
    mkdirSync(folder, mode);
    return [folder];
  } catch (cause) {
    const code = systemCode(cause);
    if (code === 'EEXIST') return [];
    if (code !== 'ENOENT' || dirname(folder) === folder) throw cause;
    const above = makeFolders(dirname(folder), mode);
    mkdirSync(folder, mode);
    return [folder, ...above];
  }
}
