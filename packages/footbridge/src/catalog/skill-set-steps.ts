/** Making a set of skills from scratch, step by step. */
import { nameKey } from '../sources/skill-uri.js';
import type { Skill } from '../sources/source.js';
import { hashText, KeyedTable } from './keyed-table.js';
import { bareName, countedPath, type FolderCount, foldersAround, isPlainlyNamed, pathOf } from './skill-places.js';

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
  readonly byPath: KeyedTable<Skill>;
  readonly enclosing: KeyedTable<FolderCount>;
  readonly namesakes: KeyedTable<Skill | Skill[]>;
  /** Whether the qualified name of each skill is its path with colons. */
  readonly isPlain: boolean;
  /** Whether a skill without folders comes after one with folders. */
  readonly isMixed: boolean;
}

/** Skills between two steps. */
const STRIDE = 128;

/** The folders of skills that follow each other. */
interface Folders {
  readonly group: readonly string[];
  /** In the last one, not counted yet. */
  count: number;
  first: Skill | undefined;
}

export function* stepsToSkillTables(contributed: readonly Skill[]): Generator<void, SkillTables> {
  const skills: Skill[] = [];
  const shadowed: ShadowedSkill[] = [];
  const byPath = new KeyedTable<Skill>(pathOf, contributed.length);
  const namesakes = new KeyedTable<Skill | Skill[]>(bareName, contributed.length);
  const counts = new FolderCounts();
  let inside: Folders = { group: [], count: 0, first: undefined };
  let isPlain = true;
  let isMixed = false;
  for (const [index, skill] of contributed.entries()) {
    if (index % STRIDE === STRIDE - 1) yield;
    const { group } = skill;
    if (group !== inside.group) {
      counts.add(inside);
      inside = { group, count: 0, first: undefined };
    }
    const folder = foldersAround(group);
    const name = nameKey(skill.name);
    const hash = hashText(name, folder.before);
    // Where one is served, none has the place of a folder around it, now or later.
    const above = inside.count > 0 ? undefined : firstAt(folder.paths, folder.hashes, byPath);
    const owner = byPath.like(hash, skill) ?? counts.firstIn(hash, skill, inside) ?? above;
    if (owner !== undefined) {
      // The same skill reached twice does not shadow itself.
      if (owner.identity !== skill.identity) shadowed.push({ skill, by: owner });
      continue;
    }
    isMixed ||= group.length === 0 && skills.at(-1) !== undefined && skills.at(-1)?.group.length !== 0;
    skills.push(skill);
    byPath.add(hash, skill);
    inside.count++;
    inside.first ??= skill;
    isPlain &&= isPlainlyNamed(skill);
    const nameHash = group.length === 0 ? hash : hashText(name);
    const others = namesakes.like(nameHash, skill);
    if (others === undefined) namesakes.add(nameHash, skill);
    else if (Array.isArray(others)) others.push(skill);
    else namesakes.add(nameHash, [others, skill]);
  }
  counts.add(inside);
  return {
    skills: skills.length === contributed.length ? contributed : skills,
    shadowed,
    byPath,
    enclosing: counts.table,
    namesakes,
    // The same skill reached twice is in no list.
    isMixed,
    isPlain: isPlain && skills.length + shadowed.length === contributed.length,
  };
}

class FolderCounts {
  readonly table = new KeyedTable<FolderCount>(countedPath);
  /** The first skill in each folder. */
  readonly #first = new Map<FolderCount, Skill>();

  add({ count, first, group }: Folders): void {
    if (count === 0 || first === undefined) return;
    const { hashes } = foldersAround(group);
    for (const [index, hash] of hashes.entries()) {
      const counted = { group, depth: index + 1, count };
      const known = this.table.like(hash, counted);
      const next = known === undefined ? counted : { ...known, count: known.count + count };
      this.table.add(hash, next);
      this.#first.set(next, (known && this.#first.get(known)) ?? first);
      if (known !== undefined) this.#first.delete(known);
    }
  }

  /** The first skill in the folder that has the place of this one, `current` included, which is not counted yet. */
  firstIn(hash: number, skill: Skill, current: Folders): Skill | undefined {
    if (current.first !== undefined) {
      const at = foldersAround(current.group).hashes.indexOf(hash);
      if (at !== -1 && foldersAround(current.group).paths[at] === pathOf(skill)) return this.#known(pathOf(skill)) ?? current.first;
    }
    return this.table.mayHave(hash) ? this.#known(pathOf(skill)) : undefined;
  }

  #known(path: string): Skill | undefined {
    const known = this.table.get(path);
    return known && this.#first.get(known);
  }
}

function firstAt(paths: readonly string[], hashes: readonly number[], byPath: KeyedTable<Skill>): Skill | undefined {
  for (const [index, path] of paths.entries()) {
    if (!byPath.mayHave(hashes[index] ?? 0)) continue;
    const skill = byPath.get(path);
    if (skill !== undefined) return skill;
  }
  return undefined;
}
