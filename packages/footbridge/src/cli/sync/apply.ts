/** Applies the plan for one folder, and updates its record. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf, systemCode } from '../../errors.js';
import { makeFolders } from '../../private-folder.js';
import { readSyncRecord, type SyncedSkill, type SyncRecord, syncRecordFile } from '../../sources/skills/synced.js';
import { writePrivate } from '../../state/index.js';
import { withLock } from '../../state/lock-file.js';
import { VERSION } from '../../version.js';
import { SyncRefusal, verifiedBytes } from './content.js';
import { recover, removeCopy, removeEmpty, writeCopy } from './copy.js';
import { beforeOf, type PlannedFolder, type SyncChange, type SyncWrite } from './plan.js';
import type { SyncScope } from './targets.js';

/** Why a change was not made, or what was left in place; undefined if it was made completely. */
export type SyncOutcome = { readonly ok: true; readonly note?: string } | { readonly ok: false; readonly why: string };

export interface SyncPlace extends PlannedFolder {
  readonly scope: SyncScope;
  /** The working folder. */
  readonly project: string;
}

const LOCK_TIMEOUT_MS = 10_000;

/** Runs `work` while no other process writes to the folder. */
export function aloneIn<T>(records: string, folder: string, work: () => Promise<T>): Promise<T> {
  return withLock(`${syncRecordFile(records, folder)}.lock`, LOCK_TIMEOUT_MS, work);
}

/** The record is written first, so that a server never takes a copy for a skill of its own. */
export async function applyChanges(
  place: SyncPlace,
  changes: readonly SyncChange[],
  records: string,
): Promise<ReadonlyMap<SyncChange, SyncOutcome>> {
  const { folder } = place;
  const writes = changes.filter(isWrite);
  const created = writes.length > 0 ? makeFolders(folder) : [];
  const before = readSyncRecord(records, folder);
  const skills = new Map(before?.skills.map((skill) => [skill.name, skill]));
  for (const change of writes) skills.set(change.name, writtenOf(change, skills.get(change.name), place));
  const record = {
    folder,
    scope: place.scope,
    project: before?.project ?? place.project,
    created: [...(before?.created ?? []), ...created],
  };
  await save({ ...record, skills: [...skills.values()] }, records);
  if (existsSync(folder)) recover(folder);
  const outcomes = new Map<SyncChange, SyncOutcome>();
  for (const change of changes) {
    const known = before?.skills.find(({ name }) => name === change.name);
    const outcome = await outcomeOf(change, folder, known);
    if (outcome === undefined) continue;
    outcomes.set(change, outcome);
    const next = skills.get(change.name);
    if (change.action === 'remove' ? outcome.ok : !outcome.ok && known === undefined) skills.delete(change.name);
    else if (!outcome.ok && known !== undefined) skills.set(change.name, known);
    else if (next !== undefined) skills.set(change.name, settled(next));
  }
  await save({ ...record, skills: [...skills.values()] }, records);
  return outcomes;
}

function isWrite(change: SyncChange): change is SyncWrite {
  return change.action === 'create' || change.action === 'update';
}

function writtenOf(change: SyncWrite, known: SyncedSkill | undefined, { project }: SyncPlace): SyncedSkill {
  const { files, name, skill } = change;
  const { description, identity, origin } = skill;
  return { name, description, identity, origin, project, files, previous: known?.files };
}

function settled({ previous: _, ...skill }: SyncedSkill): SyncedSkill {
  return skill;
}

/** Undefined if there was nothing to do. */
async function outcomeOf(change: SyncChange, folder: string, known: SyncedSkill | undefined): Promise<SyncOutcome | undefined> {
  try {
    if (change.action === 'remove') {
      const left = known === undefined ? [] : await removeCopy(folder, change.name, beforeOf(join(folder, change.name), known));
      return { ok: true, ...(left.length === 0 ? {} : { note: `Files that you added stay: ${left.join(', ')}` }) };
    }
    if (!isWrite(change)) return undefined;
    const before = known === undefined ? undefined : beforeOf(join(folder, change.name), known);
    await writeCopy(folder, change.name, before, change.files, (file) => verifiedBytes(change.skill, file));
    return { ok: true };
  } catch (cause) {
    const code = systemCode(cause);
    return { ok: false, why: cause instanceof SyncRefusal || code === undefined ? reasonOf(cause) : `It cannot be written (${code}).` };
  }
}

/** Without skills there is nothing to remember, and folders that were created for them are removed, if they are empty. */
async function save(record: SyncRecord, records: string): Promise<void> {
  const file = syncRecordFile(records, record.folder);
  if (record.skills.length > 0) {
    await writePrivate(file, `${JSON.stringify({ format: 1, footbridge: VERSION, ...record })}\n`);
    return;
  }
  rmSync(file, { force: true });
  for (const each of record.created) removeEmpty(each);
}
