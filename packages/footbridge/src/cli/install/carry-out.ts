/** Shows changes, asks, writes them and reports the result, for `install` and `uninstall`. */
import { ask, canAsk } from '../asking.js';
import { shortName } from '../hosts/index.js';
import type { Io } from '../io.js';
import type { FileChange } from './change.js';
import { showChange, valuesGiven } from './shown.js';
import type { Written } from './write.js';

export interface CarryOutOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const NEEDS_YES = 'Nothing was written. Review the changes, then run the command again with --yes.';

/** Prints `notes` before the question and `done` after writing. Returns the exit code. */
export async function carryOut(
  changes: readonly FileChange[],
  options: CarryOutOptions,
  { done, notes }: { readonly notes: readonly string[]; readonly done: readonly string[] },
  write: (change: FileChange) => Promise<Written>,
  io: Io,
): Promise<number> {
  const open = changes.filter(({ action }) => action === 'create' || action === 'change' || action === 'remove');
  if (options.json !== true) {
    for (const change of changes) io.print(`${showChange(change, await valuesGiven(change), io)}\n`);
    for (const note of notes) io.print(note);
  }
  const isAgreed =
    open.length > 0 &&
    options.dryRun !== true &&
    (options.yes === true || (options.json !== true && canAsk(io) && (await ask('Write these changes?', io))));
  const outcomes = new Map<FileChange, Written>();
  if (isAgreed) for (const change of open) outcomes.set(change, await write(change));
  const isWritten = [...outcomes.values()].some(({ ok }) => ok);
  if (options.json === true)
    io.printJson({ changes: changes.map((change) => described(change, outcomes.get(change))), written: isWritten });
  else report(open, outcomes, done, io);
  const isRefused = changes.some(({ reasons }) => reasons.length > 0) || [...outcomes.values()].some(({ ok }) => !ok);
  if (open.length > 0 && !isAgreed && options.dryRun !== true) {
    io.printError(canAsk(io) && options.json !== true ? 'Nothing was written.' : NEEDS_YES);
    return 1;
  }
  return isRefused ? 1 : 0;
}

function report(open: readonly FileChange[], outcomes: ReadonlyMap<FileChange, Written>, done: readonly string[], io: Io): void {
  let written = 0;
  for (const change of open) {
    const outcome = outcomes.get(change);
    if (outcome === undefined) continue;
    const name = shortName(change.places[0].file);
    if (!outcome.ok) io.printError(`${name}: ${outcome.reason}`);
    else {
      written++;
      const backup = outcome.backup === undefined ? '' : `; backup in ${shortName(outcome.backup)}`;
      io.print(`${io.colors.green(change.action === 'remove' ? 'Removed' : 'Written')} ${name}${backup}`);
    }
  }
  if (written > 0) for (const line of done) io.print(line);
}

function described({ action, notes, places: [first, ...others], reasons, wrapped }: FileChange, outcome: Written | undefined) {
  const failed = outcome?.ok === false ? [outcome.reason] : [];
  const why = [...reasons, ...failed, ...notes];
  return {
    host: first.host.id,
    ...(others.length === 0 ? {} : { sharedWith: others.map(({ host }) => host.id) }),
    scope: first.scope,
    file: first.file,
    action: failed.length > 0 ? 'refused' : action,
    ...(why.length === 0 ? {} : { reason: why.join(' ') }),
    wrapped: Object.keys(wrapped),
    ...(outcome?.ok === true && outcome.backup !== undefined ? { backup: outcome.backup } : {}),
  };
}
