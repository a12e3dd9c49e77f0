/** The difference between two snapshots, computed once, however many sessions look at it. */
import type { StaticResource, TemplateResource } from '../sources/resource.js';
import { qualifiedName, skillUri } from '../sources/skill-uri.js';
import { type ContributedTool, nameOfTool, type Skill, type UpstreamPrompt } from '../sources/source.js';
import type { Edit } from './edits.js';
import { skillEditsBetween } from './skill-edits.js';
import type { Snapshot } from './snapshot.js';

export interface ListDifference<T> {
  readonly added: readonly T[];
  readonly removed: readonly T[];
  /** Those whose entry differs, as they are now. */
  readonly changed: readonly T[];
  /** Whether the list is the same, order included. */
  readonly isSame: boolean;
}

/** A new snapshot, and how each of its lists differs from the one before. */
export class CatalogChange {
  /** A skill whose text alone changed is not among these: see `rewritten`. */
  readonly skills: ListDifference<Skill>;
  readonly resources: ListDifference<StaticResource>;
  readonly templates: ListDifference<TemplateResource>;
  /** Tools that are not ours. */
  readonly tools: ListDifference<ContributedTool>;
  readonly prompts: ListDifference<UpstreamPrompt>;

  /** Skills that are no more, and those that are new, changed ones among both. */
  readonly #replaced: readonly Skill[];
  readonly #replacing: readonly Skill[];

  constructor(
    readonly previous: Snapshot,
    readonly snapshot: Snapshot,
  ) {
    // As hosts see them in lists.
    const isSameSkill = (one: Skill, other: Skill) => one.description === other.description && one.size === other.size;
    const edits = skillEditsBetween(previous.skills, snapshot.skills);
    this.#replaced = edits.flatMap(({ removed }) => removed);
    this.#replacing = edits.flatMap(({ added }) => added);
    const skills = difference(this.#replaced, this.#replacing, qualifiedName, isSameSkill);
    this.skills = { ...skills, isSame: skills.isSame && edits.every(isInPlace) };
    this.resources = difference(previous.resources, snapshot.resources, ({ entry }) => entry.uri, isSameEntry);
    this.templates = difference(previous.templates, snapshot.templates, ({ entry }) => entry.uriTemplate, isSameEntry);
    this.tools = difference(previous.tools, snapshot.tools, nameOfTool, isSameEntry);
    this.prompts = difference(previous.prompts, snapshot.prompts, ({ entry }) => entry.name, isSameEntry);
  }

  /** The URIs of skills whose `SKILL.md` changed. */
  get rewritten(): readonly string[] {
    const versions = new Map(this.#replaced.map(({ identity, version }) => [identity, version]));
    return this.#replacing
      .filter(({ identity, version }) => (versions.get(identity) ?? version) !== version)
      .map((skill) => skillUri(skill));
  }
}

/** Whether what was replaced has the names of what replaces it, in the same order. */
function isInPlace({ added, removed }: Edit<Skill>): boolean {
  return added.length === removed.length && added.every((skill, at) => isNamedLike(skill, removed[at]));
}

function isNamedLike(skill: Skill, other: Skill | undefined): boolean {
  return other !== undefined && qualifiedName(skill) === qualifiedName(other);
}

function difference<T>(
  previous: readonly T[],
  next: readonly T[],
  key: (each: T) => string,
  same: (one: T, other: T) => boolean,
): ListDifference<T> {
  if (previous === next || previous.length + next.length === 0) return { added: [], removed: [], changed: [], isSame: true };
  if (previous.length === 0) return { added: next, removed: [], changed: [], isSame: false };
  const before = new Map(previous.map((each) => [key(each), each]));
  const after = new Set(next.map(key));
  const added: T[] = [];
  const changed: T[] = [];
  for (const each of next) {
    const old = before.get(key(each));
    if (old === undefined) added.push(each);
    else if (old !== each && !same(old, each)) changed.push(each);
  }
  const removed = previous.filter((each) => !after.has(key(each)));
  // With the same keys, only the order can differ.
  const isMoved = () => {
    const keys = [...before.keys()];
    return next.some((each, index) => key(each) !== keys[index]);
  };
  return { added, removed, changed, isSame: added.length + removed.length + changed.length === 0 && !isMoved() };
}

function isSameEntry(one: { readonly entry: unknown }, other: { readonly entry: unknown }): boolean {
  return one.entry === other.entry || JSON.stringify(one.entry) === JSON.stringify(other.entry);
}
