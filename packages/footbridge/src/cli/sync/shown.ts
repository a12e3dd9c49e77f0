/** How `footbridge sync` shows what it will do and what it did. */

import { printNotice } from '../failure.js';
import { shortName } from '../hosts/index.js';
import type { Io } from '../io.js';
import { plain, plural } from '../terminal.js';
import type { SyncOutcome, SyncPlace } from './apply.js';
import type { SyncChange } from './plan.js';

export interface FolderPlan {
  readonly place: SyncPlace;
  /** The chosen hosts that read it. */
  readonly hosts: readonly string[];
  readonly changes: readonly SyncChange[];
}

/** Whether there is something to write or to remove. */
export function isOpen({ action }: SyncChange): boolean {
  return action === 'create' || action === 'update' || action === 'remove';
}

const SIGNS = { create: '+', update: '~', remove: '-', current: ' ', refused: '!' } as const;

export function printPlans(plans: readonly FolderPlan[], isRemoval: boolean, io: Io): void {
  if (plans.every(({ changes }) => changes.length === 0)) {
    io.print(isRemoval ? 'Nothing here was written by sync.' : 'Nothing to write: the hosts read all of the skills themselves.');
    return;
  }
  for (const { changes, hosts, place } of plans) {
    io.print(
      `${io.colors.bold(plain(shortName(place.folder)))}${hosts.length === 0 ? '' : io.colors.dim(`  read by ${hosts.join(', ')}`)}`,
    );
    for (const change of changes) if (change.action !== 'current') io.print(`  ${SIGNS[change.action]} ${lineOf(change, io)}`);
    const current = changes.filter(({ action }) => action === 'current').length;
    if (current > 0) io.print(io.colors.dim(`    ${plural(current, 'skill')} up to date`));
  }
}

function lineOf(change: SyncChange, io: Io): string {
  if (!('skill' in change)) return `${change.name}${change.why === '' ? '' : io.colors.dim(`  ${plain(change.why)}`)}`;
  const { files, name, skill } = change;
  return `${name}${io.colors.dim(`  from ${plain(skill.origin)}, ${plural(files.length, 'file')}`)}`;
}

export function printOutcomes(outcomes: ReadonlyMap<SyncChange, SyncOutcome>, io: Io): void {
  if (outcomes.size === 0) return;
  let [written, removed] = [0, 0];
  for (const [{ action, name }, outcome] of outcomes) {
    if (!outcome.ok) printNotice('error', `${name}: ${plain(outcome.why)}`, io);
    else if (action === 'remove') removed++;
    else written++;
    if (outcome.ok && outcome.note !== undefined) io.print(`${name}: ${plain(outcome.note)}`);
  }
  const parts = [
    ...(written > 0 ? [`Wrote ${plural(written, 'skill')}`] : []),
    ...(removed > 0 ? [`Removed ${plural(removed, 'skill')}`] : []),
  ];
  if (parts.length > 0) io.print(`${parts.join('. ')}. Running hosts see the change after a restart.`);
}

export function jsonOf({ changes, hosts, place }: FolderPlan, outcomes: ReadonlyMap<SyncChange, SyncOutcome>) {
  return {
    folder: place.folder,
    ...(hosts.length === 0 ? {} : { hosts }),
    skills: changes.map((change) => {
      const outcome = outcomes.get(change);
      const failed = outcome?.ok === false ? outcome.why : undefined;
      const why = failed ?? ('why' in change ? change.why : '');
      const note = outcome?.ok === true ? outcome.note : undefined;
      return {
        name: change.name,
        action: failed === undefined ? change.action : 'refused',
        ...('skill' in change ? { origin: change.skill.origin } : {}),
        ...(why === '' ? {} : { reason: why }),
        note,
      };
    }),
  };
}
