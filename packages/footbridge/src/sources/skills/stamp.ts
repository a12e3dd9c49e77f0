/** Whether a file is still what it was: its size and its times. */
import type { Stats } from 'node:fs';

export interface Stamp {
  readonly size: number;
  readonly modified: number;
  readonly changed: number;
}

/** Younger than this, a file may have changed again without its times showing it. */
const SETTLING_MS = 2000;

export function stampOf(stats: Stats): Stamp {
  return { size: stats.size, modified: stats.mtimeMs, changed: stats.ctimeMs };
}

export function sameStamp(stamp: Stamp, stats: Stats): boolean {
  return stamp.size === stats.size && stamp.modified === stats.mtimeMs && stamp.changed === stats.ctimeMs;
}

/** Whether a stamp taken at `now` can be trusted later: the clock has moved on since the last change. */
export function isSettled(stamp: Stamp, now: number): boolean {
  return now - Math.max(stamp.modified, stamp.changed) > SETTLING_MS;
}
