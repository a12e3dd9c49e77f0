/** Finds the template that a URI matches, among many. */
import { lower, readText } from '../uri-template/text.js';
import { bySpecificity, type TemplateExtent, type UriTemplate } from '../uri-template.js';

export interface TemplateEntry<T> {
  readonly template: UriTemplate;
  readonly value: T;
}

/** What a URI must contain. Checking this is much cheaper than matching. */
interface Clues {
  readonly prefix: string;
  /** Literals in this order, after the prefix. */
  readonly literals: readonly string[];
}

interface Ranked<T> extends TemplateEntry<T> {
  /** The most specific has the lowest. */
  readonly rank: number;
  readonly extent: TemplateExtent;
  readonly complete: Clues & {
    /** The end of every URI that matches. */
    readonly suffix: string;
    /** A whole segment of the path, where the literals have one. */
    readonly segment: string | undefined;
  };
  /** Without the slashes at either end, which a URI may lack together with its variables. */
  readonly incomplete: Clues;
}

/**
 * Characters times steps of templates that one lookup may cost: about ten milliseconds. Enough to match an ordinary URI with
 * thousands of templates, but not a hostile one of 8 KB that resembles all of them.
 */
const MAX_WORK = 1_000_000;
/** Less, because this only finds a suggestion. */
const MAX_WORK_INCOMPLETE = 250_000;
const LONGEST_INCOMPLETE = 1000;
/** The cost of finding a literal, relative to a step. */
const STEP_PER_SCAN = 1 / 2;

/** Finds the most specific template for a URI; of equally specific ones the first. */
export class TemplateIndex<T> {
  readonly #ranked: readonly Ranked<T>[];
  readonly #byPrefix: ReadonlyMap<string, readonly Ranked<T>[]>;
  readonly #lengths: readonly number[];

  private constructor(ranked: readonly Ranked<T>[]) {
    this.#ranked = ranked;
    this.#byPrefix = groupByPrefix(this.#ranked);
    // The longest first, since these are mostly the most specific.
    this.#lengths = [...new Set(Array.from(this.#byPrefix.keys(), (prefix) => prefix.length))].sort((one, other) => other - one);
  }

  /** In steps: each template is parsed. */
  static *stepsTo<T>(entries: readonly TemplateEntry<T>[]): Generator<void, TemplateIndex<T>> {
    for (const { template } of entries) {
      void template.extent;
      yield;
    }
    const ranked: Ranked<T>[] = [];
    for (const [at, entry] of bySpecificity(entries).entries()) {
      ranked.push(...rank(entry, at));
      yield;
    }
    return new TemplateIndex(ranked);
  }

  find(uri: string): { readonly value: T; readonly variables: Readonly<Record<string, string>> } | undefined {
    const text = comparable(uri);
    if (text === undefined) return undefined;
    const slashes = countSlashes(text);
    let segments: ReadonlySet<string> | undefined;
    let best: { readonly rank: number; readonly value: T; readonly variables: Readonly<Record<string, string>> } | undefined;
    let work = 0;
    for (const length of this.#lengths) {
      if (length > text.length) continue;
      for (const { rank, template, value, extent, complete } of this.#byPrefix.get(text.slice(0, length)) ?? []) {
        if ((best !== undefined && best.rank < rank) || work > MAX_WORK) break;
        if (slashes < extent.least || slashes > extent.most || !text.endsWith(complete.suffix)) continue;
        if (complete.segment !== undefined) {
          segments ??= new Set(text.split('/'));
          if (!segments.has(complete.segment)) continue;
        }
        work += text.length * STEP_PER_SCAN;
        if (!hasInOrder(text, length, complete.literals)) continue;
        work += text.length * extent.steps;
        const variables = template.match(uri);
        if (variables !== undefined) best = { rank, value, variables };
      }
    }
    return best && { value: best.value, variables: best.variables };
  }

  /** The first template that a URI would match if it had all variables; long URIs are not looked up. */
  findIncomplete(uri: string): { readonly value: T; readonly missing: readonly string[] } | undefined {
    const text = uri.length > LONGEST_INCOMPLETE ? undefined : comparable(uri);
    if (text === undefined) return undefined;
    const slashes = countSlashes(text);
    let work = 0;
    for (const { template, value, extent, incomplete } of this.#ranked) {
      const { least, most, leading, steps } = extent;
      if (slashes < least - leading || slashes > most || !text.startsWith(incomplete.prefix)) continue;
      work += text.length * STEP_PER_SCAN;
      if (work > MAX_WORK_INCOMPLETE) return undefined;
      if (!hasInOrder(text, incomplete.prefix.length, incomplete.literals)) continue;
      // Matched as it is, and with each possible number of missing slashes.
      work += text.length * steps * (most === least ? 2 : 2 + leading);
      if (work > MAX_WORK_INCOMPLETE) return undefined;
      const missing = template.missing(uri);
      if (missing !== undefined) return { value, missing };
    }
    return undefined;
  }
}

function rank<T>({ template, value }: TemplateEntry<T>, rank: number): Ranked<T>[] {
  const { extent } = template;
  if (extent === undefined) return [];
  const literals = template.literals.map((literal) => comparable(literal) ?? '');
  const suffix = template.template.endsWith('}') ? '' : (literals.at(-1) ?? '');
  const prefix = template.prefix === '' ? '' : (literals.shift() ?? '');
  const segment = literals.flatMap((literal) => literal.split('/').slice(1, -1)).find((text) => text !== '');
  const incomplete = { prefix: withoutSlashes(prefix), literals: literals.map(withoutSlashes) };
  return [{ template, value, rank, extent, complete: { prefix, literals, suffix, segment }, incomplete }];
}

/** Whether the literals occur in this order. */
function hasInOrder(text: string, start: number, literals: readonly string[]): boolean {
  let at = start;
  for (const literal of literals) {
    const found = text.indexOf(literal, at);
    if (found === -1) return false;
    at = found + literal.length;
  }
  return true;
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

/** In lower case; where case matters is up to the template. */
function comparable(uri: string): string | undefined {
  const text = readText(uri);
  return text === undefined ? undefined : lower(text);
}

function countSlashes(text: string): number {
  return text.split('/').length - 1;
}

function withoutSlashes(literal: string): string {
  return literal.replace(/^\/+|(?<!\/)\/+$/g, '');
}
