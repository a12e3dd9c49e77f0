/** Assigns folders in a tree to skills. On no system is the folder of a skill that of another, or inside one. */
import { LIMITS } from '../skills/rules.js';
import { FetchError } from './fetch-error.js';
import { checkPath, collisionKey } from './paths.js';
import type { FoundSkill, UnusableSkill } from './tree.js';

/** Folders that are taken. */
export class FolderClaims {
  readonly #taken = new Set<string>();
  readonly #around = new Set<string>();

  /** Claims the folder. False if it is taken, inside a taken one, or contains one. */
  claim(folder: string): boolean {
    const names = folder.split('/').map(collisionKey);
    const [first = ''] = names;
    // Most are at the top.
    if (names.length === 1) return !this.#taken.has(first) && !this.#around.has(first) && this.#taken.add(first).size > 0;
    const around = names.slice(0, -1).map((_, index) => names.slice(0, index + 1).join('/'));
    const key = names.join('/');
    if (this.#taken.has(key) || this.#around.has(key) || around.some((each) => this.#taken.has(each))) return false;
    this.#taken.add(key);
    for (const each of around) this.#around.add(each);
    return true;
  }
}

export interface PlacedSkills {
  readonly skills: readonly FoundSkill[];
  readonly unusable: readonly UnusableSkill[];
}

/**
 * Skills with the same name are distinguished by the folders that they are in. The result does not depend on the order in which
 * they were found.
 */
export function placeSkills(found: readonly FoundSkill[]): PlacedSkills {
  const ordered = [...found].sort((one, other) => (one.path < other.path ? -1 : 1));
  const count = new Map<string, number>();
  for (const { folder } of ordered) count.set(collisionKey(folder), (count.get(collisionKey(folder)) ?? 0) + 1);
  const isAlone = ({ folder }: FoundSkill) => count.get(collisionKey(folder)) === 1;
  const claims = new FolderClaims();
  const places = new Map<FoundSkill, string>();
  const unusable: UnusableSkill[] = [];
  for (const skill of [...ordered.filter(isAlone), ...ordered.filter((each) => !isAlone(each))]) {
    const tried = candidates(skill, isAlone(skill)).map((folder) => ({ folder, problem: folderProblem(folder) }));
    const place = tried.find(({ folder, problem }) => problem === undefined && claims.claim(folder));
    if (place !== undefined) places.set(skill, place.folder);
    else unusable.push({ path: skill.path, reason: tried.find(({ problem }) => problem !== undefined)?.problem ?? TAKEN });
  }
  return { skills: ordered.flatMap((skill) => inPlace(skill, places.get(skill))), unusable };
}

const TAKEN = 'Its folder is that of another skill on systems that ignore case or accents.';

function inPlace(skill: FoundSkill, folder: string | undefined): readonly FoundSkill[] {
  if (folder === undefined) return [];
  return [folder === skill.folder ? skill : { ...skill, folder }];
}

/** The last segment is always the folder itself: hosts compare it with the name of the skill. */
function candidates({ folder, path }: FoundSkill, isAlone: boolean): readonly string[] {
  const above = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  return [...(isAlone ? [folder] : []), above === '' ? folder : `${above}/${folder}`, `${path}/${folder}`];
}

/** Why it cannot be the name of a folder in a tree. */
export function folderProblem(folder: string): string | undefined {
  try {
    checkPath(folder);
    return folder.split('/').length > LIMITS.depth ? 'Its folder is nested too deeply.' : undefined;
  } catch (cause) {
    if (cause instanceof FetchError) return cause.message;
    throw cause;
  }
}
