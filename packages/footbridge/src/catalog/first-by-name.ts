/** The first skills of each location by their names, found without sorting all of them. */
import type { Skill } from '../sources/source.js';
import { editsBetween } from './edits.js';

/** The first by name, in order. */
export interface FirstByName {
  readonly project: readonly Skill[];
  readonly global: readonly Skill[];
}

/** The first of the skills that were asked for last, by how many were wanted. */
const known = new Map<number, { readonly skills: WeakRef<readonly Skill[]>; readonly first: FirstByName }>();
const MOST_KNOWN = 16;

/** At least `most` of each location, or all that there are. Of two with one name the first in order comes first. */
export function firstByName(skills: readonly Skill[], most: number): FirstByName {
  const last = known.get(most);
  const before = last?.skills.deref();
  if (last !== undefined && before !== undefined && isSame(last.first, before, skills, most)) {
    known.set(most, { skills: new WeakRef(skills), first: last.first });
    return last.first;
  }
  const project = new Selection(most);
  const global = new Selection(most);
  for (const skill of skills) (skill.location === 'project' ? project : global).add(skill);
  const first = { project: project.skills, global: global.skills };
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(most, { skills: new WeakRef(skills), first });
  return first;
}

/** Whether what differs comes after the first ones. */
function isSame(first: FirstByName, before: readonly Skill[], skills: readonly Skill[], most: number): boolean {
  if (before === skills) return true;
  const isAfter = ({ location, name }: Skill) => {
    const list = first[location];
    const last = list.at(-1);
    return list.length >= most && last !== undefined && name > last.name;
  };
  return editsBetween(before, skills).every(({ added, removed }) => removed.every(isAfter) && added.every(isAfter));
}

/** Keeps the least of what it is given. */
class Selection {
  readonly #most: number;
  #kept: Skill[] = [];
  /** The name of the last one that counts, once there are enough. */
  #last: string | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  add(skill: Skill): void {
    if (this.#last !== undefined && skill.name >= this.#last) return;
    this.#kept.push(skill);
    if (this.#kept.length >= 2 * this.#most) this.#cut();
  }

  get skills(): readonly Skill[] {
    this.#cut();
    return this.#kept;
  }

  #cut(): void {
    const sorted = sortedByName(this.#kept);
    this.#kept = sorted.slice(0, this.#most);
    if (this.#kept.length === this.#most) this.#last = this.#kept.at(-1)?.name;
  }
}

/** Folders are read in order, so there is seldom anything to sort. */
function sortedByName(skills: readonly Skill[]): readonly Skill[] {
  const isSorted = skills.every(({ name }, index) => index === 0 || (skills[index - 1]?.name ?? '') <= name);
  return isSorted ? skills : skills.toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
}
