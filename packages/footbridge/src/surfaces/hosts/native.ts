/** Skills that a host reads itself, from folders on the same machine. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readSyncRecord } from '../../sources/skills/synced.js';
import { SKILL_FILE, type Skill } from '../../sources/source.js';
import { perView } from './view.js';

const NONE: ReadonlySet<Skill> = new Set();

/** The skills of a snapshot that the host shows its model without us. */
export const nativeSkills = perView((snapshot, view): ReadonlySet<Skill> => {
  const folders = view.nativeFolders.flatMap((path) => namesIn(path));
  if (folders.length === 0) return NONE;
  const copies = copiesIn(folders, view.syncRecords);
  return new Set(snapshot.skills.filter((skill) => isNative(skill, folders) || copies.has(copyKey(skill))));
});

/** The skills that `footbridge sync` wrote into these folders, and that are still there. */
function copiesIn(folders: readonly NativeFolder[], records: string | undefined): ReadonlySet<string> {
  if (records === undefined) return new Set();
  return new Set(
    folders.flatMap(({ names, path }) => (readSyncRecord(records, path)?.skills ?? []).filter(({ name }) => names.has(name)).map(copyKey)),
  );
}

/** A copy stands for its original as long as a model learns the same of both. */
function copyKey({ description, identity, name }: Pick<Skill, 'description' | 'identity' | 'name'>): string {
  return JSON.stringify([identity, name, description]);
}

interface NativeFolder {
  readonly path: string;
  readonly names: ReadonlySet<string>;
}

function namesIn(path: string): readonly NativeFolder[] {
  try {
    return [{ path, names: new Set(readdirSync(path)) }];
  } catch {
    return [];
  }
}

/** A copy or a link in the host's folder counts, as long as it is the same skill. */
function isNative({ directory, size }: Skill, folders: readonly NativeFolder[]): boolean {
  if (directory === undefined) return false;
  const parent = dirname(directory);
  const name = basename(directory);
  return folders.some(
    ({ path, names }) =>
      names.has(name) && (path === parent || isSameFile(join(path, name, SKILL_FILE), join(directory, SKILL_FILE), size)),
  );
}

/** Read only where name and size agree. */
function isSameFile(theirs: string, ours: string, size: number | undefined): boolean {
  try {
    return statSync(theirs).size === size && readFileSync(theirs).equals(readFileSync(ours));
  } catch {
    return false;
  }
}
