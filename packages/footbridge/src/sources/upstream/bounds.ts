/** Limits for the lists of an upstream. Entries beyond them are omitted, and the rest is served. */
import type { Fields } from '../../json.js';
import { LONGEST_URI } from '../../uri-template.js';

const BOUNDS = {
  /** Of one list. */
  entries: 20_000,
  /** Characters of a name, a title, a URI or a template. */
  name: 1024,
  uri: LONGEST_URI,
  /** The total length of all templates, plus this much for each one: each is compared with the patterns of each role. */
  templates: 256 * 1024,
  template: 128,
  description: 64 * 1024,
  /** Characters of an entry with all its fields, and levels of its schemas. */
  entry: 512 * 1024,
  depth: 100,
} as const;

/** The entries within the bounds, in order, and how many others there are. In steps: there may be very many. */
export function* withinBounds(entries: readonly Fields[]): Generator<void, { readonly kept: readonly Fields[]; readonly left: number }> {
  let templates = 0;
  const kept: Fields[] = [];
  for (const entry of entries) {
    if (kept.length === BOUNDS.entries) break;
    yield;
    if (!fits(entry)) continue;
    const { uriTemplate } = entry;
    const length = typeof uriTemplate === 'string' ? uriTemplate.length + BOUNDS.template : 0;
    if (templates + length > BOUNDS.templates) continue;
    templates += length;
    kept.push(entry);
  }
  return { kept, left: entries.length - kept.length };
}

function fits(entry: Fields): boolean {
  return (
    isShort(entry['name'], BOUNDS.name) &&
    isShort(entry['title'], BOUNDS.name) &&
    isShort(entry['uri'], BOUNDS.uri) &&
    isShort(entry['uriTemplate'], BOUNDS.uri) &&
    isShort(entry['description'], BOUNDS.description) &&
    weightOf(entry, 0) <= BOUNDS.entry
  );
}

function isShort(value: unknown, longest: number): boolean {
  return typeof value !== 'string' || value.length <= longest;
}

/** The approximate length as JSON. Stops counting beyond the limit; infinite if it is nested too deeply. */
function weightOf(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  if (depth > BOUNDS.depth) return Number.POSITIVE_INFINITY;
  let weight = 2;
  for (const key in value) {
    weight += (Array.isArray(value) ? 0 : key.length) + weightOf(value[key as keyof object], depth + 1) + 1;
    if (weight > BOUNDS.entry) break;
  }
  return weight;
}
