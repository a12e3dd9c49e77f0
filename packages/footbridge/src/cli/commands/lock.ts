/** `footbridge lock`: writes down what is served, to hold it against later. */

import type { Io } from '../io.js';
import { type Collected, collect } from '../lock/collect.js';
import { type Lock, LockError, lockText } from '../lock/document.js';
import { driftBetween } from '../lock/drift.js';
import { type LockPlace, readLock, writeLock } from '../lock/file.js';
import { contentOf, countsOf, printDrift, printProblems } from '../lock/report.js';
import type { CommonOptions } from '../options.js';
import { plain } from '../terminal.js';

export interface LockOptions extends CommonOptions {
  /** Whether the skills of the person at this machine are left out. */
  readonly project?: boolean;
}

const NOTHING: Lock = { scope: 'all', skills: [], listings: [] };

/** Writes a lock of all or, where something cannot be locked, none at all and exits 1. */
export async function lock(options: LockOptions, io: Io): Promise<number> {
  const scope = options.project === true ? 'project' : 'all';
  try {
    let place: LockPlace | undefined;
    let before: Awaited<ReturnType<typeof readLock>>;
    const found = await collect(options, io, async (found) => {
      place = found;
      before = await previous(place, io);
      return scope;
    });
    return found === undefined || place === undefined ? 1 : finish(found, place, before, options, io);
  } catch (error) {
    if (!(error instanceof LockError)) throw error;
    io.printError(`${plain(error.message)}\n${error.action}`);
    return 1;
  }
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
    if (json === true) io.printJson({ file, written: false, problems });
    printProblems(problems, io);
    io.printError('Nothing was written, because a lock must be complete.');
    return 1;
  }
  const written = before?.text !== lockText(next);
  if (written) writeLock(place, next);
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

/** A lock that is broken is replaced, and that is told; one of a newer program is not. */
async function previous(place: LockPlace, io: Io): Promise<Awaited<ReturnType<typeof readLock>>> {
  try {
    return await readLock(place);
  } catch (cause) {
    if (!(cause instanceof LockError) || cause.isNewer) throw cause;
    io.printError(`${plain(cause.message)} It is replaced.`);
    return undefined;
  }
}
