/** Which of many templates a URI belongs to. */

import { lower, readText } from '../uri-template/text.js';
import { compareSpecificity, type UriTemplate } from '../uri-template.js';

export interface TemplateEntry<T> {
  readonly template: UriTemplate;
  readonly value: T;
}

/** What a URI must have: to see that it lacks this costs far less than to match it. */
interface Clues {
  readonly prefix: string;
  /** The longest of the other literals. */
  readonly needed: string;
}

interface Ranked<T> extends TemplateEntry<T> {
  /** The most specific has the lowest. */
  readonly rank: number;
  readonly complete: Clues;
  /** Without the slashes at either end, which a URI may lack together with its variables. */
  readonly incomplete: Clues;
}

/** Finds the most specific template for a URI; of equals the one that was given first. */
export class TemplateIndex<T> {
  readonly #ranked: readonly Ranked<T>[];
  readonly #byPrefix: ReadonlyMap<string, readonly Ranked<T>[]>;
  readonly #lengths: readonly number[];

  constructor(entries: readonly TemplateEntry<T>[]) {
    this.#ranked = entries.toSorted((one, other) => compareSpecificity(one.template, other.template)).map(rank);
    this.#byPrefix = groupByPrefix(this.#ranked);
    this.#lengths = [...new Set(Array.from(this.#byPrefix.keys(), (prefix) => prefix.length))];
  }

  find(uri: string): { readonly value: T; readonly variables: Readonly<Record<string, string>> } | undefined {
    const text = comparable(uri);
    if (text === undefined) return undefined;
    let best: { readonly rank: number; readonly value: T; readonly variables: Readonly<Record<string, string>> } | undefined;
    for (const length of this.#lengths) {
      if (length > text.length) continue;
      for (const { rank, template, value, complete } of this.#byPrefix.get(text.slice(0, length)) ?? []) {
        if (best !== undefined && best.rank < rank) break;
        if (!text.includes(complete.needed, length)) continue;
        const variables = template.match(uri);
        if (variables !== undefined) best = { rank, value, variables };
      }
    }
    return best && { value: best.value, variables: best.variables };
  }

  /** The first whose only fault is missing variables. */
  findIncomplete(uri: string): { readonly value: T; readonly missing: readonly string[] } | undefined {
    const text = comparable(uri);
    if (text === undefined) return undefined;
    for (const { template, value, incomplete } of this.#ranked) {
      if (!text.startsWith(incomplete.prefix) || !text.includes(incomplete.needed)) continue;
      const missing = template.missing(uri);
      if (missing !== undefined) return { value, missing };
    }
    return undefined;
  }
}

function rank<T>({ template, value }: TemplateEntry<T>, rank: number): Ranked<T> {
  const literals = template.literals.map((literal) => comparable(literal) ?? '');
  const prefix = template.prefix === '' ? '' : (literals.shift() ?? '');
  const needed = literals.reduce((longest, literal) => (literal.length > longest.length ? literal : longest), '');
  const incomplete = { prefix: withoutSlashes(prefix), needed: withoutSlashes(needed) };
  return { template, value, rank, complete: { prefix, needed }, incomplete };
}

function groupByPrefix<T>(ranked: readonly Ranked<T>[]): ReadonlyMap<string, readonly Ranked<T>[]> {
  const groups = new Map<string, Ranked<T>[]>();
  for (const entry of ranked) {
    const group = groups.get(entry.complete.prefix);
    if (group === undefined) groups.set(entry.complete.prefix, [entry]);
    else group.push(entry);
  }
  return groups;
}

/** Case is left to the template: where it counts depends on where the host ends. */
function comparable(uri: string): string | undefined {
  const text = readText(uri);
  return text === undefined ? undefined : lower(text);
}

function withoutSlashes(literal: string): string {
  return literal.replace(/^\/+|\/+$/g, '');
}
