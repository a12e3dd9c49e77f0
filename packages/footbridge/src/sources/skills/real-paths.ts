/** Where paths really lead. */
import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { systemCode } from '../../errors.js';
import type { Notice } from '../source.js';
import { isInside, type SkillRoot } from './folders.js';
import { linkLeaves, linkLoops, missing, notAFolder, notReadable } from './notices.js';
import { LIMITS } from './rules.js';
import { sameStamp, stampOf } from './stamp.js';

/** The real path of a configured folder; a notice when it should be there and is not; undefined when it may be missing. */
function realFolder(root: SkillRoot): string | Notice | undefined {
  try {
    const real = realpathSync.native(root.path);
    return statSync(real).isDirectory() ? real : notAFolder(root);
  } catch (cause) {
    if (systemCode(cause) !== 'ENOENT' && systemCode(cause) !== 'ENOTDIR') return notReadable(root.label, cause);
    return root.named ? missing(root) : undefined;
  }
}

/** A configured folder, and how many folders without a skill are searched in it. */
interface FoundRoot {
  readonly root: SkillRoot;
  /** As of `realFolder`. */
  readonly real: string | Notice | undefined;
  readonly most: number;
}

export function findRoot(root: SkillRoot): FoundRoot {
  const { isConfined, label, path, project } = root;
  const real = realFolder(root);
  const most = Number.POSITIVE_INFINITY;
  if (typeof real !== 'string' || project === undefined || real === path) return { root, real, most };
  const around = followLink(project)?.real ?? project;
  if (isConfined === true && !isInside(around, real)) return { root, real: linkLeaves(label, 'the project'), most };
  // What contains the project may be the whole machine.
  if (real !== around && isInside(real, around)) return { root, real: linkLoops(label), most };
  return { root, real, most: isInside(around, real) ? most : LIMITS.outside };
}

/** Where a link leads in the end; undefined when nowhere we can see. */
export function followLink(path: string): { real: string; stats: Stats } | undefined {
  try {
    const real = realpathSync.native(path);
    return { real, stats: statSync(real) };
  } catch {
    return undefined;
  }
}

/** Whether a folder is the one it was, with nothing moved in or out of it. */
export function isStill(path: string, stats: Stats): boolean {
  try {
    return sameStamp(stampOf(stats), statSync(path));
  } catch {
    return false;
  }
}

/** What a path names, a link itself; undefined where that cannot be seen. */
export function statsOf(path: string): Stats | 'absent' | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? 'absent';
  } catch {
    return undefined;
  }
}
