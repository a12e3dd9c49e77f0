/** URI templates of RFC 6570, in both directions: from values to a URI, and from a URI to the values in it. */
import { bind, isRequired, placeholders } from './uri-template/bind.js';
import {
  compileExpansion,
  type Expression,
  type Literal,
  type Operator,
  type Part,
  parseParts,
  type TemplateValue,
} from './uri-template/parse.js';
import { compile, follow, type Subject } from './uri-template/steps.js';
import { equivalentUri, LONGEST_URI, normalizeUri, readText, schemeOf, withSchemeAndHost } from './uri-template/text.js';

export type { Operator, TemplateValue };
export { equivalentUri, LONGEST_URI, normalizeUri, schemeOf, withSchemeAndHost };

export interface TemplateVariable {
  readonly name: string;
  readonly operator: Operator;
  /**
   * Whether a URI without it is incomplete. This is the case for simple and reserved expansion; the other operators omit missing variables.
   */
  readonly required: boolean;
  /** Whether its value may have unencoded slashes in a path, so that it takes more than one segment. */
  readonly spansSegments: boolean;
}

/** Bounds that decide before matching whether it can succeed, and its cost. */
export interface TemplateExtent {
  /** How many unencoded slashes a URI that matches has. */
  readonly least: number;
  readonly most: number;
  /** How many of them, at the end, may be missing together with variables. */
  readonly leading: number;
  /** The cost of a match is as much times the length of the URI. */
  readonly steps: number;
}

export interface UriTemplate {
  readonly template: string;
  /** In order of appearance, each name once. */
  readonly variables: readonly TemplateVariable[];
  /** All before the first expression, scheme and host in lower case. */
  readonly prefix: string;
  /** The literals as written. A matching URI contains each of them, apart from case and encoding. */
  readonly literals: readonly string[];
  /** Not there where no URI matches. */
  readonly extent?: TemplateExtent;
  /** Omits variables without a value. */
  expand(values: Readonly<Record<string, TemplateValue>>): string;
  /**
   * The variables of a URI that the template describes, percent-decoded once; undefined for any other. What an optional
   * expression left out is left out; the items of an exploded list are joined as the URI has them.
   */
  match(uri: string): Readonly<Record<string, string>> | undefined;
  /**
   * The required variables that the URI has nothing for, or only their name in braces, where nothing else keeps it from
   * matching; undefined otherwise. Slashes that only lead to them may be missing too.
   */
  missing(uri: string): readonly string[] | undefined;
}

/** Throws an error with the reason and the position. */
export function parseUriTemplate(template: string): UriTemplate {
  const parts = parseParts(template);
  const beginning = literalOf(parts.at(0));
  const end = parts.length > 1 ? literalOf(parts.at(-1)) : NOTHING;
  const steps = compile(parts.filter((part) => part !== beginning && part !== end));
  const expressions = parts.filter((part) => part.kind === 'expression');
  const variables = listVariables(expressions);
  const required = variables.filter((variable) => variable.required).map(({ name }) => name);
  const extent = measure(parts);

  const values = (subject: Subject) => {
    const between = inside(subject, beginning, end);
    const captures = between && follow(steps, between);
    return captures && bind(captures);
  };

  const match = (uri: string) => {
    const subject = readSubject(uri, false);
    return subject === undefined ? undefined : values(subject);
  };

  return {
    template,
    variables,
    prefix: normalizeUri(template).slice(0, beginning.source.length),
    literals: parts.filter((part) => part.kind === 'literal').map(({ source }) => source),
    extent,
    expand: compileExpansion(parts),
    match,
    missing(uri) {
      if (required.length === 0) return undefined;
      const subject = readSubject(uri, true);
      if (subject === undefined || match(uri) !== undefined) return undefined;
      const bare = withoutPlaceholders(subject, expressions);
      const present = bare.exact.split('/').length - 1;
      const most = Math.min(extent.leading, extent.most - present);
      for (let added = Math.max(0, extent.least - present); added <= most; added++) {
        const slashes = '/'.repeat(added);
        const found = values({ ...bare, exact: bare.exact + slashes, folded: bare.folded + slashes });
        const names = required.filter((name) => found?.[name] === '');
        if (names.length > 0) return names;
      }
      return undefined;
    },
  };
}

/** Whether it has an expression, and so is no URI by itself. */
export function isTemplate(uri: string): boolean {
  return /\{[^{}]+\}/.test(uri);
}

interface Specificity {
  readonly literal: number;
  readonly spanning: number;
  readonly variables: number;
}

function specificityOf({ literals, variables }: UriTemplate): Specificity {
  return {
    literal: literals.reduce((sum, text) => sum + text.length, 0),
    spanning: variables.filter(({ spansSegments }) => spansSegments).length,
    variables: variables.length,
  };
}

/**
 * The most specific first, which is meant where several match the same URI: the one with more literal text, then with fewer
 * variables that take more than a segment, then with fewer variables. Otherwise in order.
 */
export function bySpecificity<T extends { readonly template: UriTemplate }>(entries: readonly T[]): readonly T[] {
  return entries
    .map((entry) => ({ entry, of: specificityOf(entry.template) }))
    .sort(({ of: one }, { of: other }) => other.literal - one.literal || one.spanning - other.spanning || one.variables - other.variables)
    .map(({ entry }) => entry);
}

function listVariables(expressions: readonly Expression[]): readonly TemplateVariable[] {
  const byName = new Map<string, TemplateVariable>();
  for (const place of expressions.flatMap(({ places }) => places)) {
    const { name, operator, exploded } = place;
    const known = byName.get(name);
    byName.set(name, {
      name,
      operator: known?.operator ?? operator,
      required: known?.required === true || isRequired(place),
      spansSegments: known?.spansSegments === true || operator === '+' || operator === '#' || (operator === '/' && exploded),
    });
  }
  return [...byName.values()];
}

const NOTHING: Literal = { kind: 'literal', source: '', text: '', folded: '' };

function literalOf(part: Part | undefined): Literal {
  return part?.kind === 'literal' ? part : NOTHING;
}

function readSubject(uri: string, lenient: boolean): Subject | undefined {
  const exact = readText(uri);
  const folded = readText(normalizeUri(uri));
  return exact === undefined || folded === undefined ? undefined : { exact, folded, lenient };
}

/** The text between both, if it starts and ends with them; most URIs of other templates do not. */
function inside({ exact, folded, lenient }: Subject, beginning: Literal, end: Literal): Subject | undefined {
  const start = beginning.text.length;
  const stop = exact.length - end.text.length;
  if (stop < start || !folded.startsWith(beginning.folded)) return undefined;
  if (!folded.endsWith(end.folded) && !exact.endsWith(end.text)) return undefined;
  return { exact: exact.slice(start, stop), folded: folded.slice(start, stop), lenient };
}

/** How many slashes do nothing but lead to a variable at the end: a URI that lacks these variables may lack them too. */
function countLeadingSlashes(parts: readonly Part[]): number {
  let count = 0;
  for (let last = parts.length - 1; last > 0; last -= 2) {
    const [before, part] = [literalOf(parts[last - 1]).text, parts[last]];
    if (part?.kind !== 'expression' || !part.places.every(isRequired) || !before.endsWith('/')) break;
    count++;
    if (before !== '/') break;
  }
  return count;
}

function measure(parts: readonly Part[]): TemplateExtent {
  const literals = parts.filter((part) => part.kind === 'literal');
  const places = parts.flatMap((part) => (part.kind === 'expression' ? part.places : []));
  const least = literals.reduce((sum, { text }) => sum + text.split('/').length - 1, 0);
  const segments = places.filter(({ operator }) => operator === '/');
  const spanning = places.some(({ operator, exploded }) => /[+#?&]/.test(operator) || (operator === '/' && exploded));
  return {
    least,
    most: spanning ? Number.POSITIVE_INFINITY : least + segments.length,
    leading: countLeadingSlashes(parts),
    steps: literals.length + places.length,
  };
}

/** As if what was not filled in had been left out. */
function withoutPlaceholders(subject: Subject, expressions: readonly Expression[]): Subject {
  const required = expressions.flatMap(({ places }) => places.filter(isRequired));
  const optional = expressions.filter(({ places }) => !places.some(isRequired));
  return [...required.map(placeholders), ...optional.map(({ source }) => [source])].reduce(withoutFirst, subject);
}

/** Without the first of the texts that it has. */
function withoutFirst(subject: Subject, texts: readonly string[]): Subject {
  const found = texts.find((text) => subject.exact.includes(text));
  if (found === undefined) return subject;
  const at = subject.exact.indexOf(found);
  const cut = (text: string) => text.slice(0, at) + text.slice(at + found.length);
  return { exact: cut(subject.exact), folded: cut(subject.folded), lenient: subject.lenient };
}
