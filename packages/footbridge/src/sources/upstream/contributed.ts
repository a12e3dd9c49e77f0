/** What one server contributes, under the names that hosts see. It is built once and shared until its lists change. */
import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import { decodeText } from '../../text.js';
import { stepsOver } from '../../turns.js';
import { type Forwarded, readForwarded } from '../forwarding.js';
import {
  type ReadContext,
  type ResourceContents,
  type ResourceReading,
  requireAdmin,
  type StaticResource,
  type TemplateResource,
} from '../resource.js';
import { type ResourceRule, toTemplate, traitsOf } from '../server/entries.js';
import type { SkillFileContent, UpstreamPrompt, UpstreamTool } from '../source.js';
import { isShown, resourceFilterOf } from './filter.js';
import { originalOf, prefixed, SEPARATOR, stepsToTools, UNCHANGED } from './listed-tools.js';
import type { UpstreamListing } from './listing.js';
import type { UpstreamSkill } from './skills/upstream-skill.js';
import { innermost, uriPathKey, uriPathOf } from './skills/uri-path.js';
import type { ManagedUpstream } from './upstream.js';

/** An entry whose URI may belong to another server. */
export interface Claimable<T> {
  /** The server's own URI or template. */
  readonly own: string;
  /** A resource that would pass for a skill of another server keeps no URI. */
  readonly isRenamed: boolean;
  shownAs(uri: string): T;
}

export interface Contributed {
  readonly listing: UpstreamListing;
  readonly alone: boolean;
  /** A prefixed name may be another server's. */
  readonly tools: readonly UpstreamTool[];
  readonly prompts: readonly UpstreamPrompt[];
  readonly skills: readonly UpstreamSkill[];
  readonly resources: readonly (StaticResource | Claimable<StaticResource>)[];
  readonly templates: readonly Claimable<TemplateResource>[];
}

/** `alone`: whether there is no other server. Undefined if it was not built yet for what the server lists now. */
export function knownContribution(upstream: ManagedUpstream, listing: UpstreamListing, alone: boolean): Contributed | undefined {
  const known = upstream.contributed;
  return known?.listing === listing && known.alone === alone ? known : undefined;
}

/** In steps: its lists may be long. */
export function* contribute(upstream: ManagedUpstream, listing: UpstreamListing, alone: boolean): Generator<void, Contributed> {
  const { name, server } = upstream;
  const prefix = server.prefix ?? (alone ? '' : `${name}${SEPARATOR}`);
  const skills = listing.skills.length === 0 ? NO_SKILLS : yield* upstream.skills(listing, alone ? [] : [name]);
  const contributed: Growing = { listing, alone, skills, tools: [], prompts: [], resources: [], templates: [] };
  const { prompts, resources, templates, tools } = contributed;
  yield* stepsToTools(tools, upstream, listing, prefix, alone);
  yield* stepsToPrompts(prompts, upstream, listing, prefix);
  yield* skills.length === 0
    ? stepsToResources(resources, upstream, listing, alone)
    : stepsBesideSkills(resources, upstream, listing, skills, alone);
  const isOfSkills = (uri: string) => skills.length > 0 && !alone && isSkillScheme(uri);
  yield* stepsOver(listing.templates, (entry) => {
    if (!isOfSkills(entry.uriTemplate) && isShown(server, 'resources', entry.uriTemplate))
      templates.push(new Claim(entry.uriTemplate, (uriTemplate) => toTemplated(upstream, entry, uriTemplate), false));
  });
  upstream.contributed = contributed;
  return contributed;
}

/** While it is built. */
interface Growing extends Contributed {
  readonly tools: UpstreamTool[];
  readonly prompts: UpstreamPrompt[];
  readonly resources: (StaticResource | Claimable<StaticResource>)[];
  readonly templates: Claimable<TemplateResource>[];
}

const NO_SKILLS: readonly UpstreamSkill[] = [];

function stepsToPrompts(prompts: UpstreamPrompt[], upstream: ManagedUpstream, listing: UpstreamListing, prefix: string): Iterable<void> {
  const original = originalOf(prefix);
  return stepsOver(listing.prompts, (prompt) => {
    if (isShown(upstream.server, 'prompts', prompt.name)) prompts.push({ entry: prefixed(prompt, prefix), upstream, original });
  });
}

/** Nearly all servers have no skills. */
function stepsToResources(
  resources: Growing['resources'],
  upstream: ManagedUpstream,
  listing: UpstreamListing,
  alone: boolean,
): Iterable<void> {
  const showsResource = resourceFilterOf(upstream.server, listing.skills);
  return stepsOver(listing.resources, (entry) => {
    if (showsResource(entry.uri)) resources.push(new ResourceClaim(upstream, entry, alone));
  });
}

function* stepsBesideSkills(
  resources: Growing['resources'],
  upstream: ManagedUpstream,
  listing: UpstreamListing,
  skills: readonly UpstreamSkill[],
  alone: boolean,
): Generator<void, void> {
  const byFolder = new Map<string, UpstreamSkill>();
  yield* stepsOver(skills, (skill) => byFolder.set(uriPathKey(skill.folder), skill));
  const showsResource = resourceFilterOf(upstream.server, listing.skills);
  yield* stepsOver(listing.resources, (entry) => {
    if (!showsResource(entry.uri)) return;
    const place = uriPathOf(entry.uri);
    const file = place && innermost(place, byFolder);
    if (file === undefined) resources.push(new ResourceClaim(upstream, entry, alone));
    // With several servers, each has its skills in its own folder.
    else if (alone) resources.push(toSkillFile(upstream, entry, file));
  });
}

/** There may be very many, so it keeps little. */
class ResourceClaim implements Claimable<StaticResource> {
  readonly #upstream: ManagedUpstream;
  readonly #entry: Resource;
  readonly isRenamed: boolean;
  #last: StaticResource | undefined;

  constructor(upstream: ManagedUpstream, entry: Resource, alone: boolean) {
    this.#upstream = upstream;
    this.#entry = entry;
    // A skill:// resource that is not a skill must not appear among the skills of others.
    this.isRenamed = !alone && isSkillScheme(entry.uri);
  }

  get own(): string {
    return this.#entry.uri;
  }

  shownAs(uri: string): StaticResource {
    if (this.#last?.entry.uri !== uri) this.#last = new ForwardedResource(this.#upstream, this.#entry, uri);
    return this.#last;
  }
}

/** What it is follows from its entry, when it is asked for. */
class ForwardedResource implements StaticResource {
  readonly #upstream: ManagedUpstream;
  readonly #own: string;
  readonly entry: Resource;
  #forwarded: Forwarded | undefined;
  #known: Pick<StaticResource, 'category' | 'requiresAdmin'> | undefined;

  constructor(upstream: ManagedUpstream, given: Resource, uri: string) {
    this.#upstream = upstream;
    this.#own = given.uri;
    this.entry = given.uri === uri ? given : { ...given, uri };
  }

  get origin(): string {
    return this.#upstream.name;
  }

  get category(): string {
    return this.#traits.category;
  }

  get requiresAdmin(): boolean {
    return this.#traits.requiresAdmin;
  }

  get authorize(): StaticResource['authorize'] {
    return this.requiresAdmin ? requireAdmin : undefined;
  }

  get forwarded(): Forwarded {
    this.#forwarded ??= forwardedAs(this.#upstream, this.#own, this.entry.uri);
    return this.#forwarded;
  }

  read(uri: string, context: ReadContext): Promise<ResourceReading> {
    return readForwarded(this.forwarded, uri, context);
  }

  get #traits(): Pick<StaticResource, 'category' | 'requiresAdmin'> {
    this.#known ??= traitsOf(this.#upstream.server.resources ?? NO_RULES, this.#own);
    return this.#known;
  }
}

/** Builds it again only under another URI. */
class Claim<T> implements Claimable<T> {
  readonly #build: (shown: string) => T;
  #last: { readonly shown: string; readonly built: T } | undefined;

  constructor(
    readonly own: string,
    build: (shown: string) => T,
    readonly isRenamed: boolean,
  ) {
    this.#build = build;
  }

  shownAs(shown: string): T {
    if (this.#last?.shown !== shown) this.#last = { shown, built: this.#build(shown) };
    return this.#last.built;
  }
}

function toTemplated(upstream: ManagedUpstream, given: ResourceTemplateType, uriTemplate: string): TemplateResource {
  const { entry, ...traits } = traitsFor(upstream, given.uriTemplate, uriTemplate, given, { ...given, uriTemplate });
  const channel = { request: upstream.forward.bind(upstream) };
  const template = toTemplate(entry, [], channel, (uri, context) => readForwarded(traits.forwarded, uri, context), given.uriTemplate);
  return { ...template, ...traits };
}

/** A file of a skill is listed as the server lists it, and verified when read. */
function toSkillFile(
  upstream: ManagedUpstream,
  entry: Resource,
  { found: skill, path }: { found: UpstreamSkill; path: string },
): StaticResource {
  const traits = traitsOf(upstream.server.resources ?? [], entry.uri);
  return {
    ...traits,
    entry,
    origin: upstream.name,
    ...(traits.requiresAdmin ? { authorize: requireAdmin } : {}),
    async read(uri, context) {
      const content = await skill.read(path, context);
      return content === undefined ? undefined : { contents: [toContents(uri, content)] };
    },
  };
}

function toContents(uri: string, { bytes, mimeType }: SkillFileContent): ResourceContents {
  const text = decodeText(bytes);
  return text === undefined ? { uri, mimeType, blob: Buffer.from(bytes).toString('base64') } : { uri, mimeType, text };
}

/** The entry is the server's own unless it had to be renamed. */
function traitsFor<T>(upstream: ManagedUpstream, own: string, shown: string, given: T, renamed: T) {
  const traits = traitsOf(upstream.server.resources ?? NO_RULES, own);
  return {
    ...traits,
    entry: own === shown ? given : renamed,
    origin: upstream.name,
    forwarded: forwardedAs(upstream, own, shown),
    ...(traits.requiresAdmin ? { authorize: requireAdmin } : {}),
  };
}

function forwardedAs(upstream: ManagedUpstream, own: string, shown: string): Forwarded {
  const length = shown.length - own.length;
  return { upstream, original: length === 0 ? UNCHANGED : (uri) => uri.slice(length) };
}

const NO_RULES: readonly ResourceRule[] = [];

function isSkillScheme(uri: string): boolean {
  return uri.toLowerCase().startsWith('skill://');
}
