/** Everything that is served at one moment: immutable, replaced as a whole. */
import type { Upstream } from '../sources/forwarding.js';
import type { StaticResource, TemplateResource } from '../sources/resource.js';
import { nameKey, qualifiedName, skillUri } from '../sources/skill-uri.js';
import {
  type ContributedTool,
  hasContentOfOurOwn,
  type InternalContribution,
  isUpstreamTool,
  type Notice,
  nameOfTool,
  type Skill,
  type ToolMeta,
  type UnreadableSkill,
  type UpstreamPrompt,
} from '../sources/source.js';
import { atOnce, stepsOver } from '../turns.js';
import { equivalentUri } from '../uri-template.js';
import { freeAlias, type SkillLookup, type SkillSet, stepsToSkillSet } from './skill-set.js';
import type { ShadowedSkill } from './skill-set-steps.js';
import { findSkillFile } from './target.js';
import { TemplateIndex } from './template-index.js';

/** An upstream that could not be reached when the snapshot was made. */
export interface UpstreamOutage {
  readonly server: string;
  readonly message: string;
}

/** What a snapshot is made of. */
interface SnapshotParts {
  readonly contributions: readonly InternalContribution[];
  readonly skillSet: SkillSet;
  readonly skillFiles: ReadonlyMap<StaticResource, Skill>;
  readonly listedSkills: ReadonlySet<Skill>;
  readonly resources: Keyed<StaticResource>;
  readonly byMeaning: ReadonlyMap<string, StaticResource>;
  readonly templates: readonly TemplateResource[];
  /** Undefined where there are few templates, until somebody looks for one. */
  readonly templateIndex: TemplateIndex<TemplateResource> | undefined;
  readonly tools: Keyed<ContributedTool>;
  readonly prompts: Keyed<UpstreamPrompt>;
}

export class Snapshot {
  readonly #skillSet: SkillSet;
  /** Apart from skills, which are resources too; of two with one URI the first. */
  readonly resources: readonly StaticResource[];
  readonly templates: readonly TemplateResource[];
  readonly notices: readonly Notice[];
  /** Tools that are not ours, in order; of two with one name the first. */
  readonly tools: readonly ContributedTool[];
  /** Whether there is, or is withheld, anything that does not come from an upstream. */
  readonly hasOwnContent: boolean;
  /** Additional `_meta` of our tools, by their names. */
  readonly toolMeta: ToolMeta;
  /** Skills that exist but cannot be read at the moment. */
  readonly unreadable: readonly UnreadableSkill[];
  /** Prompts of upstreams, in order; of two with one name the first. */
  readonly prompts: readonly UpstreamPrompt[];
  /** Upstreams, reachable or not. */
  readonly upstreams: readonly Upstream[];
  /** As of this snapshot; an upstream that fails or returns makes a new one. */
  readonly outages: readonly UpstreamOutage[];
  /** Skills whose `SKILL.md` is among the resources. */
  readonly listedSkills: ReadonlySet<Skill>;
  readonly #skillFiles: ReadonlyMap<StaticResource, Skill>;
  readonly #byUri: ReadonlyMap<string, StaticResource>;
  /** Resources whose URI is not in normal form, by that form: of several that mean the same the first. */
  readonly #byMeaning: ReadonlyMap<string, StaticResource>;
  #templateIndex: TemplateIndex<TemplateResource> | undefined;
  readonly #toolsByName: ReadonlyMap<string, ContributedTool>;
  readonly #promptsByName: ReadonlyMap<string, UpstreamPrompt>;

  private constructor(parts: SnapshotParts) {
    const { contributions, prompts, resources, skillFiles, skillSet, tools } = parts;
    this.#skillSet = skillSet;
    this.#skillFiles = skillFiles;
    this.listedSkills = parts.listedSkills;
    this.#byUri = resources.byKey;
    this.#byMeaning = parts.byMeaning;
    this.resources = resources.all;
    this.templates = parts.templates;
    this.#templateIndex = parts.templateIndex;
    this.notices = contributions.flatMap(({ notices = [] }) => notices);
    this.hasOwnContent = contributions.some(hasContentOfOurOwn);
    this.#toolsByName = tools.byKey;
    this.tools = tools.all;
    // Of two for one tool the first.
    this.toolMeta = Object.assign({}, ...contributions.map(({ toolMeta = {} }) => toolMeta).reverse());
    this.unreadable = contributions.flatMap(({ unreadable = [] }) => unreadable);
    this.#promptsByName = prompts.byKey;
    this.prompts = prompts.all;
    this.upstreams = contributions.flatMap(({ upstreams = [] }) => upstreams);
    this.outages = this.upstreams.flatMap(({ name, failure }) =>
      failure === undefined ? [] : [{ server: name, message: failure.message }],
    );
  }

  static empty(): Snapshot {
    return atOnce(Snapshot.stepsTo([]));
  }

  /** Built from all contributions, in the order of the sources. Unchanged parts are shared with `previous`. */
  static *stepsTo(contributions: readonly InternalContribution[], previous?: Snapshot): Generator<void, Snapshot> {
    const skillSet = yield* stepsToSkillSet(
      contributions.map(({ skills = NO_SKILLS }) => skills).filter((skills) => skills.length > 0),
      previous === undefined ? undefined : previous.#skillSet,
    );
    const place =
      contributions.some(hasContentOfOurOwn) || contributions.flatMap(({ upstreams = [] }) => upstreams).length > 1 ? 'beside' : 'alone';
    const skillFiles = new Map<StaticResource, Skill>();
    const listedSkills = new Set<Skill>();
    /** An upstream may list files of its own skills, but none inside a skill that comes from elsewhere. */
    const isOfItsPlace = (resource: StaticResource) => {
      const skill = findSkillFile(skillSet, resource.entry.uri)?.skill;
      if (skill === undefined) return true;
      if (resource.origin !== undefined && skill.origin !== resource.origin) return false;
      skillFiles.set(resource, skill);
      if (skillUri(skill) === resource.entry.uri) listedSkills.add(skill);
      return true;
    };
    const byMeaning = new Map<string, StaticResource>();
    const addMeaning = (uri: string, resource: StaticResource, before: ReadonlyMap<string, StaticResource>) => {
      const meaning = equivalentUri(uri);
      if (meaning !== uri && !before.has(meaning) && !byMeaning.has(meaning)) byMeaning.set(meaning, resource);
    };
    const templates = joined(contributions.map((each) => each.templates));
    let templateIndex: TemplateIndex<TemplateResource> | undefined;
    if (previous !== undefined && isSameList(templates, previous.templates)) templateIndex = previous.#templateIndex;
    else if (templates.length > MANY_TEMPLATES) templateIndex = yield* stepsToIndex(templates);
    const isShown = (tool: ContributedTool) => !isUpstreamTool(tool) || tool.shownWhen === undefined || tool.shownWhen === place;
    return new Snapshot({
      contributions,
      skillSet,
      skillFiles,
      listedSkills,
      resources: yield* firstOfEach(
        joined(contributions.map((each) => each.resources)),
        ({ entry }) => entry.uri,
        isOfItsPlace,
        addMeaning,
      ),
      byMeaning,
      templates,
      templateIndex,
      tools: yield* firstOfEach(joined(contributions.map((each) => each.tools)), nameOfTool, isShown),
      prompts: yield* firstOfEach(joined(contributions.map((each) => each.prompts)), ({ entry }) => entry.name),
    });
  }

  /** Finds a tool that is not ours by its exact name. */
  findTool(name: string): ContributedTool | undefined {
    return this.#toolsByName.get(name);
  }

  /** Finds a prompt of an upstream by its exact name. */
  findPrompt(name: string): UpstreamPrompt | undefined {
    return this.#promptsByName.get(name);
  }

  /** Served skills, in order of priority. */
  get skills(): readonly Skill[] {
    return this.#skillSet.skills;
  }

  get shadowed(): readonly ShadowedSkill[] {
    return this.#skillSet.shadowed;
  }

  /** By folders and name, in lower case, `/`-separated. */
  get byPath(): SkillLookup {
    return this.#skillSet.byPath;
  }

  /** By bare and by qualified name, in lower case. */
  get byName(): SkillLookup {
    return this.#skillSet.byName;
  }

  /** The skill that a listed resource is a file of. */
  skillOf(resource: StaticResource): Skill | undefined {
    return this.#skillFiles.get(resource);
  }

  /** The resource at exactly this URI, else at an equivalent one: case of scheme and host, and needless encoding, aside. */
  findResource(uri: string): StaticResource | undefined {
    return this.#byUri.get(uri) ?? this.#findEquivalent(uri);
  }

  #findEquivalent(uri: string): StaticResource | undefined {
    if (this.resources.length === 0) return undefined;
    const meaning = equivalentUri(uri);
    return this.#byMeaning.get(meaning) ?? this.#byUri.get(meaning);
  }

  get templateIndex(): TemplateIndex<TemplateResource> {
    this.#templateIndex ??= atOnce(stepsToIndex(this.templates));
    return this.#templateIndex;
  }
}

const NO_SKILLS: readonly Skill[] = [];
/** An index of fewer is made in a few milliseconds. */
const MANY_TEMPLATES = 500;

function stepsToIndex(templates: readonly TemplateResource[]): Generator<void, TemplateIndex<TemplateResource>> {
  return TemplateIndex.stepsTo(templates.map((value) => ({ template: value.template, value })));
}

function isSameList<T>(one: readonly T[], other: readonly T[]): boolean {
  return one === other || (one.length === other.length && one.every((each, at) => each === other[at]));
}

/** Joins lists; returns the same list if there is only one. */
function joined<T>(lists: readonly (readonly T[] | undefined)[]): readonly T[] {
  const [only = [], ...others] = lists.flatMap((list) => (list === undefined || list.length === 0 ? [] : [list]));
  return others.length === 0 ? only : [only, ...others].flat();
}

/** A list without duplicate keys. */
interface Keyed<T> {
  readonly all: readonly T[];
  readonly byKey: ReadonlyMap<string, T>;
}

/** Keeps the first of two with the same key. Returns the same list if there are no duplicates. */
function* firstOfEach<T>(
  contributed: readonly T[],
  key: (each: T) => string,
  isIncluded: (each: T) => boolean = () => true,
  added: (key: string, each: T, before: ReadonlyMap<string, T>) => void = () => {},
): Generator<void, Keyed<T>> {
  const byKey = new Map<string, T>();
  yield* stepsOver(contributed, (each) => {
    if (!isIncluded(each)) return;
    const own = key(each);
    if (byKey.has(own)) return;
    added(own, each, byKey);
    byKey.set(own, each);
  });
  return { byKey, all: byKey.size === contributed.length ? contributed : [...byKey.values()] };
}

/** The shortest name that leads to this skill and no other. */
export function callName({ byName }: Snapshot, skill: Skill): string {
  if (byName.get(nameKey(skill.name)) === skill) return skill.name;
  return byName.get(nameKey(qualifiedName(skill))) === skill ? qualifiedName(skill) : freeAlias(byName, skill);
}

/** A function of a snapshot that is computed once for each. */
export function perSnapshot<T>(compute: (snapshot: Snapshot) => T): (snapshot: Snapshot) => T {
  const known = new WeakMap<Snapshot, { readonly value: T }>();
  return (snapshot) => {
    let result = known.get(snapshot);
    if (result === undefined) {
      result = { value: compute(snapshot) };
      known.set(snapshot, result);
    }
    return result.value;
  };
}
