/** What `footbridge sync` would do in one folder. */
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SyncedSkill, SyncRecord } from '../../sources/skills/synced.js';
import type { Skill, SkillDigest } from '../../sources/source.js';
import { editedText, inspectCopy } from './copy.js';

/** What happens to one skill in one folder. */
export type SyncChange =
  | SyncWrite
  | { readonly action: 'current'; readonly name: string; readonly skill: Skill; readonly files: readonly SkillDigest[] }
  | { readonly action: 'remove'; readonly name: string; readonly why: string }
  | { readonly action: 'refused'; readonly name: string; readonly why: string };

export interface SyncWrite {
  readonly action: 'create' | 'update';
  readonly name: string;
  readonly skill: Skill;
  readonly files: readonly SkillDigest[];
}

/** A skill that was selected, with its digests; or why it cannot be written. */
export interface SelectedSkill {
  readonly skill: Skill;
  readonly files: readonly SkillDigest[] | undefined;
  readonly why?: string;
}

/** `folder` is without links. */
export interface PlannedFolder {
  readonly folder: string;
  readonly record: SyncRecord | undefined;
}

export function planWrites({ folder, record }: PlannedFolder, selected: readonly SelectedSkill[]): readonly SyncChange[] {
  const written = new Map(record?.skills.map((skill) => [skill.name, skill]));
  const taken = new Map<string, Skill>();
  const changes: SyncChange[] = [];
  for (const { files, skill, why } of selected) {
    const { name } = skill;
    const first = taken.get(name);
    if (isIn(folder, skill)) {
      // A copy that was edited is served as a skill of its own.
      const own = written.get(name);
      if (own !== undefined) changes.push({ action: 'refused', name, why: editedText(editsOf(join(folder, name), own)) });
      continue;
    }
    if (files === undefined) changes.push({ action: 'refused', name, why: why ?? '' });
    else if (first !== undefined) changes.push({ action: 'refused', name, why: `The skill from ${first.origin} has the same name.` });
    else {
      taken.set(name, skill);
      changes.push(planWrite(join(folder, name), written.get(name), skill, files));
    }
  }
  return changes;
}

/** Whether the folder has the skill itself, so that there is nothing to copy. */
function isIn(folder: string, { directory }: Skill): boolean {
  if (directory === undefined) return false;
  try {
    return realpathSync(dirname(directory)) === folder;
  } catch {
    return false;
  }
}

function planWrite(place: string, written: SyncedSkill | undefined, skill: Skill, files: readonly SkillDigest[]): SyncChange {
  const { name } = skill;
  const current = inspectCopy(place, files);
  if (!current.exists) return { action: 'create', name, skill, files };
  if (written === undefined) {
    const isSame = current.edited.length + current.missing.length === 0;
    const whose = isSame ? 'The same skill is there already' : 'Another skill is there already';
    return { action: 'refused', name, why: `${whose}, and was not written by sync, so it is left unchanged.` };
  }
  const edited = editsOf(place, written);
  if (edited.length > 0) return { action: 'refused', name, why: editedText(edited) };
  const isCurrent = current.edited.length + current.missing.length === 0 && isSameList(written.files, files);
  return isCurrent ? { action: 'current', name, skill, files } : { action: 'update', name, skill, files };
}

/** An interrupted run leaves either the new files or the old ones. */
export function beforeOf(place: string, { files, previous }: SyncedSkill): readonly SkillDigest[] {
  return previous !== undefined && inspectCopy(place, files).edited.length > 0 ? previous : files;
}

function editsOf(place: string, written: SyncedSkill): readonly string[] {
  return inspectCopy(place, beforeOf(place, written)).edited;
}

function isSameList(one: readonly SkillDigest[], other: readonly SkillDigest[]): boolean {
  const digests = new Map(one.map(({ digest, path }) => [path, digest]));
  return one.length === other.length && other.every(({ digest, path }) => digests.get(path) === digest);
}

export function planRemoval(
  { folder, record }: PlannedFolder,
  isRemoved: (skill: SyncedSkill) => boolean,
  why: string,
): readonly SyncChange[] {
  return (record?.skills ?? []).filter(isRemoved).map((skill) => {
    const edited = editsOf(join(folder, skill.name), skill);
    return edited.length > 0
      ? { action: 'refused', name: skill.name, why: editedText(edited) }
      : { action: 'remove', name: skill.name, why };
  });
}
