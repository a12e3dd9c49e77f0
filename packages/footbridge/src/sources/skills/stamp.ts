/** Whether a file is still what it was: the same file, of the same size and times. */
import type { Stats } from 'node:fs';

export interface Stamp {
  readonly size: number;
  readonly modified: number;
  readonly changed: number;
  /** Which file it is: files that were written together share their times. */
  readonly inode: number;
  readonly device: number;
}

/** Younger than this, a file may have changed again without its times showing it. */
const SETTLING_MS = 2000;

export function stampOf(stats: Stats): Stamp {
  return { size: stats.size, modified: stats.mtimeMs, changed: stats.ctimeMs, inode: stats.ino, device: stats.dev };
}

export function sameStamp(stamp: Stamp, stats: Stats): boolean {
  return (
    stamp.size === stats.size &&
    stamp.modified === stats.mtimeMs &&
    stamp.changed === stats.ctimeMs &&
    stamp.inode === stats.ino &&
    stamp.device === stats.dev
  );
}

/** Whether a stamp taken at `now` can be trusted later: the clock has moved on since the last change. */
export function isSettled(stamp: Pick<Stamp, 'modified' | 'changed'>, now: number): boolean {
  return now - Math.max(stamp.modified, stamp.changed) > SETTLING_MS;
}
