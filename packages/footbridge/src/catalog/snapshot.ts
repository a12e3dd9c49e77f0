/** Everything that is served at one moment: immutable, replaced as a whole. */
import type { Upstream } from '../sources/forwarding.js';
import type { StaticResource, TemplateResource } from '../sources/resource.js';
import { nameKey, qualifiedName } from '../sources/skill-uri.js';
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
import { equivalentUri } from '../uri-template.js';
import { freeAlias, type SkillLookup, type SkillSet, skillSetOf } from './skill-set.js';
import type { ShadowedSkill } from './skill-set-steps.js';
import { findSkillFile } from './target.js';
import { TemplateIndex } from './template-index.js';

/** An upstream that could not be reached when the snapshot was made. */
export interface UpstreamOutage {
  readonly server: string;
  readonly message: string;
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
  readonly #byUri: ReadonlyMap<string, StaticResource>;
  #byMeaning: ReadonlyMap<string, StaticResource> | undefined;
  #templateIndex: TemplateIndex<TemplateResource> | undefined;
  readonly #toolsByName: ReadonlyMap<string, ContributedTool>;
  readonly #promptsByName: ReadonlyMap<string, UpstreamPrompt>;

  /** Of all contributions, those of the first source first; what did not change is shared with the `previous` one. */
  constructor(contributions: readonly InternalContribution[], previous?: Snapshot) {
    const skillSet = skillSetOf(
      contributions.map(({ skills = NO_SKILLS }) => skills).filter((skills) => skills.length > 0),
      previous === undefined ? undefined : previous.#skillSet,
    );
    const all = contributions.flatMap((each) => each.resources ?? []);
    const resources = skillSet.skills.length === 0 ? all : all.filter((each) => !isInForeignSkill(skillSet, each));
    this.#skillSet = skillSet;
    this.#byUri = firstOfEach(resources, ({ entry }) => entry.uri);
    this.resources = valuesOf(this.#byUri, resources);
    this.templates = contributions.flatMap(({ templates = [] }) => templates);
    this.notices = contributions.flatMap(({ notices = [] }) => notices);
    this.hasOwnContent = contributions.some(hasContentOfOurOwn);
    const place = this.hasOwnContent || contributions.flatMap(({ upstreams = [] }) => upstreams).length > 1 ? 'beside' : 'alone';
    const tools = contributions.flatMap((each) => each.tools ?? []);
    const isShown = (tool: ContributedTool) => !isUpstreamTool(tool) || tool.shownWhen === undefined || tool.shownWhen === place;
    this.#toolsByName = firstOfEach(tools, nameOfTool, isShown);
    this.tools = valuesOf(this.#toolsByName, tools);
    // Of two for one tool the first.
    this.toolMeta = Object.assign({}, ...contributions.map(({ toolMeta = {} }) => toolMeta).reverse());
    this.unreadable = contributions.flatMap(({ unreadable = [] }) => unreadable);
    const prompts = contributions.flatMap((each) => each.prompts ?? []);
    this.#promptsByName = firstOfEach(prompts, ({ entry }) => entry.name);
    this.prompts = valuesOf(this.#promptsByName, prompts);
    this.upstreams = contributions.flatMap(({ upstreams = [] }) => upstreams);
    this.outages = this.upstreams.flatMap(({ name, failure }) =>
      failure === undefined ? [] : [{ server: name, message: failure.message }],
    );
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

  /** The resource at exactly this URI, else at an equivalent one: case of scheme and host, and needless encoding, aside. */
  findResource(uri: string): StaticResource | undefined {
    return this.#byUri.get(uri) ?? this.#findEquivalent(uri);
  }

  #findEquivalent(uri: string): StaticResource | undefined {
    if (this.resources.length === 0) return undefined;
    // The first of several that mean the same.
    this.#byMeaning ??= new Map(this.resources.toReversed().map((resource) => [equivalentUri(resource.entry.uri), resource]));
    return this.#byMeaning.get(equivalentUri(uri));
  }

  get templateIndex(): TemplateIndex<TemplateResource> {
    this.#templateIndex ??= new TemplateIndex(this.templates.map((value) => ({ template: value.template, value })));
    return this.#templateIndex;
  }
}

/** Whether an upstream lists a resource inside a skill that comes from elsewhere. */
const NO_SKILLS: readonly Skill[] = [];

function isInForeignSkill(skillSet: SkillSet, { entry, origin }: StaticResource): boolean {
  if (origin === undefined) return false;
  const found = findSkillFile(skillSet, entry.uri);
  return found !== undefined && found.skill.origin !== origin;
}

/** By key, of two with one key the first. */
function firstOfEach<T>(contributed: readonly T[], key: (each: T) => string, isIncluded?: (each: T) => boolean): ReadonlyMap<string, T> {
  const first = new Map<string, T>();
  for (const each of contributed) {
    if (isIncluded?.(each) === false) continue;
    const own = key(each);
    if (!first.has(own)) first.set(own, each);
  }
  return first;
}

/** The same list where it has nothing twice. */
function valuesOf<T>(first: ReadonlyMap<string, T>, contributed: readonly T[]): readonly T[] {
  return first.size === contributed.length ? contributed : [...first.values()];
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
