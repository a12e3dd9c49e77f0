/** Pages of discovery: what there is to read, for the answer of a tool. */
import type { TextContent } from '@modelcontextprotocol/server';
import type { Snapshot } from '../catalog/snapshot.js';
import { echo } from '../errors.js';
import { ownField } from '../json.js';
import { isLargeJson } from '../json-pieces.js';
import { setJsonText } from '../json-text.js';
import { type DiscoveryItem, discoveryOf, groupByCategory, metadataOf, type ResourceMetadata, uriOf } from './discovery.js';
import { paginate } from './paging.js';
import { countWithin, type ItemForms } from './parts/page.js';
import { shorten } from './text.js';

const PAGE = 200;

/** One page of discovery, as text and as structure. */
export interface DiscoveryPage {
  readonly block: TextContent;
  readonly data: Readonly<Record<string, readonly ResourceMetadata[]>>;
  /** Undefined if it is long. */
  readonly dataJson: string | undefined;
  readonly nextCursor: string | undefined;
}

const pages = new WeakMap<Snapshot, Map<string, DiscoveryPage>>();
/** Bounds the memory that invented cursors can use. */
const MAX_PAGES = 100;
const LONGEST_KEY = 10_000;
/** Characters of a text whose JSON is kept beside it. */
const MAX_WRITTEN = 128 * 1024;

/** The page after `cursor`, as far as it fits into `room` bytes; built once for each snapshot. */
export function discoveryPage(snapshot: Snapshot, cursor: string | undefined, room: number): DiscoveryPage {
  const made = pages.get(snapshot) ?? new Map<string, DiscoveryPage>();
  pages.set(snapshot, made);
  const key = `${room} ${cursor ?? ''}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const built = pageAmong(snapshot, discoveryOf(snapshot), cursor, room);
  if (made.size < MAX_PAGES && key.length <= LONGEST_KEY) made.set(key, built);
  return built;
}

/** A page of `all`: what there is, or what a search for `query` found, best first within each category. */
export function pageAmong(
  snapshot: Snapshot,
  all: readonly DiscoveryItem[],
  cursor: string | undefined,
  room: number,
  query?: string,
): DiscoveryPage {
  const longest = room / LONGEST_SHARE;
  const size = (start: number) => countWithin(all, start, PAGE, room, (entry) => formsOf(within(metadataOf(entry, snapshot), longest)));
  const page = paginate(all, cursor, size, uriOf);
  const { nextCursor } = page;
  const shown = page.items.map((each) => metadataOf(each, snapshot));
  const items = room === Number.POSITIVE_INFINITY ? shown : shown.map((entry) => within(entry, longest));
  const groups = groupByCategory(items);
  const text = discoveryText(all.length, groups, nextCursor, query);
  const block: TextContent = { type: 'text', text };
  const data = Object.fromEntries(groups);
  // It is the same for all who ask, but a long one must not be written at once.
  const isLong = text.length > MAX_WRITTEN || isLargeJson(data);
  if (!isLong) setJsonText(block, 'text', JSON.stringify(text));
  return { block: Object.freeze(block), data, dataJson: isLong ? undefined : JSON.stringify(data), nextCursor };
}

/** A description takes at most this part of a host's limit. */
const LONGEST_SHARE = 8;

function within(entry: ResourceMetadata, longest: number): ResourceMetadata {
  return entry.description.length <= longest ? entry : { ...entry, description: shorten(entry.description, longest) };
}

/** With the heading, which may be needed. */
function formsOf(entry: ResourceMetadata): ItemForms {
  return { text: `${entryText(entry)} ## ${entry.category}  `, structure: [entry.category, entry] };
}

function discoveryText(
  total: number,
  groups: ReadonlyMap<string, readonly ResourceMetadata[]>,
  nextCursor: string | undefined,
  query: string | undefined,
): string {
  const sections = [...groups].map(([category, entries]) => [`\n## ${category}`, ...entries.map(entryText)].join('\n'));
  const count = total === 1 ? '1 resource' : `${total} resources`;
  const head = query === undefined ? count : `${count} for '${echo(query)}', the best first in each category`;
  const none = query === undefined ? 'There are no resources.' : 'Try other words, or get_resource() without a query.';
  const again = query === undefined ? 'get_resource with cursor' : 'get_resource with the same query and cursor';
  return [
    `${head}. Read one with get_resource({ uri }).`,
    ...sections,
    ...(total === 0 ? [none] : []),
    ...(nextCursor === undefined ? [] : [`\nMore: ${again} "${nextCursor}".`]),
  ].join('\n');
}

function entryText(entry: ResourceMetadata): string {
  const { uri, name, description, template_variables, optional_variables = [], examples = {}, requires_admin, mime_type, origin } = entry;
  const notes = [
    ...(mime_type === undefined ? [] : [mime_type]),
    ...template_variables.map((variable) => {
      const values = ownField(examples, variable) ?? [];
      const kind = optional_variables.includes(variable) ? 'optional' : 'needs';
      return values.length === 0 ? `${kind} ${variable}` : `${kind} ${variable}, such as ${values.slice(0, 3).join(', ')}`;
    }),
    ...(requires_admin ? ['needs admin rights'] : []),
    ...(origin === undefined ? [] : [`from ${origin}`]),
  ];
  const about = description === '' ? '' : `: ${description.replace(/\s+/g, ' ')}`;
  // Only Latin-1 characters: any other doubles the size of the whole answer in memory.
  return `- ${uri} - ${name}${about}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
}
