/** What one server contributes, under the names that hosts see. It is built once and shared until its lists change. */
import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import { decodeText } from '../../text.js';
import { stepsOver } from '../../turns.js';
import { type Forwarded, readForwarded } from '../forwarding.js';
import { type ResourceContents, requireAdmin, type StaticResource, type TemplateResource } from '../resource.js';
import { type ResourceRule, toTemplate, traitsOf } from '../server/entries.js';
import type { SkillFileContent, UpstreamPrompt, UpstreamTool } from '../source.js';
import { isShown, resourceFilterOf } from './filter.js';
import { originalOf, prefixed, SEPARATOR, toolsOf, UNCHANGED } from './listed-tools.js';
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

/** `alone`: whether there is no other server. Undefined until it has listed something. In steps: its lists may be long. */
export function* contributedBy(upstream: ManagedUpstream, alone: boolean): Generator<void, Contributed | undefined> {
  const { listing } = upstream;
  if (listing === undefined) return undefined;
  const known = upstream.contributed;
  if (known?.listing === listing && known.alone === alone) return known;
  const contributed = yield* contribute(upstream, listing, alone);
  upstream.contributed = contributed;
  return contributed;
}

function* contribute(upstream: ManagedUpstream, listing: UpstreamListing, alone: boolean): Generator<void, Contributed> {
  const { name, server } = upstream;
  const prefix = server.prefix ?? (alone ? '' : `${name}${SEPARATOR}`);
  const skills = yield* upstream.skills(listing, alone ? [] : [name]);
  const { prompts, resources, templates } = listing;
  const isOfSkills = (uri: string) => skills.length > 0 && !alone && isSkillScheme(uri);
  return {
    listing,
    alone,
    skills,
    tools: yield* toolsOf(upstream, listing, prefix, alone),
    prompts: prompts.length === 0 ? NOTHING : yield* promptsOf(upstream, listing, prefix),
    resources: resources.length === 0 ? NOTHING : yield* resourcesOf(upstream, listing, skills, alone),
    templates:
      templates.length === 0
        ? NOTHING
        : yield* eachOf(templates, (entry) =>
            !isOfSkills(entry.uriTemplate) && isShown(server, 'resources', entry.uriTemplate)
              ? new Claim(entry.uriTemplate, (uriTemplate) => toTemplated(upstream, entry, uriTemplate), false)
              : undefined,
          ),
  };
}

const NOTHING: readonly never[] = [];

function promptsOf(upstream: ManagedUpstream, { prompts }: UpstreamListing, prefix: string): Generator<void, readonly UpstreamPrompt[]> {
  const forwarded = withPrefix(upstream, prefix);
  return eachOf(prompts, (prompt) =>
    isShown(upstream.server, 'prompts', prompt.name) ? { entry: prefixed(prompt, prefix), ...forwarded } : undefined,
  );
}

function* resourcesOf(
  upstream: ManagedUpstream,
  listing: UpstreamListing,
  skills: readonly UpstreamSkill[],
  alone: boolean,
): Generator<void, Contributed['resources']> {
  const byFolder = new Map<string, UpstreamSkill>();
  yield* stepsOver(skills, (skill) => byFolder.set(uriPathKey(skill.folder), skill));
  const showsResource = resourceFilterOf(upstream.server, listing.skills);
  const toResource = (entry: Resource): StaticResource | Claimable<StaticResource> | undefined => {
    const place = skills.length === 0 ? undefined : uriPathOf(entry.uri);
    const file = place && innermost(place, byFolder);
    // A skill:// resource that is not a skill must not appear among the skills of others.
    if (file === undefined) return new Claim(entry.uri, (uri) => toStatic(upstream, entry, uri), !alone && isSkillScheme(entry.uri));
    // With several servers, each has its skills in its own folder.
    return alone ? toSkillFile(upstream, entry, file) : undefined;
  };
  return yield* eachOf(listing.resources, (entry) => (showsResource(entry.uri) ? toResource(entry) : undefined));
}

/** What each entry becomes, in order, without those that become nothing. */
function* eachOf<T, R>(entries: readonly T[], become: (entry: T) => R | undefined): Generator<void, R[]> {
  const found: R[] = [];
  yield* stepsOver(entries, (entry) => {
    const each = become(entry);
    if (each !== undefined) found.push(each);
  });
  return found;
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

function withPrefix(upstream: ManagedUpstream, prefix: string): Forwarded {
  return { upstream, original: originalOf(prefix) };
}

/** There may be very many, so each is made in one piece. */
function toStatic(upstream: ManagedUpstream, given: Resource, uri: string): StaticResource {
  const { category, requiresAdmin } = traitsOf(upstream.server.resources ?? NO_RULES, given.uri);
  const forwarded = forwardedAs(upstream, given.uri, uri);
  const resource: StaticResource = {
    category,
    requiresAdmin,
    entry: given.uri === uri ? given : { ...given, uri },
    origin: upstream.name,
    forwarded,
    read: (shown, context) => readForwarded(forwarded, shown, context),
  };
  return requiresAdmin ? { ...resource, authorize: requireAdmin } : resource;
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
