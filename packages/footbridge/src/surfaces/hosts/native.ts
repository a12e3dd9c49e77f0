/** Skills that a host reads itself, from folders on the same machine. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SKILL_FILE, type Skill } from '../../sources/source.js';
import { perView } from './view.js';

const NONE: ReadonlySet<Skill> = new Set();

/** The skills of a snapshot that the host shows its model without us. */
export const nativeSkills = perView((snapshot, view): ReadonlySet<Skill> => {
  const folders = view.nativeFolders.flatMap((path) => namesIn(path));
  return folders.length === 0 ? NONE : new Set(snapshot.skills.filter((skill) => isNative(skill, folders)));
});

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
