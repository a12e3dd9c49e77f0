/** `footbridge lock`: writes down what is served, to hold it against later. */
import { type Collected, collect } from '../lock/collect.js';
import { type Lock, LockError, lockText } from '../lock/document.js';
import { driftBetween } from '../lock/drift.js';
import { readLock, writeLock } from '../lock/file.js';
import { complainOf, contentOf, countsOf, printDrift } from '../lock/report.js';
import type { CommonOptions } from '../options.js';
import { plain, print, printJson } from '../terminal.js';

export interface LockOptions extends CommonOptions {
  /** Whether the skills of the person at this machine are left out. */
  readonly project?: boolean;
}

const NOTHING: Lock = { scope: 'all', skills: [], listings: [] };

/** Writes a lock of all or, where something cannot be locked, none at all and exits 1. */
export async function lock(options: LockOptions): Promise<number> {
  const scope = options.project === true ? 'project' : 'all';
  try {
    let file = '';
    let before: Awaited<ReturnType<typeof readLock>>;
    const found = await collect(options, async (place) => {
      file = place.file;
      before = await previous(file);
      return scope;
    });
    return found === undefined ? 1 : finish(found, file, before, options);
  } catch (error) {
    if (!(error instanceof LockError)) throw error;
    process.stderr.write(`${plain(error.message)}\n${error.action}\n`);
    return 1;
  }
}

function finish(
  { lock: next, problems }: Collected,
  file: string,
  before: Awaited<ReturnType<typeof readLock>>,
  { json }: LockOptions,
): number {
  if (problems.length > 0) {
    if (json === true) printJson({ file, written: false, problems });
    complainOf(problems);
    process.stderr.write('Nothing is written, since a lock has to be complete.\n');
    return 1;
  }
  const written = before?.text !== lockText(next);
  if (written) writeLock(file, next);
  const drift = driftBetween(before?.lock ?? NOTHING, next);
  const { scope, skills, listings } = next;
  if (json === true) {
    printJson({ file, written, scope, skills: skills.length, listings: listings.length, drift });
    return 0;
  }
  if (before !== undefined) {
    printDrift(drift);
    print(written ? countsOf(drift) : `Nothing has changed: ${plain(file)} is left as it is.`);
  }
  if (written) print(`Locked ${contentOf(next)} in ${plain(file)}`);
  return 0;
}

/** A lock that is broken is replaced, and that is told; one of a newer program is not. */
async function previous(file: string): Promise<Awaited<ReturnType<typeof readLock>>> {
  try {
    return await readLock(file);
  } catch (cause) {
    if (!(cause instanceof LockError) || cause.isNewer) throw cause;
    process.stderr.write(`${plain(cause.message)} It is written anew.\n`);
    return undefined;
  }
}
