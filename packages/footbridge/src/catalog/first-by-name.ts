/** The first skills of each location by their names, found without sorting all of them. */
import type { Skill } from '../sources/source.js';
import { atOnce } from '../turns.js';
import { skillEditsBetween } from './skill-edits.js';

/** The first by name, in order. */
export interface FirstByName {
  readonly project: readonly Skill[];
  readonly global: readonly Skill[];
}

/** How many skills to return: a number per location, or as many as fit into a number of characters. */
export interface Wanted {
  readonly most: number;
  readonly characters?: number;
}

/** The latest results, by the number of skills requested. */
const known = new Map<string, { readonly skills: WeakRef<readonly Skill[]>; readonly first: FirstByName }>();
const MAX_KNOWN = 16;
/** A longer name is never listed, so it takes no characters. */
const LONGEST_NAME = 128;

/** Skills between two steps. */
const STRIDE = 2048;

/** At least as many as requested, or all. Of two with the same name, the first in order comes first. */
export function firstByName(skills: readonly Skill[], wanted: Wanted): FirstByName {
  return atOnce(stepsToFirstByName(skills, wanted));
}

/** The same step by step; once it is known, the next call has it at once. */
export function* stepsToFirstByName(skills: readonly Skill[], wanted: Wanted): Generator<void, FirstByName> {
  const key = `${wanted.most} ${wanted.characters}`;
  const last = known.get(key);
  const before = last?.skills.deref();
  if (last !== undefined && before !== undefined && isSame(last.first, before, skills, wanted)) {
    known.set(key, { skills: new WeakRef(skills), first: last.first });
    return last.first;
  }
  const project = new Selection(wanted);
  const global = new Selection(wanted);
  for (let at = 0; at < skills.length; at++) {
    if (at % STRIDE === STRIDE - 1) yield;
    const skill = skills[at];
    if (skill !== undefined) (skill.location === 'project' ? project : global).add(skill);
  }
  const first = { project: project.skills, global: global.skills };
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, { skills: new WeakRef(skills), first });
  return first;
}

/** Whether what differs comes after the first ones. */
function isSame(first: FirstByName, before: readonly Skill[], skills: readonly Skill[], wanted: Wanted): boolean {
  if (before === skills) return true;
  const isAfter = ({ location, name }: Skill) => {
    const list = first[location];
    const last = list.at(-1);
    return last !== undefined && name > last.name && countWithin(list, wanted) !== undefined;
  };
  return skillEditsBetween(before, skills).every(({ added, removed }) => removed.every(isAfter) && added.every(isAfter));
}

/** How many of these satisfy the request; undefined if there are too few. */
function countWithin(skills: readonly Skill[], { characters = Number.POSITIVE_INFINITY, most }: Wanted): number | undefined {
  let left = characters;
  for (const [index, { name }] of skills.entries()) {
    left -= charactersOf(name);
    if (left <= 0 || index + 1 === most) return index + 1;
  }
  return undefined;
}

function charactersOf(name: string): number {
  return name.length > LONGEST_NAME ? 0 : name.length;
}

/** Keeps the smallest of the values it is given. */
class Selection {
  readonly #wanted: Wanted;
  #kept: Skill[] = [];
  #characters = 0;
  /** The name of the last one that counts, once there are enough. */
  #last: string | undefined;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
  }

  add(skill: Skill): void {
    if (this.#last !== undefined && skill.name >= this.#last) return;
    const { characters = Number.POSITIVE_INFINITY, most } = this.#wanted;
    this.#kept.push(skill);
    this.#characters += charactersOf(skill.name);
    if (this.#kept.length >= 2 * most || this.#characters >= 2 * characters + LONGEST_NAME) this.#cut();
  }

  get skills(): readonly Skill[] {
    this.#cut();
    return this.#kept;
  }

  #cut(): void {
    const sorted = sortedByName(this.#kept);
    const count = countWithin(sorted, this.#wanted);
    this.#kept = sorted.slice(0, count);
    this.#characters = this.#kept.reduce((sum, { name }) => sum + charactersOf(name), 0);
    if (count !== undefined) this.#last = this.#kept.at(-1)?.name;
  }
}

/** Folders are read in order, so there is seldom anything to sort. */
function sortedByName(skills: readonly Skill[]): readonly Skill[] {
  const isSorted = skills.every(({ name }, index) => index === 0 || (skills[index - 1]?.name ?? '') <= name);
  return isSorted ? skills : skills.toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
}
