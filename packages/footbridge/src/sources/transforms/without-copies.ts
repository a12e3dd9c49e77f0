/** Leaves out copies that `footbridge sync` wrote: the originals are served. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { digestOf } from '../skills/digest.js';
import { readSyncRecord, type SyncedSkill } from '../skills/synced.js';
import { SKILL_FILE, type Skill } from '../source.js';
import { mapSource, type Transform } from './index.js';

/** `records` is the folder of the records. A copy that the user has edited is served. */
export function withoutCopies(records: string): Transform {
  return (source) =>
    mapSource(source, (whole) => {
      const { skills = [] } = whole;
      if (skills.length === 0 || !existsSync(records)) return whole;
      const written = new Map<string, ReadonlyMap<string, SyncedSkill>>();
      const others = skills.filter((skill) => !isCopy(skill, written, records));
      return others.length === skills.length ? whole : { ...whole, skills: others };
    });
}

function isCopy({ directory, size }: Skill, written: Map<string, ReadonlyMap<string, SyncedSkill>>, records: string): boolean {
  if (directory === undefined) return false;
  const parent = dirname(directory);
  let inParent = written.get(parent);
  if (inParent === undefined) {
    inParent = new Map(readSyncRecord(records, parent)?.skills.map((skill) => [skill.name, skill]));
    written.set(parent, inParent);
  }
  const copy = inParent.get(basename(directory));
  if (copy === undefined) return false;
  return [...copy.files, ...(copy.previous ?? [])].some(
    (file) => file.path === SKILL_FILE && file.size === size && hasDigest(join(directory, SKILL_FILE), file),
  );
}

function hasDigest(file: string, { digest, size }: { readonly digest: string; readonly size: number }): boolean {
  try {
    return statSync(file).size === size && digestOf(readFileSync(file)) === digest;
  } catch {
    return false;
  }
}
