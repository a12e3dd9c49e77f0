/** The difference between two snapshots, computed once, however many sessions look at it. */
import type { StaticResource, TemplateResource } from '../sources/resource.js';
import { qualifiedName, skillUri } from '../sources/skill-uri.js';
import type { ContributedTool, Skill, UpstreamPrompt } from '../sources/source.js';
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
  #skills: ListDifference<Skill> | undefined;
  #resources: ListDifference<StaticResource> | undefined;
  #templates: ListDifference<TemplateResource> | undefined;
  #tools: ListDifference<ContributedTool> | undefined;
  #prompts: ListDifference<UpstreamPrompt> | undefined;

  constructor(
    readonly previous: Snapshot,
    readonly snapshot: Snapshot,
  ) {}

  /** A skill whose text alone changed is not among these: see `rewritten`. */
  get skills(): ListDifference<Skill> {
    this.#skills ??= difference(this.previous.skills, this.snapshot.skills, qualifiedName, isSameSkill);
    return this.#skills;
  }

  get resources(): ListDifference<StaticResource> {
    this.#resources ??= difference(this.previous.resources, this.snapshot.resources, ({ entry }) => entry.uri, isSameEntry);
    return this.#resources;
  }

  get templates(): ListDifference<TemplateResource> {
    this.#templates ??= difference(this.previous.templates, this.snapshot.templates, ({ entry }) => entry.uriTemplate, isSameEntry);
    return this.#templates;
  }

  /** Tools that are not ours. */
  get tools(): ListDifference<ContributedTool> {
    this.#tools ??= difference(this.previous.tools, this.snapshot.tools, ({ entry }) => entry.name, isSameEntry);
    return this.#tools;
  }

  get prompts(): ListDifference<UpstreamPrompt> {
    this.#prompts ??= difference(this.previous.prompts, this.snapshot.prompts, ({ entry }) => entry.name, isSameEntry);
    return this.#prompts;
  }

  /** The URIs of skills whose `SKILL.md` changed. */
  get rewritten(): readonly string[] {
    const { previous, snapshot } = this;
    if (previous.skills === snapshot.skills) return [];
    const versions = new Map(previous.skills.map(({ identity, version }) => [identity, version]));
    return snapshot.skills
      .filter(({ identity, version }) => (versions.get(identity) ?? version) !== version)
      .map((skill) => skillUri(skill));
  }
}

function difference<T>(
  previous: readonly T[],
  next: readonly T[],
  key: (each: T) => string,
  same: (one: T, other: T) => boolean,
): ListDifference<T> {
  if (previous === next) return { added: [], removed: [], changed: [], isSame: true };
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
  const isMoved = () => next.some((each, index) => key(each) !== keyAt(previous, index, key));
  return { added, removed, changed, isSame: added.length + removed.length + changed.length === 0 && !isMoved() };
}

function keyAt<T>(list: readonly T[], index: number, key: (each: T) => string): string | undefined {
  const each = list[index];
  return each === undefined ? undefined : key(each);
}

function isSameEntry(one: { readonly entry: unknown }, other: { readonly entry: unknown }): boolean {
  return one.entry === other.entry || JSON.stringify(one.entry) === JSON.stringify(other.entry);
}

/** As hosts see it in lists. */
function isSameSkill(one: Skill, other: Skill): boolean {
  return one.description === other.description && one.size === other.size;
}
