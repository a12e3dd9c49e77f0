/** Search and filters. */
import { type Item, KIND_NAMES, type Kind } from './items.js';

export interface Filter {
  readonly words: string;
  readonly kind: Kind | '';
  readonly category: string;
  readonly origin: string;
}

export const NO_FILTER: Filter = { words: '', kind: '', category: '', origin: '' };

/**
 * Matching items: ranked if words are given, else in their order. Items with all words come first, then those of `ranked`,
 * which are the URIs that the server found for the words.
 */
export function find(items: readonly Item[], { words, kind, category, origin }: Filter, ranked: readonly string[] = []): readonly Item[] {
  const fitting = items.filter(
    (item) =>
      (kind === '' || item.kind === kind) && (category === '' || item.category === category) && (origin === '' || item.origin === origin),
  );
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return fitting;
  const exact = fitting
    .filter(({ text }) => wanted.every((word) => text.includes(word)))
    .map((item) => ({ item, rank: rankOf(item, wanted) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
  const places = new Map(ranked.map((uri, place) => [uri, place]));
  const shown = new Set(exact);
  const place = ({ uri }: Item) => places.get(uri) ?? ranked.length;
  const others = fitting.filter((item) => places.has(item.uri) && !shown.has(item));
  return [...exact, ...others.sort((one, other) => place(one) - place(other))];
}

/** Lower is better: name equal, name prefix, name contains, other text. */
function rankOf({ label }: Item, wanted: readonly string[]): number {
  const name = label.toLowerCase();
  return wanted.reduce((sum, word) => sum + (name === word ? 0 : name.startsWith(word) ? 1 : name.includes(word) ? 2 : 4), 0);
}

export interface ItemGroup {
  readonly title: string;
  readonly items: readonly Item[];
}

/** By kind and category, in order of first appearance. */
export function grouped(items: readonly Item[]): readonly ItemGroup[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const kind = KIND_NAMES[item.kind].many;
    const title = item.category === '' ? kind : `${kind} · ${item.category}`;
    const group = groups.get(title);
    if (group === undefined) groups.set(title, [item]);
    else group.push(item);
  }
  return [...groups].map(([title, each]) => ({ title, items: each }));
}

/** The distinct values of a field, sorted. */
export function valuesOf(items: readonly Item[], field: 'category' | 'origin'): readonly string[] {
  return [...new Set(items.map((item) => item[field]))].filter((value) => value !== '').sort((one, other) => one.localeCompare(other));
}
