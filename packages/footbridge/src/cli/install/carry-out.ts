/** Shows changes, asks, writes them and reports the result, for `install` and `uninstall`. */
import { dirname } from 'node:path';
import { type Consent, consent, refusalFields } from '../asking.js';
import { printNotice } from '../failure.js';
import { shortName } from '../hosts/index.js';
import type { Io } from '../io.js';
import type { FileChange } from './change.js';
import { fileName, printHostLines } from './host-lines.js';
import { showDifference, valuesGiven } from './shown.js';
import type { Written } from './write.js';

export interface CarryOutOptions {
  readonly dryRun?: boolean;
  /** Shows the lines that change. */
  readonly diff?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

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
    printHostLines(changes, io);
    io.print('');
    if (options.diff === true) await printDifferences(open, io);
    for (const note of notes) io.print(note);
  }
  const answer = open.length > 0 && options.dryRun !== true ? await agreement(open, options, io) : undefined;
  const outcomes = new Map<FileChange, Written>();
  if (answer?.given === true) for (const change of open) outcomes.set(change, await write(change));
  const isWritten = [...outcomes.values()].some(({ ok }) => ok);
  if (options.json === true)
    io.printJson({
      changes: changes.map((change) => described(change, outcomes.get(change))),
      written: isWritten,
      ...refusalFields(answer),
    });
  else report(open, outcomes, done, io);
  const isRefused = changes.some(({ reasons }) => reasons.length > 0) || [...outcomes.values()].some(({ ok }) => !ok);
  return isRefused || answer?.given === false ? 1 : 0;
}

function agreement(open: readonly FileChange[], options: CarryOutOptions, io: Io): Promise<Consent> {
  const differences = { letter: 'd', text: 'show the differences', act: () => printDifferences(open, io) };
  const other = options.diff === true ? undefined : differences;
  return consent(`Write ${open.length === 1 ? 'this change' : 'these changes'}?`, options, io, { other });
}

async function printDifferences(open: readonly FileChange[], io: Io): Promise<void> {
  for (const change of open) io.print(`${showDifference(change, await valuesGiven(change), io)}\n`);
}

function report(open: readonly FileChange[], outcomes: ReadonlyMap<FileChange, Written>, done: readonly string[], io: Io): void {
  const names: Record<'Wrote' | 'Removed', string[]> = { Wrote: [], Removed: [] };
  const backups = new Set<string>();
  for (const change of open) {
    const outcome = outcomes.get(change);
    if (outcome === undefined) continue;
    const name = fileName(change.places[0], io);
    if (!outcome.ok) printNotice('error', `${name}: ${outcome.reason}`, io);
    else {
      names[change.action === 'remove' ? 'Removed' : 'Wrote'].push(name);
      if (outcome.backup !== undefined && change.before !== undefined) backups.add(dirname(outcome.backup));
    }
  }
  for (const [word, files] of Object.entries(names)) if (files.length > 0) io.print(`${io.colors.green(word)} ${files.join(', ')}`);
  for (const folder of backups) io.print(`The originals are kept in ${shortName(folder)}.`);
  if (names.Wrote.length + names.Removed.length > 0) for (const line of done) io.print(line);
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
