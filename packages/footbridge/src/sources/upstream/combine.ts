/** Combines what several servers offer, under unique names. */
import { stepsOver } from '../../turns.js';
import { labelOf } from '../forwarding.js';
import type { StaticResource, TemplateResource } from '../resource.js';
import { type InternalContribution, type Notice, nameOfTool, type Skill, type UpstreamPrompt, type UpstreamTool } from '../source.js';
import { type Claimable, contribute, knownContribution } from './contributed.js';
import { announces, has, KINDS, type UpstreamListing } from './listing.js';
import type { ManagedUpstream } from './upstream.js';

const NOBODY: readonly ManagedUpstream[] = [];

/** A contribution, and how a server's URI is shown to hosts. */
export interface Combined extends InternalContribution {
  readonly notices: readonly Notice[];
  shownUri(upstream: ManagedUpstream, uri: string): string;
}

/** A single server keeps its names, except those of our tools beside content of our own. Several get a prefix each, and of two with the same URI the first keeps it. In steps: there may be many. */
export function* combineUpstreams(upstreams: readonly ManagedUpstream[], hasOthers: boolean): Generator<void, Combined> {
  const alone = upstreams.length === 1 && !hasOthers;
  const notices: Notice[] = [];
  const ownNotices: Notice[] = [];
  const names = { tools: new Set<string>(), prompts: new Set<string>() };
  const uris = new Map<string, ManagedUpstream>();
  let byLabel: ReadonlyMap<string, readonly ManagedUpstream[]> | undefined;
  const labelled = (uri: string) => {
    const end = uri.indexOf('+');
    if (end === -1) return NOBODY;
    byLabel ??= labels(upstreams);
    return byLabel.get(uri.slice(0, end).toLowerCase()) ?? NOBODY;
  };
  const claim = (upstream: ManagedUpstream, uri: string): string => {
    // A URI with another server's prefix must not shadow that server's.
    if (labelled(uri).some((other) => other !== upstream)) return elsewhere(upstream, uri);
    const owner = uris.get(uri);
    if (owner === undefined) uris.set(uri, upstream);
    return owner === undefined || owner === upstream ? uri : elsewhere(upstream, uri);
  };
  const shown = <T>(upstream: ManagedUpstream, each: Claimable<T>): T =>
    each.shownAs(each.isRenamed ? elsewhere(upstream, each.own) : claim(upstream, each.own));
  const isFree = (kind: 'tools' | 'prompts', upstream: ManagedUpstream, name: string): boolean => {
    const free = !names[kind].has(name);
    names[kind].add(name);
    if (!free) notices.push(taken(kind, upstream, name));
    return free;
  };
  const skills: Skill[] = [];
  const tools: (readonly UpstreamTool[])[] = [];
  const prompts: (readonly UpstreamPrompt[])[] = [];
  const resources: StaticResource[] = [];
  const templates: TemplateResource[] = [];
  let live = false;
  const areApart = !alone && haveNamesApart(upstreams);
  for (const upstream of upstreams) {
    const { listing } = upstream;
    yield;
    if (listing === undefined) continue;
    const contributed = knownContribution(upstream, listing, alone) ?? (yield* contribute(upstream, listing, alone));
    live ||= isLive(listing);
    for (const notice of listing.notices) ownNotices.push(notice);
    const all = contributed;
    tools.push(areApart ? all.tools : all.tools.filter((tool) => isFree('tools', upstream, nameOfTool(tool))));
    prompts.push(areApart ? all.prompts : all.prompts.filter(({ entry }) => isFree('prompts', upstream, entry.name)));
    for (const skill of contributed.skills) skills.push(skill);
    yield* stepsOver(contributed.resources, (each) => resources.push('shownAs' in each ? shown(upstream, each) : each));
    yield* stepsOver(contributed.templates, (each) => templates.push(shown(upstream, each)));
  }
  return {
    skills,
    tools: tools.flat(),
    prompts: prompts.flat(),
    resources,
    templates,
    upstreams,
    live,
    notices: [...notices, ...ownNotices],
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

function labels(upstreams: readonly ManagedUpstream[]): ReadonlyMap<string, readonly ManagedUpstream[]> {
  const byLabel = new Map<string, ManagedUpstream[]>();
  for (const upstream of upstreams) {
    const label = labelOf(upstream.name);
    byLabel.set(label, [...(byLabel.get(label) ?? []), upstream]);
  }
  return byLabel;
}

/**
 * Whether no name of one can be that of another: each begins with the name of its server, as the usual prefix, which ends where it
 * seems to. Tools to sign in have no prefix.
 */
function haveNamesApart(upstreams: readonly ManagedUpstream[]): boolean {
  const names = upstreams.map(({ name }) => `${name}\n`).join('');
  if (/__|_\n/.test(names) || upstreams.some(({ server }) => server.prefix !== undefined)) return false;
  const signIns = upstreams.flatMap(({ signIn }) => signIn?.toolName ?? []);
  return new Set(signIns).size === signIns.length;
}

/** Whether its lists have to be read again for each request. */
function isLive({ handshake }: UpstreamListing): boolean {
  return KINDS.some((kind) => has(handshake, kind) && !announces(handshake, kind));
}

function elsewhere({ name }: ManagedUpstream, uri: string): string {
  return `${labelOf(name)}+${uri}`;
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
