/** The names in folders that may have very many. */
import { type Dir, opendirSync, type Stats, statSync } from 'node:fs';
import { LIMITS } from './rules.js';
import { isSettled, type Stamp, sameStamp, stampOf } from './stamp.js';

/** The names in a folder; undefined where there are more than a skill may have. Throws where it cannot be read. */
export function folderNames(folder: string): ReadonlySet<string> | undefined {
  const stats = statSync(folder);
  const known = recent.get(folder);
  if (known !== undefined && isStill(known, stats)) return known.names;
  const names = firstNames(folder);
  recent.delete(folder);
  recent.set(folder, { names, stamp: stampOf(stats), at: Date.now(), turn });
  if (!isTurnCounted) setImmediate(nextTurn);
  isTurnCounted = true;
  const [oldest] = recent.size > MAX_RECENT ? recent.keys() : [];
  if (oldest !== undefined) recent.delete(oldest);
  return names;
}

interface Recent {
  readonly names: ReadonlySet<string> | undefined;
  readonly stamp: Stamp;
  readonly at: number;
  readonly turn: number;
}

/** The folders that were read last: a call may read fifty files of one. */
const recent = new Map<string, Recent>();
const MAX_RECENT = 16;
/** Of the event loop: a folder that has just changed may change again without its times showing it, but not while a call is answered at once. */
let turn = 0;
let isTurnCounted = false;

function nextTurn(): void {
  turn++;
  isTurnCounted = false;
}

function isStill({ at, stamp, turn: read }: Recent, stats: Stats): boolean {
  return sameStamp(stamp, stats) && (isSettled(stamp, at) || read === turn);
}

function firstNames(folder: string): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  const opened = opendirSync(folder, { bufferSize: 256 });
  try {
    for (const name of entriesOf(opened)) {
      if (names.size === LIMITS.names) return undefined;
      names.add(name);
    }
    return names;
  } finally {
    opened.closeSync();
  }
}

function* entriesOf(folder: Dir): Generator<string, void> {
  for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) yield entry.name;
}
