/** `footbridge lock` and `footbridge verify`: record what is served, and compare it with the record. */
import { CommandError, failureFields, printFailure, printNotice } from '../failure.js';
import type { Io } from '../io.js';
import type { CommonOptions } from '../options.js';
import { bothValues } from '../surface/report.js';
import { grouped, plain, plural } from '../terminal.js';
import { type Collected, collect, type LockProblem } from './collect.js';
import { type Lock, LockError, lockText } from './document.js';
import { type Drift, driftBetween } from './drift.js';
import { readLock, writeLock } from './file.js';
import type { LockPlace } from './place.js';

type LockState =
  | { readonly state: 'none'; readonly file: string }
  /** Invalid, or written by a newer version. */
  | { readonly state: 'unreadable'; readonly file: string; readonly message: string; readonly action: string }
  | { readonly state: 'good'; readonly file: string; readonly lock: Lock }
  /** Something could not be compared; everything else matches. */
  | { readonly state: 'unknown'; readonly file: string; readonly problems: readonly LockProblem[] }
  | { readonly state: 'drift'; readonly file: string; readonly drift: readonly Drift[]; readonly problems: readonly LockProblem[] };

/** Starts every server. Throws if the configuration is invalid. */
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
  const { lock, problems, withoutPacks } = found;
  const unreached = new Set(problems.flatMap(({ server }) => server ?? []));
  const isUnknown = (origin: string) => unreached.has(origin) || (withoutPacks && !/^[.~/]/.test(origin));
  const drift = driftBetween(knowable(before, lock, isUnknown), lock);
  if (drift.length > 0) return { state: 'drift', file, drift, problems };
  return problems.length > 0 ? { state: 'unknown', file, problems } : { state: 'good', file, lock };
}

/** Without the missing entries of unreachable servers and packs, which may still exist. */
function knowable(before: Lock, after: Lock, isUnknown: (origin: string) => boolean): Lock {
  const there = new Set([...after.skills.map(({ uri }) => uri), ...after.listings.map(({ kind, name }) => `${kind} ${name}`)]);
  return {
    ...before,
    skills: before.skills.filter(({ origin, uri }) => !isUnknown(origin) || there.has(uri)),
    listings: before.listings.filter(({ origin, kind, name }) => !isUnknown(origin) || there.has(`${kind} ${name}`)),
  };
}

/** Returns 1 for differences, 2 for failures. */
export async function verify(options: CommonOptions, io: Io): Promise<number> {
  try {
    const state = await lockState(options, io);
    if (options.json === true) io.printJson(jsonOf(state));
    else printState(state, io);
    return state.state === 'good' ? 0 : state.state === 'drift' ? 1 : 2;
  } catch (error) {
    printFailure(error, options.json === true, io);
    return 2;
  }
}

function jsonOf(state: LockState) {
  if (state.state === 'none' || state.state === 'unreadable') return { ...state, ...failureFields(failureOf(state)) };
  if (state.state !== 'good') return state;
  const { lock, ...rest } = state;
  return { ...rest, scope: lock.scope, skills: lock.skills.length, listings: lock.listings.length };
}

function printState(state: LockState, io: Io): void {
  if (state.state === 'none' || state.state === 'unreadable') printFailure(failureOf(state), false, io);
  if (state.state === 'good') io.print(`Matches the lock: ${contentOf(state.lock)}`);
  if (state.state === 'drift') {
    printDrift(state.drift, io);
    io.print(`${countsOf(state.drift)} since ${plain(state.file)}.\nTo accept all of it, run: footbridge lock`);
  }
  if ('problems' in state) printProblems(state.problems, io);
  if (state.state === 'unknown') printNotice('warn', 'Everything that could be checked matches the lock.', io);
}

/** Why there is nothing to compare with. */
function failureOf(state: Extract<LockState, { readonly state: 'none' | 'unreadable' }>): CommandError {
  if (state.state === 'unreadable') return new CommandError('failed', plain(state.message), [state.action]);
  return new CommandError('not-found', `${plain(state.file)} not found.`, ['Create it with: footbridge lock']);
}

interface LockOptions extends CommonOptions {
  /** Leaves out skills outside the project. */
  readonly project?: boolean;
}

const NOTHING: Lock = { scope: 'all', skills: [], listings: [], sources: [] };

/** Writes a complete lock, or nothing and returns 1. */
export async function lock(options: LockOptions, io: Io): Promise<number> {
  const scope = options.project === true ? 'project' : 'all';
  let place: LockPlace | undefined;
  let before: Awaited<ReturnType<typeof readLock>>;
  const found = await collect(options, io, async (found) => {
    place = found;
    before = await previous(place, io);
    return scope;
  });
  return found === undefined || place === undefined ? 1 : finish(found, place, before, options, io);
}

function finish(
  { lock: next, problems }: Collected,
  place: LockPlace,
  before: Awaited<ReturnType<typeof readLock>>,
  { json }: LockOptions,
  io: Io,
): number {
  const { file } = place;
  if (problems.length > 0) {
    const incomplete = new CommandError('failed', 'Nothing was written, because a lock must be complete.');
    if (json === true) io.printJson({ file, written: false, problems, ...failureFields(incomplete) });
    else {
      printProblems(problems, io);
      printFailure(incomplete, false, io);
    }
    return 1;
  }
  const whole = { ...next, sources: before?.lock.sources ?? [] };
  const written = before?.text !== lockText(whole);
  if (written) writeLock(place, whole);
  const drift = driftBetween(before?.lock ?? NOTHING, next);
  const { scope, skills, listings } = next;
  if (json === true) {
    io.printJson({ file, written, scope, skills: skills.length, listings: listings.length, drift });
    return 0;
  }
  if (before !== undefined) {
    printDrift(drift, io);
    io.print(written ? countsOf(drift) : `No changes: ${plain(file)} is up to date.`);
  }
  if (written) io.print(`Locked ${contentOf(next)} in ${plain(file)}`);
  return 0;
}

/** An invalid lock is replaced with a warning; one of a newer version is not. */
async function previous(place: LockPlace, io: Io): Promise<Awaited<ReturnType<typeof readLock>>> {
  try {
    return await readLock(place);
  } catch (cause) {
    if (!(cause instanceof LockError) || cause.isNewer) throw cause;
    printNotice('warn', `${plain(cause.message)} It is replaced.`, io);
    return undefined;
  }
}

/** Grouped by skill or server, one difference per line. */
function printDrift(drift: readonly Drift[], io: Io): void {
  const { colors } = io;
  const paint = { added: colors.green, removed: colors.red, changed: colors.yellow, renamed: colors.yellow };
  let group: string | undefined;
  for (const each of drift) {
    if (each.group !== group) io.print(colors.bold(plain(each.group)));
    group = each.group;
    io.print(`  ${paint[each.change](each.change.padEnd(WIDTH))} ${whatOf(each, io)}`);
    if ('differences' in each)
      for (const place of each.differences) io.print(`  ${' '.repeat(WIDTH)}   ${plain(place.path)}: ${bothValues(place, io)}`);
  }
}

export function countsOf(drift: readonly Drift[]): string {
  const count = (change: Drift['change']) => drift.filter((each) => each.change === change).length;
  const renamed = count('renamed');
  return `${count('added')} added, ${count('changed')} changed, ${count('removed')} removed${renamed === 0 ? '' : `, ${renamed} renamed`}`;
}

function contentOf({ skills, listings }: Lock): string {
  const files = skills.reduce((sum, skill) => sum + skill.files.length, 0);
  const others = listings.length === 0 ? '' : ` and ${plural(listings.length, 'listing')} of servers and packs`;
  return `${plural(skills.length, 'skill')} with ${plural(files, 'file')}${others}`;
}

function printProblems(problems: readonly LockProblem[], io: Io): void {
  for (const { place, message, action } of problems) printNotice('warn', `${plain(place)}: ${plain(message)} ${plain(action)}`, io);
}

const WIDTH = 'changed'.length;

function whatOf(drift: Drift, io: Io): string {
  if (drift.kind === 'skill') return `skill ${plain(nameIn(drift.before))} → ${plain(nameIn(drift.after))}`;
  if ('name' in drift) return `${drift.kind} ${plain(drift.name)}`;
  if (drift.kind === 'file') return `${plain(drift.uri)}  ${io.colors.dim(sizeText(drift))}`;
  return `${drift.kind}: ${bothValues({ path: '', ...drift }, io)}`;
}

function sizeText(drift: Extract<Drift, { kind: 'file' }>): string {
  if (drift.change === 'added') return plural(drift.after.size, 'byte');
  if (drift.change === 'removed') return plural(drift.before.size, 'byte');
  const { before, after } = drift;
  return before.size === after.size
    ? `${plural(after.size, 'byte')}, content differs`
    : `${grouped(before.size)} → ${plural(after.size, 'byte')}`;
}

function nameIn(uri: string): string {
  return uri.replace(/^skill:\/\//, '');
}
