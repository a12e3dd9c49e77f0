/** The served skills, in order of priority, and what leads to them. */
import { nameKey, qualifiedName } from '../sources/skill-uri.js';
import type { Skill } from '../sources/source.js';
import { type Lookup, SharedMap } from './shared-map.js';
import { skillEditsBetween } from './skill-edits.js';
import { type FolderCount, foldersAround, isPlainlyNamed, type Namesakes, namesakesOf, placeOf, skillsCalled } from './skill-places.js';
import { type ShadowedSkill, type SkillTables, stepsToSkillTables } from './skill-set-steps.js';

export type SkillLookup = Lookup<Skill>;

export interface SkillSet {
  /** In order of priority. */
  readonly skills: readonly Skill[];
  readonly shadowed: readonly ShadowedSkill[];
  /** By folders and name, in lower case, `/`-separated. */
  readonly byPath: SkillLookup;
  /** By bare and by qualified name, in lower case. */
  readonly byName: SkillLookup;
}

/** The set of what sources contribute; made of the one before if little differs. */
export function* stepsToSkillSet(contributed: readonly (readonly Skill[])[], previous?: SkillSet): Generator<void, SkillSet> {
  const [only = NO_SKILLS, ...others] = contributed;
  const all = others.length === 0 ? only : contributed.flat();
  if (previous instanceof IndexedSkills) {
    if (previous.contributed === all) return previous;
    if (others.length > 0 && skillEditsBetween(previous.contributed, all).length === 0) return previous;
  }
  const known = skillSets.get(all);
  if (known !== undefined) return known;
  yield;
  const followed = previous instanceof IndexedSkills ? previous.follow(all) : undefined;
  if (followed !== undefined) skillSets.set(all, followed);
  return followed ?? keep(all, yield* stepsToSkillTables(all));
}

function keep(contributed: readonly Skill[], tables: SkillTables): IndexedSkills {
  const { byPath, enclosing, isMixed, isPlain, namesakes, shadowed, skills } = tables;
  const names = namesakes && new SharedMap<Namesakes>(namesakes);
  const set = new IndexedSkills(contributed, skills, shadowed, new SharedMap(byPath), new SharedMap(enclosing), names, isPlain, isMixed);
  skillSets.set(contributed, set);
  return set;
}

/** Many snapshots share the skills of one source. */
const skillSets = new WeakMap<readonly Skill[], IndexedSkills>();
const NO_SKILLS: readonly Skill[] = [];

class IndexedSkills implements SkillSet {
  #names: SkillLookup | undefined;

  constructor(
    /** Served and shadowed. */
    readonly contributed: readonly Skill[],
    readonly skills: readonly Skill[],
    readonly shadowed: readonly ShadowedSkill[],
    readonly byPath: SharedMap<Skill>,
    /** How many skills lie in a folder. */
    readonly enclosing: SharedMap<FolderCount>,
    /** By bare name; undefined where paths are names. */
    readonly namesakes: SharedMap<Namesakes> | undefined,
    /** Whether the qualified name of each skill is its path with colons. */
    readonly isPlain: boolean,
    /** Whether a skill without folders comes after one with folders, which may have its name. */
    readonly isMixed: boolean,
  ) {}

  get byName(): SkillLookup {
    // Without groups a skill's path is its name.
    const { enclosing, isPlain, namesakes } = this;
    this.#names ??= enclosing.size === 0 ? this.byPath : isPlain && namesakes ? new SkillNames(this, namesakes) : indexNames(this.skills);
    return this.#names;
  }

  /** The set with these skills instead; undefined where it has to be built from scratch. */
  follow(contributed: readonly Skill[]): IndexedSkills | undefined {
    const { byPath, enclosing, namesakes, shadowed } = this;
    if (!(this.isPlain && byPath.isNewest && enclosing.isNewest && namesakes?.isNewest !== false)) return undefined;
    const edits = skillEditsBetween(this.contributed, contributed);
    const edited = edits.reduce((sum, edit) => sum + edit.removed.length + edit.added.length, 0);
    if (contributed.length > FEW && (2 * edited > contributed.length || edited > MAX_FOLLOWED)) return undefined;
    const removed = edits.flatMap((edit) => edit.removed);
    const added = edits.flatMap((edit) => edit.added);
    const paths = new Map<string, Skill | undefined>();
    const folders = new Map<string, FolderCount | undefined>();
    const names = new Map<string, Namesakes | undefined>();
    const at = (path: string) => (paths.has(path) ? paths.get(path) : byPath.get(path));
    const inside = (folder: string) => (folders.has(folder) ? folders.get(folder) : enclosing.get(folder))?.count ?? 0;
    const count = ({ group }: Skill, by: number) => {
      for (const [index, folder] of foldersAround(group).paths.entries()) {
        const next = inside(folder) + by;
        folders.set(folder, next === 0 ? undefined : { group, depth: index + 1, count: next });
      }
    };
    const called = (name: string) => skillsCalled(names.has(name) ? names.get(name) : namesakes?.get(name));
    for (const skill of removed) {
      const { path } = placeOf(skill);
      if (at(path) !== skill) continue;
      paths.set(path, undefined);
      count(skill, -1);
      const name = nameKey(skill.name);
      names.set(name, namesakesOf(called(name).filter((each) => each !== skill)));
    }
    for (const skill of added) {
      if (namesakes === undefined && skill.group.length > 0) return undefined;
      const { above, path } = placeOf(skill);
      if (!isPlainlyNamed(skill) || at(path) !== undefined || inside(path) > 0 || above.some((folder) => at(folder) !== undefined))
        return undefined;
      paths.set(path, skill);
      count(skill, 1);
      const name = nameKey(skill.name);
      names.set(name, namesakesOf(inserted(skill, called(name), contributed)));
    }
    const gone = new Set(removed);
    const still = shadowed.filter(({ skill }) => !gone.has(skill));
    // A skill that comes out of the shadow of another takes its place among the others.
    if (still.some(({ by }) => gone.has(by))) return undefined;
    const hidden = new Set(still.map(({ skill }) => skill));
    const skills = hidden.size === 0 ? contributed : contributed.filter((skill) => !hidden.has(skill));
    const isMixed = this.isMixed || edits.some((edit) => isMixedWithin(contributed, edit.at - 1, edit.at + edit.added.length));
    return new IndexedSkills(
      contributed,
      skills,
      still,
      byPath.with(paths),
      enclosing.with(folders),
      namesakes?.with(names),
      true,
      isMixed,
    );
  }
}

/** Building a set of so few skills takes no longer than following it. */
const FEW = 1000;
/** More would take longer than a slice; a set is built in slices. */
const MAX_FOLLOWED = 2000;

/** Whether a skill with folders is followed by one without, from one place to another. */
function isMixedWithin(skills: readonly Skill[], from: number, to: number): boolean {
  for (let at = Math.max(0, from); at < to; at++) if (isInFolder(skills[at]) && skills[at + 1]?.group.length === 0) return true;
  return false;
}

function isInFolder(skill: Skill | undefined): boolean {
  return skill !== undefined && skill.group.length > 0;
}

/** Names of skills in folders, looked up by the folders, and by bare names: a later skill never takes a name from an earlier one. */
class SkillNames implements SkillLookup {
  readonly #set: IndexedSkills;
  readonly #namesakes: SharedMap<Namesakes>;
  #aliases: ReadonlyMap<string, Skill> | undefined;

  constructor(set: IndexedSkills, namesakes: SharedMap<Namesakes>) {
    this.#set = set;
    this.#namesakes = namesakes;
  }

  get size(): number {
    return this.#set.skills.length;
  }

  get(name: string): Skill | undefined {
    return this.#own(name) ?? this.#alias(name);
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  #own(name: string): Skill | undefined {
    const [bare] = skillsCalled(this.#namesakes.get(name));
    return bare ?? (name.includes('/') ? undefined : this.#set.byPath.get(name.replaceAll(':', '/')));
  }

  /** Of skills whose own names are all taken: those without folders that have the name of an earlier one with folders. */
  #alias(name: string): Skill | undefined {
    if (!this.#set.isMixed || !name.includes(':')) return undefined;
    if (this.#aliases === undefined) {
      const aliases = new Map<string, Skill>();
      const names: Pick<SkillLookup, 'get'> = { get: (key) => this.#own(key) ?? aliases.get(key) };
      for (const skill of this.#set.skills)
        if (skill.group.length === 0 && this.#own(nameKey(skill.name)) !== skill) aliases.set(nameKey(freeAlias(names, skill)), skill);
      this.#aliases = aliases;
    }
    return this.#aliases.get(name);
  }
}

/** The same for names and folders with colons or outer blanks. */
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

/** A name for a skill whose own names are all taken, with its origin as prefix: `team-skills:pdf`. */
export function freeAlias(byName: Pick<SkillLookup, 'get'>, skill: Skill): string {
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

/** With a skill at its place in the order of all. */
function inserted(skill: Skill, namesakes: readonly Skill[], all: readonly Skill[]): readonly Skill[] {
  if (namesakes.length === 0) return [skill];
  const place = all.indexOf(skill);
  let low = 0;
  let high = namesakes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = namesakes[middle];
    if (other !== undefined && all.indexOf(other) < place) low = middle + 1;
    else high = middle;
  }
  return namesakes.toSpliced(low, 0, skill);
}
