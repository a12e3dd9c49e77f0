/** Everything that a server lists, verbatim. */
import type { Prompt, ProtocolEra, Resource, ResourceTemplateType, Tool } from '@modelcontextprotocol/server';
import { contentKey } from '../../content-key.js';
import { type Fields, isFields } from '../../json.js';
import { sameJsonSteps } from '../../json-pieces.js';
import { inTurns } from '../../turns.js';
import type { Handshake } from '../forwarding.js';
import type { ReadContext } from '../resource.js';
import { type Channel, listAll } from '../server/channel.js';
import { isResource, isTemplateEntry } from '../server/entries.js';
import type { Notice } from '../source.js';
import { withinBounds } from './bounds.js';
import type { PublishedSkill } from './skills/published.js';

export interface UpstreamListing {
  readonly handshake: Handshake;
  readonly era: ProtocolEra;
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplateType[];
  readonly skills: readonly PublishedSkill[];
  readonly notices: readonly Notice[];
  /** The names of its tools, in order, if these are parsed on first access. */
  readonly toolHeads?: readonly ToolHead[];
  /** One of its tools, without parsing the others. */
  toolAt?(at: number): Tool | undefined;
  /** The `contentKey` of a definition that was stored. */
  toolKeyAt?(at: number): number | undefined;
}

/** All fields in the order in which they are stored and compared. Lists that are parsed on first access are parsed. */
export function wholeListing(listing: UpstreamListing): UpstreamListing {
  const { tools, prompts, resources, templates, skills, notices, handshake, era } = listing;
  return { tools, prompts, resources, templates, skills, notices, handshake, era };
}

export async function isSameListing(one: UpstreamListing | undefined, other: UpstreamListing): Promise<boolean> {
  return one !== undefined && isSameGreeting(one, other) && inTurns(sameListsSteps(one, other));
}

/** Whether two connections agreed on the same era and handshake. */
export function isSameGreeting(one: Greeting, other: Greeting): boolean {
  return one.era === other.era && JSON.stringify(one.handshake) === JSON.stringify(other.handshake);
}

type Greeting = Pick<UpstreamListing, 'handshake' | 'era'>;

/** Whether a listing has exactly these lists. In steps: a list may have 24 MiB. */
export function* sameListsSteps(listing: UpstreamListing, lists: Partial<UpstreamListing>): Generator<void, boolean> {
  for (const name of LISTS) {
    const [own, other] = [listing[name], lists[name]];
    if (other === undefined || own === other) continue;
    if (own.length !== other.length) return false;
    for (const [at, entry] of own.entries()) {
      if (!(yield* sameJsonSteps(entry, other[at]))) return false;
      yield;
    }
  }
  return true;
}

const LISTS = ['tools', 'prompts', 'resources', 'templates', 'skills', 'notices'] as const;

/** The parts of a tool that are known before its definition is parsed. */
export interface ToolHead {
  readonly name: string;
  /** Whether it can only be called as a task. */
  readonly needsTask?: true;
}

export function toolHeadOf({ name, execution }: Tool): ToolHead {
  return execution?.taskSupport === 'required' ? { name, needsTask: true } : { name };
}

/** In the order of its tools. */
export function toolHeadsOf(listing: UpstreamListing): readonly ToolHead[] {
  return listing.toolHeads ?? listing.tools.map(toolHeadOf);
}

/** Distinguishes definitions of a tool. */
export function toolKeyOf(listing: UpstreamListing, at: number): number {
  return listing.toolKeyAt?.(at) ?? contentKey('', JSON.stringify(listing.tools[at] ?? null));
}

export type ListKind = 'tools' | 'prompts' | 'resources';

/** Whether the server announces changes of a list. */
export function announces({ capabilities }: Handshake, kind: ListKind): boolean {
  const declared = capabilities[kind];
  return isFields(declared) && declared['listChanged'] === true;
}

export function has({ capabilities }: Handshake, kind: ListKind): boolean {
  return capabilities[kind] !== undefined;
}

/** Whether it announces changes of every list that it has. */
export function announcesAll(handshake: Handshake): boolean {
  return KINDS.every((kind) => !has(handshake, kind) || announces(handshake, kind));
}

/** The purpose of a server: its description, else the beginning of its instructions, else its title. */
export function purposeOf({ instructions, serverInfo }: Handshake): string | undefined {
  return [serverInfo['description'], instructions, serverInfo['title']].find(
    (text): text is string => typeof text === 'string' && text.trim() !== '',
  );
}

export const KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources'];

/** Reads all pages of a list; empty where the server does not support it. `beyond` receives the number of omitted entries. */
export async function readList(
  channel: Channel,
  handshake: Handshake,
  kind: ListKind,
  context: ReadContext,
  beyond: (entries: number) => void,
): Promise<Partial<UpstreamListing>> {
  let leftOut = 0;
  const list = async (method: string, field: string) => {
    if (!has(handshake, kind)) return [];
    const { kept, left } = await inTurns(withinBounds((await listAll(channel, method, field, context)) ?? []));
    leftOut += left;
    return kept;
  };
  const lists = await readLists(kind, list);
  beyond(leftOut);
  return lists;
}

/** The valid entries of stored lists. */
export function storedEntries(kind: ListKind, stored: Fields): Promise<Partial<UpstreamListing>> {
  return readLists(kind, async (_method, field) => {
    const entries = stored[field === 'resourceTemplates' ? 'templates' : field];
    return (await inTurns(withinBounds((Array.isArray(entries) ? entries : []).filter(isFields)))).kept;
  });
}

async function readLists(
  kind: ListKind,
  list: (method: string, field: string) => Promise<readonly Fields[]>,
): Promise<Partial<UpstreamListing>> {
  const nameOf = ({ name }: { readonly name: string }) => name;
  if (kind === 'tools') return { tools: firstOfEach((await list('tools/list', 'tools')).filter(isTool), nameOf) };
  if (kind === 'prompts') return { prompts: firstOfEach((await list('prompts/list', 'prompts')).filter(isPrompt), nameOf) };
  const [resources, templates] = await Promise.all([
    list('resources/list', 'resources'),
    list('resources/templates/list', 'resourceTemplates'),
  ]);
  return {
    resources: firstOfEach(resources.filter(isResource), ({ uri }) => uri),
    templates: firstOfEach(templates.filter(isTemplateEntry), ({ uriTemplate }) => uriTemplate),
  };
}

/** Drops duplicates, such as those of repeated pages. */
function firstOfEach<T>(entries: readonly T[], key: (entry: T) => string): readonly T[] {
  const first = new Map<string, T>();
  for (const entry of entries) if (!first.has(key(entry))) first.set(key(entry), entry);
  return first.size === entries.length ? entries : [...first.values()];
}

export function isTool(entry: Fields): entry is Fields & Tool {
  return typeof entry['name'] === 'string';
}

function isPrompt(entry: Fields): entry is Fields & Prompt {
  return typeof entry['name'] === 'string';
}

const NO_SKILLS: readonly PublishedSkill[] = [];
export const NO_LISTS: Omit<UpstreamListing, 'handshake' | 'era'> = {
  tools: [],
  prompts: [],
  resources: [],
  templates: [],
  skills: NO_SKILLS,
  notices: [],
};

export function emptyListing(handshake: Handshake, era: ProtocolEra): UpstreamListing {
  return { ...NO_LISTS, handshake, era };
}
