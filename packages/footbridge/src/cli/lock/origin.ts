/** Where a skill comes from, said in a way that is the same on every machine. */
import { realpathSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { isInside } from '../../sources/skills/folders.js';
import type { Skill } from '../../sources/source.js';
import type { LockPlace } from './file.js';

/** As `origin` says it; a folder as seen from that of the lock. */
export function lockedOrigin(skill: Skill, { folder, cwd }: Pick<LockPlace, 'folder' | 'cwd'>): string {
  const root = folderOf(skill, cwd);
  return root === undefined || skill.origin.startsWith('~/') ? skill.origin : standingOf(root, folder).way;
}

/** Whether a skill belongs to the person at this machine and not to the project in the folder of the lock. */
export function isPersonal(skill: Skill, { folder, cwd }: Pick<LockPlace, 'folder' | 'cwd'>): boolean {
  const root = folderOf(skill, cwd);
  return root !== undefined && (skill.origin.startsWith('~/') || !standingOf(root, folder).isWithin);
}

/** The folder that a person named, or one of the standard ones; undefined for the skills of packs and servers. */
function folderOf({ directory, origin }: Skill, cwd: string): string | undefined {
  if (directory === undefined) return undefined;
  if (origin.startsWith('~/')) return origin;
  const root = resolve(cwd, origin);
  return directory === root || directory.startsWith(root.endsWith(sep) ? root : `${root}${sep}`) ? root : undefined;
}

/** How a folder of skills lies to that of the lock. */
interface Standing {
  readonly way: string;
  readonly isWithin: boolean;
}

/** Many skills come from few folders. */
const known = new Map<string, Standing>();

function standingOf(root: string, folder: string): Standing {
  const key = JSON.stringify([root, folder]);
  const standing = known.get(key) ?? standingBetween(real(root), real(folder));
  known.set(key, standing);
  return standing;
}

function standingBetween(root: string, folder: string): Standing {
  const way = relative(folder, root).split(sep).join('/');
  return { way: way === '' ? '.' : way.startsWith('..') ? way : `./${way}`, isWithin: isInside(folder, root) };
}

/** Without links, so that it is the same by whatever way it was reached. */
function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
