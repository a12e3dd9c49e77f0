/** The difference between two snapshots, computed once, however many sessions look at it. */
import { sameJsonSteps } from '../json-pieces.js';
import type { StaticResource, TemplateResource } from '../sources/resource.js';
import { qualifiedName, skillUri } from '../sources/skill-uri.js';
import { type ContributedTool, nameOfTool, type Skill, type UpstreamPrompt } from '../sources/source.js';
import { numberOfText, SplitMap } from '../split-map.js';
import { stepsOver } from '../turns.js';
import type { Edit } from './edits.js';
import { skillEditsBetween } from './skill-edits.js';
import type { Snapshot } from './snapshot.js';

export interface ListDifference<T> {
  readonly added: readonly T[];
  readonly removed: readonly T[];
  /** The new versions of entries that differ. */
  readonly changed: readonly T[];
  /** Whether the list is the same, order included. */
  readonly isSame: boolean;
}

type Differences = Pick<CatalogChange, 'skills' | 'resources' | 'templates' | 'tools' | 'prompts' | 'rewritten'>;

/** A new snapshot, and how each of its lists differs from the one before. */
export class CatalogChange {
  /** A skill whose text alone changed is not among these: see `rewritten`. */
  readonly skills: ListDifference<Skill>;
  readonly resources: ListDifference<StaticResource>;
  readonly templates: ListDifference<TemplateResource>;
  /** Tools that are not ours. */
  readonly tools: ListDifference<ContributedTool>;
  readonly prompts: ListDifference<UpstreamPrompt>;
  /** The URIs of skills whose `SKILL.md` changed. */
  readonly rewritten: readonly string[];

  private constructor(
    readonly previous: Snapshot,
    readonly snapshot: Snapshot,
    { prompts, resources, rewritten, skills, templates, tools }: Differences,
  ) {
    this.skills = skills;
    this.resources = resources;
    this.templates = templates;
    this.tools = tools;
    this.prompts = prompts;
    this.rewritten = rewritten;
  }

  /** In steps: the lists may be long. */
  static *stepsBetween(previous: Snapshot, snapshot: Snapshot): Generator<void, CatalogChange> {
    const edits = skillEditsBetween(previous.skills, snapshot.skills);
    const replaced = edits.flatMap(({ removed }) => removed);
    const replacing = edits.flatMap(({ added }) => added);
    yield;
    const skills = yield* difference(replaced, replacing, qualifiedName, shownOf);
    return new CatalogChange(previous, snapshot, {
      rewritten: yield* rewrittenAmong(replaced, replacing),
      skills: { ...skills, isSame: skills.isSame && (yield* areInPlace(edits)) },
      resources: yield* difference(previous.resources, snapshot.resources, ({ entry }) => entry.uri, entryOf),
      templates: yield* difference(previous.templates, snapshot.templates, ({ entry }) => entry.uriTemplate, entryOf),
      tools: yield* difference(previous.tools, snapshot.tools, nameOfTool, entryOf),
      prompts: yield* difference(previous.prompts, snapshot.prompts, ({ entry }) => entry.name, entryOf),
    });
  }
}

/** `replaced`: skills that are no more; `replacing`: those that are new. Changed ones are among both. */
function* rewrittenAmong(replaced: readonly Skill[], replacing: readonly Skill[]): Generator<void, readonly string[]> {
  const versions = new SplitMap<string, string>(numberOfText);
  yield* stepsOver(replaced, ({ identity, version }) => versions.set(identity, version));
  const uris: string[] = [];
  yield* stepsOver(replacing, (skill) => {
    if ((versions.get(skill.identity) ?? skill.version) !== skill.version) uris.push(skillUri(skill));
  });
  return uris;
}

/** Whether what was replaced has the names of what replaces it, in the same order. */
function* areInPlace(edits: readonly Edit<Skill>[]): Generator<void, boolean> {
  let areAlike = true;
  for (const { added, removed } of edits) {
    if (!areAlike || added.length !== removed.length) return false;
    yield* stepsOver(added.entries(), ([at, skill]) => {
      areAlike &&= isNamedLike(skill, removed[at]);
    });
  }
  return areAlike;
}

function isNamedLike(skill: Skill, other: Skill | undefined): boolean {
  return other !== undefined && qualifiedName(skill) === qualifiedName(other);
}

function* difference<T>(
  previous: readonly T[],
  next: readonly T[],
  key: (each: T) => string,
  content: (each: T) => object,
): Generator<void, ListDifference<T>> {
  if (previous === next || previous.length + next.length === 0) return { added: [], removed: [], changed: [], isSame: true };
  if (previous.length === 0) return { added: next, removed: [], changed: [], isSame: false };
  const before = new Map<string, T>();
  yield* stepsOver(previous, (each) => before.set(key(each), each));
  const after = new Set<string>();
  const added: T[] = [];
  const changed: T[] = [];
  const replaced: [before: T, now: T][] = [];
  yield* stepsOver(next, (each) => {
    const own = key(each);
    after.add(own);
    const old = before.get(own);
    if (old === undefined) added.push(each);
    else if (old !== each) replaced.push([old, each]);
  });
  for (const [old, each] of replaced) {
    const [one, other] = [content(old), content(each)];
    if (one !== other && !(yield* sameJsonSteps(one, other))) changed.push(each);
    yield;
  }
  const removed: T[] = [];
  yield* stepsOver(previous, (each) => {
    if (!after.has(key(each))) removed.push(each);
  });
  if (added.length + removed.length + changed.length > 0) return { added, removed, changed, isSame: false };
  // With the same keys, only the order can differ.
  let isSame = previous.length === next.length;
  yield* stepsOver(next.entries(), ([at, each]) => {
    const old = previous[at];
    isSame &&= old !== undefined && key(old) === key(each);
  });
  return { added, removed, changed, isSame };
}

function entryOf({ entry }: { readonly entry: object }): object {
  return entry;
}

/** As hosts see it in lists. */
function shownOf({ description, size }: Skill): object {
  return { description, size };
}
