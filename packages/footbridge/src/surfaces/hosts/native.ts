/** Skills that a host reads itself, from folders on the same machine. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { readSyncRecord } from '../../sources/skills/synced.js';
import { SKILL_FILE, type Skill } from '../../sources/source.js';
import { perView } from './view.js';

const NONE: ReadonlyMap<Skill, string> = new Map();

/** The skills of a snapshot that the host shows its model without us, and the folder that it reads each from. */
export const nativeSkills = perView((snapshot, view): ReadonlyMap<Skill, string> => {
  const folders = view.nativeFolders.flatMap((path) => namesIn(path));
  if (folders.length === 0) return NONE;
  const copies = copiesIn(folders, view.syncRecords);
  return new Map(
    snapshot.skills.flatMap((skill): readonly [Skill, string][] => {
      // Many hosts skip a skill that breaks the standard, and one that is listed twice does less harm than one that is lost.
      if (!skill.conforms || skill.isRepaired === true) return [];
      const folder = folderOf(skill, folders, view.profile.skillDepth) ?? copies.get(copyKey(skill));
      return folder === undefined ? [] : [[skill, folder]];
    }),
  );
});

/** The skills that `footbridge sync` wrote into these folders, and that are still there. */
function copiesIn(folders: readonly NativeFolder[], records: string | undefined): ReadonlyMap<string, string> {
  if (records === undefined) return new Map();
  return new Map(
    folders.flatMap(({ names, path }) =>
      (readSyncRecord(records, path)?.skills ?? []).filter(({ name }) => names.has(name)).map((copy) => [copyKey(copy), path] as const),
    ),
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

/** The folder with this skill. A copy or a link in the host's folder counts, as long as it is the same skill. */
function folderOf({ directory, size }: Skill, folders: readonly NativeFolder[], depth: number): string | undefined {
  if (directory === undefined) return undefined;
  const name = basename(directory);
  const found =
    folders.find((folder) => isInside(directory, folder, depth)) ??
    folders.find(({ names, path }) => names.has(name) && isSameFile(join(path, name, SKILL_FILE), join(directory, SKILL_FILE), size));
  return found?.path;
}

function isInside(directory: string, { names, path }: NativeFolder, depth: number): boolean {
  if (!directory.startsWith(path + sep)) return false;
  const segments = relative(path, directory).split(sep);
  return segments.length <= depth && names.has(segments[0] ?? '');
}

/** Read only where name and size agree. */
function isSameFile(theirs: string, ours: string, size: number | undefined): boolean {
  try {
    return statSync(theirs).size === size && readFileSync(theirs).equals(readFileSync(ours));
  } catch {
    return false;
  }
}
