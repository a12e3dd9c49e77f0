/** Finding items by words and by what they are. */
import { type Item, KIND_NAMES, type Kind } from './items.js';

export interface Filter {
  readonly words: string;
  readonly kind: Kind | '';
  readonly category: string;
  readonly origin: string;
}

export const NO_FILTER: Filter = { words: '', kind: '', category: '', origin: '' };

/** The items that fit: the best first where words are given, else in their order. */
export function find(items: readonly Item[], { words, kind, category, origin }: Filter): readonly Item[] {
  const fitting = items.filter(
    (item) =>
      (kind === '' || item.kind === kind) && (category === '' || item.category === category) && (origin === '' || item.origin === origin),
  );
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return fitting;
  return fitting
    .filter(({ text }) => wanted.every((word) => text.includes(word)))
    .map((item) => ({ item, rank: rankOf(item, wanted) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}

/** Less is better: what the name begins with, then what it contains, then all else. */
function rankOf({ label }: Item, wanted: readonly string[]): number {
  const name = label.toLowerCase();
  return wanted.reduce((sum, word) => sum + (name === word ? 0 : name.startsWith(word) ? 1 : name.includes(word) ? 2 : 4), 0);
}

export interface Group {
  readonly title: string;
  readonly items: readonly Item[];
}

/** By kind and category, in the order in which they first appear. */
export function grouped(items: readonly Item[]): readonly Group[] {
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

/** What a filter offers: each value once, in order. */
export function valuesOf(items: readonly Item[], field: 'category' | 'origin'): readonly string[] {
  return [...new Set(items.map((item) => item[field]))].filter((value) => value !== '').sort((one, other) => one.localeCompare(other));
}
