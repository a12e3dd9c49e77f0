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
        // Installers link one copy into several folders: that is one skill, not two.
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

function indexNames(skills: readonly Skill[]): ReadonlyMap<string, Skill> {
  const byName = new Map<string, Skill>();
  for (const skill of skills) setFirst(byName, nameKey(skill.name), skill);
  // After the bare names, which a qualified one never takes away.
  for (const skill of skills) if (skill.group.length > 0) setFirst(byName, nameKey(qualifiedName(skill)), skill);
  return byName;
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

/** The shortest name that leads to this skill in this snapshot. */
export function callName(snapshot: Snapshot, skill: Skill): string {
  return snapshot.byName.get(nameKey(skill.name)) === skill ? skill.name : qualifiedName(skill);
}
