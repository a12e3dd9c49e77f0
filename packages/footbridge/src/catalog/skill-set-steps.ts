/** Making a set of skills from scratch, step by step. */
import { nameKey } from '../sources/skill-uri.js';
import type { Skill } from '../sources/source.js';
import { type Entries, KeyedTable } from './keyed-table.js';
import { bareName, countedPath, type FolderCount, foldersAround, isPlainlyNamed, pathIn, pathOf } from './skill-places.js';

/** A skill that is not served because an earlier one has its place. */
export interface ShadowedSkill {
  readonly skill: Skill;
  readonly by: Skill;
}

/** What a set consists of. */
export interface SkillTables {
  /** Served skills, in order of priority. */
  readonly skills: readonly Skill[];
  readonly shadowed: readonly ShadowedSkill[];
  readonly byPath: Entries<Skill>;
  readonly enclosing: Entries<FolderCount>;
  /** By bare name. Undefined where paths are names, since no skill lies in a folder, unless there are many. */
  readonly namesakes: Entries<Skill | Skill[]> | undefined;
  /** Whether the qualified name of each skill is its path with colons. */
  readonly isPlain: boolean;
  /** Whether a skill without folders comes after one with folders. */
  readonly isMixed: boolean;
}

/** Skills between two steps. */
const STRIDE = 128;
/** With more skills the keys of a map would take too much memory; with fewer a map is made in a quarter of the time. */
const MANY = 20_000;

/** The folders of skills that follow each other. */
interface Folders {
  readonly group: readonly string[];
  /** In the last one, not counted yet. */
  count: number;
  first: Skill | undefined;
}

export function* stepsToSkillTables(contributed: readonly Skill[]): Generator<void, SkillTables> {
  const tables = new TablesBuilder(contributed);
  for (let at = 0; at < contributed.length; at++) {
    if (at % STRIDE === STRIDE - 1) yield;
    tables.add(at);
  }
  const made = tables.finish();
  if (made.namesakes === undefined) return made;
  for (let at = 0; at < made.skills.length; at++) {
    if (at % STRIDE === STRIDE - 1) yield;
    addName(made.namesakes, made.skills[at]);
  }
  return made;
}

/** Adds one skill at a time. V8 takes several times as long to optimize the same in the generator. */
class TablesBuilder {
  readonly #contributed: readonly Skill[];
  readonly #skills: Skill[] = [];
  readonly #shadowed: ShadowedSkill[] = [];
  readonly #byPath: Entries<Skill>;
  readonly #counts: FolderCounts;
  #inside: Folders = { group: [], count: 0, first: undefined };
  #isPlain = true;
  #isMixed = false;

  constructor(contributed: readonly Skill[]) {
    const areMany = contributed.length > MANY;
    this.#contributed = contributed;
    this.#byPath = areMany ? new KeyedTable<Skill>(pathOf, contributed.length) : new Map();
    this.#counts = new FolderCounts(areMany ? new KeyedTable<FolderCount>(countedPath) : new Map());
  }

  add(at: number): void {
    const skill = this.#contributed[at];
    if (skill === undefined) return;
    const { group } = skill;
    if (group !== this.#inside.group) {
      this.#counts.add(this.#inside);
      this.#inside = { group, count: 0, first: undefined };
    }
    const inside = this.#inside;
    const name = nameKey(skill.name);
    const path = pathIn(group, name);
    // Where one is served, none has the place of a folder around it, now or later.
    const above = inside.count > 0 ? undefined : this.#firstAt(foldersAround(group).paths);
    const owner = this.#byPath.get(path) ?? this.#counts.firstIn(path, inside) ?? above;
    if (owner !== undefined) {
      // The same skill reached twice does not shadow itself.
      if (owner.identity !== skill.identity) this.#shadowed.push({ skill, by: owner });
      return;
    }
    this.#isMixed ||= group.length === 0 && this.#skills.length > 0 && this.#skills.at(-1)?.group.length !== 0;
    this.#skills.push(skill);
    this.#byPath.set(path, skill);
    inside.count++;
    inside.first ??= skill;
    this.#isPlain &&= isPlainlyNamed(skill);
  }

  finish(): SkillTables {
    this.#counts.add(this.#inside);
    const [all, skills, shadowed] = [this.#contributed, this.#skills, this.#shadowed];
    const areMany = all.length > MANY;
    const areFlat = this.#counts.table.size === 0;
    return {
      skills: skills.length === all.length ? all : skills,
      shadowed,
      byPath: this.#byPath,
      enclosing: this.#counts.table,
      namesakes: areMany ? new KeyedTable<Skill | Skill[]>(bareName, skills.length) : areFlat ? undefined : new Map(),
      isMixed: this.#isMixed,
      // The same skill reached twice is in no list.
      isPlain: this.#isPlain && skills.length + shadowed.length === all.length,
    };
  }

  #firstAt(paths: readonly string[]): Skill | undefined {
    for (const path of paths) {
      const skill = this.#byPath.get(path);
      if (skill !== undefined) return skill;
    }
    return undefined;
  }
}

function addName(namesakes: Entries<Skill | Skill[]>, skill: Skill | undefined): void {
  if (skill === undefined) return;
  const name = nameKey(skill.name);
  const others = namesakes.get(name);
  if (Array.isArray(others)) others.push(skill);
  else namesakes.set(name, others === undefined ? skill : [others, skill]);
}

class FolderCounts {
  readonly table: Entries<FolderCount>;
  /** The first skill in each folder. */
  readonly #first = new Map<FolderCount, Skill>();

  constructor(table: Entries<FolderCount>) {
    this.table = table;
  }

  add({ count, first, group }: Folders): void {
    if (count === 0 || first === undefined) return;
    for (const [index, path] of foldersAround(group).paths.entries()) {
      const known = this.table.get(path);
      const next = known === undefined ? { group, depth: index + 1, count } : { ...known, count: known.count + count };
      this.table.set(path, next);
      this.#first.set(next, (known && this.#first.get(known)) ?? first);
      if (known !== undefined) this.#first.delete(known);
    }
  }

  /** The first skill in the folder that has this path, `current` included, which is not counted yet. */
  firstIn(path: string, current: Folders): Skill | undefined {
    const known = this.table.size === 0 ? undefined : this.table.get(path);
    if (known !== undefined) return this.#first.get(known);
    return current.first !== undefined && foldersAround(current.group).paths.includes(path) ? current.first : undefined;
  }
}
