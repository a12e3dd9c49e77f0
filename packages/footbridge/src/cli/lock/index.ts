/** Whether what is served is what was locked. */
import type { Io } from '../io.js';
import type { CommonOptions } from '../options.js';
import { collect, type LockProblem } from './collect.js';
import { type Lock, LockError } from './document.js';
import { type Drift, driftBetween } from './drift.js';
import { readLock } from './file.js';

export type LockState =
  | { readonly state: 'none'; readonly file: string }
  /** It is no lock, or none that this version understands. */
  | { readonly state: 'unreadable'; readonly file: string; readonly message: string; readonly action: string }
  | { readonly state: 'good'; readonly file: string; readonly lock: Lock }
  /** Something could not be found out; what could is as it was locked. */
  | { readonly state: 'unknown'; readonly file: string; readonly problems: readonly LockProblem[] }
  | { readonly state: 'drift'; readonly file: string; readonly drift: readonly Drift[]; readonly problems: readonly LockProblem[] };

/** Holds all that is served now against the lock. Starts every server. Throws when the configuration is bad. */
export async function lockState(options: CommonOptions, io: Io): Promise<LockState> {
  let early: LockState | undefined;
  let file = '';
  let before: Lock | undefined;
  const found = await collect(options, io, async (place) => {
    file = place.file;
    try {
      before = (await readLock(place))?.lock;
      early = { state: 'none', file };
    } catch (cause) {
      if (!(cause instanceof LockError)) throw cause;
      early = { state: 'unreadable', file, message: cause.message, action: cause.action };
    }
    return before?.scope;
  });
  if (found === undefined || before === undefined) return early ?? { state: 'none', file };
  const { lock, problems } = found;
  const drift = driftBetween(knowable(before, lock, new Set(problems.flatMap(({ server }) => server ?? []))), lock);
  if (drift.length > 0) return { state: 'drift', file, drift, problems };
  return problems.length > 0 ? { state: 'unknown', file, problems } : { state: 'good', file, lock };
}

/** Without what is not there of servers that could not be asked: nobody knows whether it is gone. */
function knowable(before: Lock, after: Lock, unreached: ReadonlySet<string>): Lock {
  const there = new Set([...after.skills.map(({ uri }) => uri), ...after.listings.map(({ kind, name }) => `${kind} ${name}`)]);
  return {
    ...before,
    skills: before.skills.filter(({ origin, uri }) => !unreached.has(origin) || there.has(uri)),
    listings: before.listings.filter(({ origin, kind, name }) => !unreached.has(origin) || there.has(`${kind} ${name}`)),
  };
}
