/** Resources by category, for models: built once for each snapshot. */
import { MAX_COMPARED, nearest } from '../catalog/near.js';
import { isSearchedResource, type Searched } from '../catalog/search/searched.js';
import { SKILL_CATEGORY, SKILL_TEMPLATE_ENTRY } from '../catalog/skill-template.js';
import { perSnapshot, type Snapshot } from '../catalog/snapshot.js';
import type { ResourceTraits, StaticResource, TemplateResource } from '../sources/resource.js';
import { skillUri } from '../sources/skill-uri.js';
import type { Skill } from '../sources/source.js';
import { countWithin, type ItemForms } from './parts/page.js';
import { unlistedSkills } from './resources.js';

/** One resource or template, as discovery shows it. */
export interface ResourceMetadata {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly is_template: boolean;
  readonly template_variables: readonly string[];
  /** Variables that may be left out. */
  readonly optional_variables?: readonly string[];
  /** Values to try, by variable. */
  readonly examples?: Readonly<Record<string, readonly string[]>>;
  readonly requires_admin: boolean;
  readonly category: string;
  readonly mime_type?: string;
  /** The upstream it comes from, where there are several. */
  readonly origin?: string;
}

/** What discovery shows: as it is, since there may be very many. */
export type DiscoveryItem = ResourceMetadata | StaticResource | TemplateResource | Skill;

/** Everything that can be read, category by category in the order in which these first appear. */
export const discoveryOf = perSnapshot((snapshot): readonly DiscoveryItem[] => {
  const hasSkills = snapshot.skills.length > 0;
  const { resources, templates } = snapshot;
  const groups = groupByCategory([...resources, ...templates, ...(hasSkills ? [SKILL_FILES] : [])]);
  return [...groups].flatMap(([category, group]): readonly DiscoveryItem[] =>
    hasSkills && category === SKILL_CATEGORY ? [...group, ...unlistedSkills(snapshot)] : group,
  );
});

/** An entry of discovery, as it is shown. */
export function metadataOf(each: DiscoveryItem, { upstreams }: Snapshot): ResourceMetadata {
  if ('is_template' in each) return each;
  if ('entry' in each) return metadataOfResource(each, upstreams.length > 1);
  return {
    requires_admin: false,
    category: SKILL_CATEGORY,
    uri: skillUri(each),
    name: each.name,
    description: each.description,
    is_template: false,
    template_variables: [],
    mime_type: 'text/markdown',
  };
}

export function uriOf(each: DiscoveryItem): string {
  if ('is_template' in each) return each.uri;
  if ('entry' in each) return 'template' in each ? each.entry.uriTemplate : each.entry.uri;
  return skillUri(each);
}

/** What a search found, as discovery shows it; a skill that is also a resource once. */
export function discoveredIn(found: readonly Searched[]): readonly DiscoveryItem[] {
  const items = found.map((each): DiscoveryItem => (isSearchedResource(each) ? each.resource : each));
  return [...new Map(items.map((each) => [uriOf(each), each])).values()];
}

function metadataOfResource(resource: StaticResource | TemplateResource, several: boolean): ResourceMetadata {
  if (!('template' in resource))
    return { ...shown(resource.entry.uri, resource.entry, resource, several), is_template: false, template_variables: [] };
  const { entry, template, examples } = resource;
  const optional = template.variables.filter(({ required }) => !required).map(({ name }) => name);
  return {
    ...shown(entry.uriTemplate, entry, resource, several),
    is_template: true,
    template_variables: template.variables.map(({ name }) => name),
    ...(optional.length === 0 ? {} : { optional_variables: optional }),
    ...(Object.values(examples).some((values) => values.length > 0) ? { examples } : {}),
  };
}

/** An entry as its server listed it: fields may be missing or have other types. */
interface Entry {
  readonly name?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly mimeType?: unknown;
}

function shown(uri: string, entry: Entry, { category, requiresAdmin, forwarded, origin }: ResourceTraits, several: boolean) {
  return {
    uri,
    name: firstText(entry.title, entry.name, uri),
    description: firstText(entry.description, ''),
    requires_admin: requiresAdmin,
    category,
    ...(typeof entry.mimeType === 'string' ? { mime_type: entry.mimeType } : {}),
    ...(several && forwarded !== undefined ? { origin: origin ?? forwarded.upstream.name } : {}),
  };
}

function firstText(...values: readonly unknown[]): string {
  return values.find((value) => typeof value === 'string') ?? '';
}

const { uriTemplate, title = '', description = '' } = SKILL_TEMPLATE_ENTRY;
const SKILL_FILES: ResourceMetadata = {
  uri: uriTemplate,
  name: title,
  description,
  is_template: true,
  template_variables: ['path'],
  requires_admin: false,
  category: SKILL_CATEGORY,
};

export function groupByCategory<T extends Pick<ResourceTraits, 'category'>>(entries: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const entry of entries) {
    const group = groups.get(entry.category);
    if (group === undefined) groups.set(entry.category, [entry]);
    else group.push(entry);
  }
  return groups;
}

/** How many an error lists. */
const MAX_VALID = 200;

/**
 * For an error about a URI: every valid URI, or the nearest where there are too many, or too many for `room` bytes, with a
 * count of the rest.
 */
export function validUris(snapshot: Snapshot, wrong: string, room: number): readonly string[] {
  const all = discoveryOf(snapshot);
  const count = countWithin(all, 0, MAX_VALID, room, (each) => bothForms(uriOf(each)));
  if (all.length <= count) return all.map(uriOf);
  const first = new Set(nearest(wrong, all.slice(0, MAX_COMPARED).map(uriOf)));
  const others = all.slice(0, MAX_VALID + first.size).map(uriOf);
  const ordered = [...first, ...others.filter((uri) => !first.has(uri))];
  // The count is an entry, too.
  const listed = ordered.slice(0, countWithin(ordered, 0, MAX_VALID - 1, room, bothForms));
  return [...listed, `… and ${all.length - listed.length} more: call get_resource() to see them`];
}

function bothForms(uri: string): ItemForms {
  return { text: `- ${uri}`, structure: uri };
}

/** Characters of the list of URIs in a tool's description. */
const LISTING_BUDGET = 4000;
/** Characters that are kept for the count of those left out. */
const COUNT = 60;

/**
 * The URIs by category for a tool's description, in at most `room` characters. Skills are in another tool's, so only their
 * template is here.
 */
export function resourceListingOf(snapshot: Snapshot, room = Number.POSITIVE_INFINITY): string {
  const { whole, shorter } = listingsOf(snapshot);
  if (whole.length <= room) return whole;
  let listing = shorter.get(room);
  if (listing === undefined) {
    listing = listingWithin(snapshot, room - COUNT);
    shorter.set(room, listing);
  }
  return listing;
}

/** The rooms are those of hosts, which are few. */
const listingsOf = perSnapshot((snapshot) => ({ whole: listingWithin(snapshot, LISTING_BUDGET), shorter: new Map<number, string>() }));

function listingWithin(snapshot: Snapshot, budget: number): string {
  const groups = urisByCategory(snapshot);
  const lines: string[] = [];
  let used = 0;
  let left = 0;
  for (const [category, group] of groups) {
    const texts: string[] = [];
    used += category.length + 2;
    for (const text of group) {
      if (used + text.length + 2 > budget) left++;
      else {
        used += text.length + 2;
        texts.push(text);
      }
    }
    if (texts.length > 0) lines.push(`${category}: ${texts.join(', ')}`);
  }
  if (left > 0) lines.push(`${left} more: call get_resource() without arguments.`);
  return lines.join('\n');
}

/** Only what the listing needs: it is made with each change of a catalog that may be large. */
function urisByCategory(snapshot: Snapshot): ReadonlyMap<string, readonly string[]> {
  const { resources, skills, templates } = snapshot;
  const groups = new Map<string, string[]>();
  const add = (uri: string, { category, requiresAdmin }: Pick<ResourceTraits, 'category' | 'requiresAdmin'>) => {
    const text = requiresAdmin ? `${uri} (admin)` : uri;
    const group = groups.get(category);
    if (group === undefined) groups.set(category, [text]);
    else group.push(text);
  };
  for (const resource of resources) if (snapshot.skillOf(resource) === undefined) add(resource.entry.uri, resource);
  for (const resource of templates) add(resource.entry.uriTemplate, resource);
  if (skills.length > 0) add(SKILL_FILES.uri, { category: SKILL_FILES.category, requiresAdmin: false });
  return groups;
}
