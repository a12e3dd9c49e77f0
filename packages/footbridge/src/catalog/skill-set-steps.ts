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
    this.#counts = new FolderCounts(areMany ? new KeyedTable<CountedFolder>(countedPath) : new Map());
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

/** A folder whose skills are being counted. */
interface CountedFolder extends FolderCount {
  count: number;
}

class FolderCounts {
  readonly table: Entries<CountedFolder>;
  /** The first skill in each folder. */
  readonly #first = new Map<CountedFolder, Skill>();
  /** Around the skills counted last, outermost first: most of them are around the next ones too. */
  #last: { readonly paths: readonly string[]; readonly folders: readonly CountedFolder[] } = { paths: [], folders: [] };

  constructor(table: Entries<CountedFolder>) {
    this.table = table;
  }

  add({ count, first, group }: Folders): void {
    if (count === 0 || first === undefined) return;
    const { paths } = foldersAround(group);
    const last = this.#last;
    const folders = paths.map((path, index) => {
      const known = last.paths[index] === path ? last.folders[index] : this.table.get(path);
      const folder = known ?? { group, depth: index + 1, count: 0 };
      if (known === undefined) {
        this.table.set(path, folder);
        this.#first.set(folder, first);
      }
      folder.count += count;
      return folder;
    });
    this.#last = { paths, folders };
  }

  /** The first skill in the folder that has this path, `current` included, which is not counted yet. */
  firstIn(path: string, current: Folders): Skill | undefined {
    const known = this.table.size === 0 ? undefined : this.table.get(path);
    if (known !== undefined) return this.#first.get(known);
    return current.first !== undefined && foldersAround(current.group).paths.includes(path) ? current.first : undefined;
  }
}
