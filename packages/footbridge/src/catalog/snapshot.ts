/** What there is at one moment: immutable, replaced whole. */
import type { Contribution, Notice, Skill } from '../sources/source.js';
import { nameKey, pathKey } from './skill-uri.js';

/** A skill that is not served because one before it claims its place. */
export interface ShadowedSkill {
  readonly skill: Skill;
  readonly by: Skill;
}

export class Snapshot {
  #byName: ReadonlyMap<string, Skill> | undefined;

  constructor(
    /** The skills that are served, in order of priority. */
    readonly skills: readonly Skill[],
    readonly shadowed: readonly ShadowedSkill[],
    readonly notices: readonly Notice[],
    /** By folders and name, in lower case, `/`-separated. */
    readonly byPath: ReadonlyMap<string, Skill>,
    /** Whether any skill lies in a group, so that several may share a bare name. */
    readonly grouped: boolean,
  ) {}

  /** By bare and by qualified name, in lower case. */
  get byName(): ReadonlyMap<string, Skill> {
    // Without groups a skill's path is its name.
    this.#byName ??= this.grouped ? indexNames(this.skills) : this.byPath;
    return this.#byName;
  }
}

export const EMPTY = new Snapshot([], [], [], new Map(), false);

/** One snapshot of all contributions, those of the first source first. */
export function buildSnapshot(contributions: readonly Contribution[]): Snapshot {
  const skills: Skill[] = [];
  const shadowed: ShadowedSkill[] = [];
  const byPath = new Map<string, Skill>();
  const enclosing = new Map<string, Skill>();
  for (const { skills: contributed } of contributions) {
    for (const skill of contributed) {
      const above = ancestors(skill.group);
      const name = nameKey(skill.name);
      const path = above.length === 0 ? name : `${above.at(-1)}/${name}`;
      const owner = byPath.get(path) ?? enclosing.get(path) ?? firstOf(above, byPath);
      if (owner !== undefined) {
        // The same thing reached twice is not in its own way.
        if (owner.identity !== skill.identity) shadowed.push({ skill, by: owner });
        continue;
      }
      skills.push(skill);
      byPath.set(path, skill);
      for (const folder of above) setFirst(enclosing, folder, skill);
    }
  }
  const notices = contributions.flatMap((contribution) => contribution.notices);
  return new Snapshot(skills, shadowed, notices, byPath, enclosing.size > 0);
}

/** Bare and qualified names by priority: neither kind takes away what a skill before it was given. */
function indexNames(skills: readonly Skill[]): ReadonlyMap<string, Skill> {
  const byName = new Map<string, Skill>();
  for (const skill of skills) {
    setFirst(byName, nameKey(skill.name), skill);
    if (skill.group.length > 0) setFirst(byName, nameKey(qualifiedName(skill)), skill);
  }
  for (const skill of skills) if (!isNamed(byName, skill)) byName.set(nameKey(freeAlias(byName, skill)), skill);
  return byName;
}

function isNamed(byName: ReadonlyMap<string, Skill>, skill: Skill): boolean {
  return byName.get(nameKey(skill.name)) === skill || byName.get(nameKey(qualifiedName(skill))) === skill;
}

/** A name for a skill whose own names all belong to others: with where it comes from in front, `team-skills:pdf`. */
function freeAlias(byName: ReadonlyMap<string, Skill>, skill: Skill): string {
  const place = skill.origin.split(/[/\\]/).findLast((part) => !['', '.', '..', '~', 'skills'].includes(part)) ?? skill.location;
  const prefix = place.replace(/^\.+/, '');
  for (let count = 1; ; count++) {
    const alias = `${prefix}${count === 1 ? '' : `-${count}`}:${qualifiedName(skill)}`;
    const owner = byName.get(nameKey(alias));
    if (owner === undefined || owner === skill) return alias;
  }
}

function setFirst(map: Map<string, Skill>, key: string, skill: Skill): void {
  if (!map.has(key)) map.set(key, skill);
}

/** The paths of the folders a skill lies in, outermost first: a skill there would claim this one's files as its own. */
function ancestors(group: readonly string[]): readonly string[] {
  return group.length === 0 ? NONE : group.map((_, index) => pathKey(group.slice(0, index + 1)));
}

const NONE: readonly string[] = [];

function firstOf(paths: readonly string[], byPath: ReadonlyMap<string, Skill>): Skill | undefined {
  for (const path of paths) {
    const skill = byPath.get(path);
    if (skill !== undefined) return skill;
  }
  return undefined;
}

/** The skill's name with the folders it lies in: `office:pdf`. */
export function qualifiedName(skill: Pick<Skill, 'group' | 'name'>): string {
  return [...skill.group, skill.name].join(':');
}

/** The shortest name that leads to this skill in this snapshot, and to no other. */
export function callName({ byName }: Snapshot, skill: Skill): string {
  if (byName.get(nameKey(skill.name)) === skill) return skill.name;
  return byName.get(nameKey(qualifiedName(skill))) === skill ? qualifiedName(skill) : freeAlias(byName, skill);
}
