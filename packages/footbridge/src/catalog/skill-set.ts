/** The served skills, in order of priority, and what leads to them. */
import { nameKey, pathKey, qualifiedName } from '../sources/skill-uri.js';
import type { Skill } from '../sources/source.js';
import { editsBetween } from './edits.js';
import { type Lookup, SharedMap } from './shared-map.js';

/** A skill that is not served because an earlier one has its place. */
export interface ShadowedSkill {
  readonly skill: Skill;
  readonly by: Skill;
}

export type SkillLookup = Lookup<Skill>;

/** The skills of one bare name, in order of priority: nearly always one. */
type Namesakes = Skill | readonly Skill[];

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
export function skillSetOf(contributed: readonly (readonly Skill[])[], previous?: SkillSet): SkillSet {
  const [only = NO_SKILLS, ...others] = contributed;
  const all = others.length === 0 ? only : contributed.flat();
  if (previous instanceof IndexedSkills) {
    if (previous.contributed === all) return previous;
    if (others.length > 0 && editsBetween(previous.contributed, all).length === 0) return previous;
  }
  const known = skillSets.get(all);
  if (known !== undefined) return known;
  const set = (previous instanceof IndexedSkills ? previous.follow(all) : undefined) ?? buildSkillSet(all);
  skillSets.set(all, set);
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
    readonly enclosing: SharedMap<number>,
    /** By bare name. */
    readonly namesakes: SharedMap<Namesakes>,
    /** Whether the qualified name of each skill is its path with colons. */
    readonly isPlain: boolean,
    /** Whether a skill without folders comes after one with folders, which may have its name. */
    readonly isMixed: boolean,
  ) {}

  get byName(): SkillLookup {
    // Without groups a skill's path is its name.
    this.#names ??= this.enclosing.size === 0 ? this.byPath : this.isPlain ? new SkillNames(this) : indexNames(this.skills);
    return this.#names;
  }

  /** The set with these skills instead; undefined where it has to be built from scratch. */
  follow(contributed: readonly Skill[]): IndexedSkills | undefined {
    const { byPath, enclosing, namesakes, shadowed } = this;
    if (!(this.isPlain && byPath.isNewest && enclosing.isNewest && namesakes.isNewest)) return undefined;
    const edits = editsBetween(this.contributed, contributed);
    const removed = edits.flatMap((edit) => edit.removed);
    const added = edits.flatMap((edit) => edit.added);
    if (2 * (removed.length + added.length) > contributed.length && contributed.length > FEW) return undefined;
    const paths = new Map<string, Skill | undefined>();
    const folders = new Map<string, number | undefined>();
    const names = new Map<string, Namesakes | undefined>();
    const at = (path: string) => (paths.has(path) ? paths.get(path) : byPath.get(path));
    const inside = (folder: string) => (folders.has(folder) ? folders.get(folder) : enclosing.get(folder)) ?? 0;
    const called = (name: string) => listOf(names.has(name) ? names.get(name) : namesakes.get(name));
    for (const skill of removed) {
      const { above, path } = placeOf(skill);
      if (at(path) !== skill) continue;
      paths.set(path, undefined);
      for (const folder of above) folders.set(folder, inside(folder) - 1 || undefined);
      const name = nameKey(skill.name);
      names.set(name, namesakesOf(called(name).filter((each) => each !== skill)));
    }
    for (const skill of added) {
      const { above, path } = placeOf(skill);
      if (!isPlainlyNamed(skill) || at(path) !== undefined || inside(path) > 0 || above.some((folder) => at(folder) !== undefined))
        return undefined;
      paths.set(path, skill);
      for (const folder of above) folders.set(folder, inside(folder) + 1);
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
    return new IndexedSkills(contributed, skills, still, byPath.with(paths), enclosing.with(folders), namesakes.with(names), true, isMixed);
  }
}

/** Building a set of so few skills takes no longer than following it. */
const FEW = 1000;

function buildSkillSet(contributed: readonly Skill[]): IndexedSkills {
  const skills: Skill[] = [];
  const shadowed: ShadowedSkill[] = [];
  const byPath = new Map<string, Skill>();
  const enclosing = new Map<string, number>();
  /** The first skill in each folder. */
  const first = new Map<string, Skill>();
  const namesakes = new Map<string, Skill | Skill[]>();
  let isPlain = true;
  for (const skill of contributed) {
    const { above, name, path } = placeOf(skill);
    const owner = byPath.get(path) ?? first.get(path) ?? firstOf(above, byPath);
    if (owner !== undefined) {
      // The same skill reached twice does not shadow itself.
      if (owner.identity !== skill.identity) shadowed.push({ skill, by: owner });
      continue;
    }
    skills.push(skill);
    byPath.set(path, skill);
    for (const folder of above) {
      enclosing.set(folder, (enclosing.get(folder) ?? 0) + 1);
      if (!first.has(folder)) first.set(folder, skill);
    }
    isPlain &&= isPlainlyNamed(skill);
    const others = namesakes.get(name);
    if (others === undefined) namesakes.set(name, skill);
    else if (isList(others)) others.push(skill);
    else namesakes.set(name, [others, skill]);
  }
  const served = skills.length === contributed.length ? contributed : skills;
  return new IndexedSkills(
    contributed,
    served,
    shadowed,
    new SharedMap(byPath),
    new SharedMap(enclosing),
    new SharedMap(namesakes),
    // The same skill reached twice is in no list.
    isPlain && skills.length + shadowed.length === contributed.length,
    isMixedWithin(served, 0, served.length - 1),
  );
}

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
  #aliases: ReadonlyMap<string, Skill> | undefined;

  constructor(set: IndexedSkills) {
    this.#set = set;
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
    const [bare] = listOf(this.#set.namesakes.get(name));
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

function placeOf(skill: Skill): { readonly above: readonly string[]; readonly name: string; readonly path: string } {
  const above = ancestors(skill.group);
  const name = nameKey(skill.name);
  return { above, name, path: above.length === 0 ? name : `${above.at(-1)}/${name}` };
}

const folders = new WeakMap<readonly string[], { readonly paths: readonly string[]; readonly isPlain: boolean }>();

/** Skills of one folder share its groups. */
function folderOf(group: readonly string[]) {
  let known = folders.get(group);
  if (known === undefined) {
    const paths = group.map((_, index) => pathKey(group.slice(0, index + 1)));
    known = { paths, isPlain: !group.some((folder) => /[:/]/.test(folder)) && isJoined(group.join(':'), paths.at(-1)) };
    folders.set(group, known);
  }
  return known;
}

/** The folders that a skill lies in, outermost first: a skill at one of them would claim this one's files. */
function ancestors(group: readonly string[]): readonly string[] {
  return group.length === 0 ? NONE : folderOf(group).paths;
}

const NONE: readonly string[] = [];

function isPlainlyNamed({ group, name }: Skill): boolean {
  const isPlain = name.length <= LONGEST_PLAIN && (!/[^!-.0-9;-~]/.test(name) || isPlainText(name));
  return isPlain && (group.length === 0 || folderOf(group).isPlain);
}

function isPlainText(name: string): boolean {
  return !/[:/\u03a3]/.test(name) && name === name.trim();
}

/** Longer names are compared as they are from some length on. */
const LONGEST_PLAIN = 256;

/** Whether the key of a joined name is that of its parts, joined: the case of some letters depends on what is around them. */
function isJoined(name: string, path: string | undefined): boolean {
  return nameKey(`${name}:x`) === `${path?.replaceAll('/', ':')}:x` && !/\u03a3/.test(name);
}

function firstOf(paths: readonly string[], byPath: ReadonlyMap<string, Skill>): Skill | undefined {
  for (const path of paths) {
    const skill = byPath.get(path);
    if (skill !== undefined) return skill;
  }
  return undefined;
}

function isList<T>(namesakes: Skill | T): namesakes is T {
  return Array.isArray(namesakes);
}

function listOf(namesakes: Namesakes | undefined): readonly Skill[] {
  if (namesakes === undefined) return NO_SKILLS;
  return isList(namesakes) ? namesakes : [namesakes];
}

function namesakesOf(skills: readonly Skill[]): Namesakes | undefined {
  return skills.length > 1 ? skills : skills[0];
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
