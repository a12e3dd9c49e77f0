/** Combines what several servers offer, under unique names. */
import type { Prompt, Resource, ResourceTemplateType, Tool } from '@modelcontextprotocol/server';
import { matches } from '../../pattern.js';
import { decodeText } from '../../text.js';
import { resemblesOwnTool } from '../../tool-names.js';
import { type Forwarded, labelOf, readForwarded } from '../forwarding.js';
import { type ResourceContents, requireAdmin, type StaticResource, type TemplateResource } from '../resource.js';
import { toTemplate, traitsOf } from '../server/entries.js';
import type { InternalContribution, Notice, Skill, SkillFileContent, UpstreamPrompt, UpstreamTool } from '../source.js';
import { isShown, isShownResource } from './filter.js';
import { announces, has } from './listing.js';
import type { ServerSettings } from './options.js';
import type { UpstreamSkill } from './skills/upstream-skill.js';
import { innermost, uriPathKey, uriPathOf } from './skills/uri-path.js';
import type { ManagedUpstream } from './upstream.js';

const NOBODY: readonly ManagedUpstream[] = [];
const UNCHANGED = (shown: string) => shown;

/** A contribution, and how a server's URI is shown to hosts. */
export interface Combined extends InternalContribution {
  readonly notices: readonly Notice[];
  shownUri(upstream: ManagedUpstream, uri: string): string;
}

/** A single server keeps its names, except those of our tools beside content of our own. Several get a prefix each, and of two with the same URI the first keeps it. */
export function combineUpstreams(upstreams: readonly ManagedUpstream[], hasOthers: boolean): Combined {
  const alone = upstreams.length === 1 && !hasOthers;
  const notices: Notice[] = [];
  const names = { tools: new Set<string>(), prompts: new Set<string>() };
  const uris = new Map<string, ManagedUpstream>();
  const byLabel = new Map<string, ManagedUpstream[]>();
  for (const upstream of upstreams) {
    const label = labelOf(upstream.name);
    byLabel.set(label, [...(byLabel.get(label) ?? []), upstream]);
  }
  const labelled = (uri: string) => {
    const end = uri.indexOf('+');
    return end === -1 ? NOBODY : (byLabel.get(uri.slice(0, end).toLowerCase()) ?? NOBODY);
  };
  const claim = (upstream: ManagedUpstream, uri: string): string => {
    // A URI with another server's prefix must not shadow that server's.
    if (labelled(uri).some((other) => other !== upstream)) return elsewhere(upstream, uri);
    const owner = uris.get(uri);
    if (owner === undefined) uris.set(uri, upstream);
    return owner === undefined || owner === upstream ? uri : elsewhere(upstream, uri);
  };
  const isFree = (kind: 'tools' | 'prompts', upstream: ManagedUpstream, name: string): boolean => {
    const free = !names[kind].has(name);
    names[kind].add(name);
    if (!free) notices.push(taken(kind, upstream, name));
    return free;
  };
  const skills: Skill[] = [];
  const tools: UpstreamTool[] = [];
  const prompts: UpstreamPrompt[] = [];
  const resources: StaticResource[] = [];
  const templates: TemplateResource[] = [];
  for (const upstream of upstreams) {
    const { listing, name, server } = upstream;
    if (listing === undefined) continue;
    const prefix = server.prefix ?? (alone ? '' : `${name}__`);
    const forwarded = withPrefix(upstream, prefix);
    for (const tool of listing.tools)
      if (upstream.isSignIn(tool.name)) tools.push({ entry: tool, ...withPrefix(upstream, ''), toolSearch: false });
      else if (isShown(server, 'tools', tool.name))
        for (const { prefix: each, ...when } of placesOf(prefix, tool.name, name, alone))
          if (isFree('tools', upstream, each + tool.name))
            tools.push({
              entry: prefixed(tool, each),
              ...(each === prefix ? forwarded : withPrefix(upstream, each)),
              ...when,
              ...searchOf(server, tool.name, each + tool.name),
            });
    for (const prompt of listing.prompts)
      if (isShown(server, 'prompts', prompt.name) && isFree('prompts', upstream, prefix + prompt.name))
        prompts.push({ entry: prefixed(prompt, prefix), ...forwarded });
    const own = upstream.skills(alone ? [] : [name]);
    for (const skill of own) skills.push(skill);
    const byFolder = new Map(own.map((skill) => [uriPathKey(skill.folder), skill]));
    for (const entry of listing.resources) {
      if (!isShownResource(server, listing.skills, entry.uri)) continue;
      const place = own.length === 0 ? undefined : uriPathOf(entry.uri);
      const file = place && innermost(place, byFolder);
      if (file !== undefined) {
        // With several servers, each has its skills in its own folder.
        if (alone) resources.push(toSkillFile(upstream, entry, file));
      } else {
        // A skill:// resource that is not a skill must not appear among the skills of others.
        const uri = !alone && isSkillScheme(entry.uri) ? elsewhere(upstream, entry.uri) : claim(upstream, entry.uri);
        resources.push(toStatic(upstream, entry, uri));
      }
    }
    for (const entry of listing.templates) {
      const isOfSkills = own.length > 0 && !alone && isSkillScheme(entry.uriTemplate);
      if (!isOfSkills && isShown(server, 'resources', entry.uriTemplate))
        templates.push(toTemplated(upstream, entry, claim(upstream, entry.uriTemplate)));
    }
  }
  return {
    skills,
    tools,
    prompts,
    resources,
    templates,
    upstreams,
    live: upstreams.some(isLive),
    notices: [...notices, ...upstreams.flatMap(({ listing }) => listing?.notices ?? [])],
    shownUri: (upstream, uri) => {
      const owner = uris.get(uri);
      if (owner !== undefined) return owner === upstream ? uri : elsewhere(upstream, uri);
      const renamed = elsewhere(upstream, uri);
      const isRenamed = templates.some(
        ({ forwarded, template }) =>
          forwarded?.upstream === upstream && forwarded.original(renamed) === uri && template.match(renamed) !== undefined,
      );
      return isRenamed ? renamed : uri;
    },
  };
}

interface ToolPlace extends Pick<UpstreamTool, 'shownWhen'> {
  readonly prefix: string;
}

/** A tool that has one of our names, or would pass for ours, keeps that only where there is nothing else. */
function placesOf(prefix: string, tool: string, server: string, alone: boolean): readonly ToolPlace[] {
  if (!resemblesOwnTool(prefix + tool)) return [{ prefix }];
  const beside: ToolPlace = { prefix: `${server}__`, shownWhen: 'beside' };
  return alone ? [{ prefix, shownWhen: 'alone' }, beside] : [beside];
}

function searchOf({ always = [], toolSearch }: ServerSettings, own: string, shown: string): Pick<UpstreamTool, 'toolSearch'> {
  if (always.some((pattern) => matches(pattern, own) || matches(pattern, shown))) return { toolSearch: false };
  return toolSearch === undefined ? {} : { toolSearch };
}

/** Whether its lists have to be read again for each request. */
function isLive({ listing }: ManagedUpstream): boolean {
  if (listing === undefined) return false;
  return (['tools', 'prompts', 'resources'] as const).some((kind) => has(listing.handshake, kind) && !announces(listing.handshake, kind));
}

function elsewhere({ name }: ManagedUpstream, uri: string): string {
  return `${labelOf(name)}+${uri}`;
}

function prefixed<T extends Tool | Prompt>(entry: T, prefix: string): T {
  return prefix === '' ? entry : { ...entry, name: `${prefix}${entry.name}` };
}

function withPrefix(upstream: ManagedUpstream, prefix: string): Forwarded {
  return { upstream, original: prefix === '' ? UNCHANGED : (shown) => shown.slice(prefix.length) };
}

function toStatic(upstream: ManagedUpstream, given: Resource, uri: string): StaticResource {
  const { entry, ...traits } = traitsFor(upstream, given.uri, uri, given, { ...given, uri });
  return { ...traits, entry, read: (shown, context) => readForwarded(traits.forwarded, shown, context) };
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

function isSkillScheme(uri: string): boolean {
  return uri.toLowerCase().startsWith('skill://');
}

/** The entry is the server's own unless it had to be renamed. */
function traitsFor<T>(upstream: ManagedUpstream, own: string, shown: string, given: T, renamed: T) {
  const length = shown.length - own.length;
  const traits = traitsOf(upstream.server.resources ?? [], own);
  return {
    ...traits,
    entry: length === 0 ? given : renamed,
    origin: upstream.name,
    forwarded: { upstream, original: length === 0 ? UNCHANGED : (uri: string) => uri.slice(length) },
    ...(traits.requiresAdmin ? { authorize: requireAdmin } : {}),
  };
}

function taken(kind: 'tools' | 'prompts', { name }: ManagedUpstream, shown: string): Notice {
  return {
    severity: 'warning',
    rule: 'server-name-taken',
    file: name,
    message: `The ${kind === 'tools' ? 'tool' : 'prompt'} '${shown}' of the server '${name}' is not shown: another server has that name.`,
    action: 'Set a different prefix for one of the servers.',
  };
}
