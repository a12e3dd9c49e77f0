/** The grammar of RFC 6570: a template as literals and expressions. */
import { parseTemplate } from 'url-template';
import { LONGEST_URI, normalizeUri, readText } from './text.js';

export type Operator = '' | '+' | '#' | '.' | '/' | ';' | '?' | '&';

/** A variable where it stands; the same name elsewhere is another. */
export interface VariableSpec {
  readonly name: string;
  readonly operator: Operator;
  /** `{name*}`: a list, each item by itself. */
  readonly exploded: boolean;
  /** `{name:3}`: no more than so many characters. */
  readonly most: number | undefined;
}

export interface Literal {
  readonly kind: 'literal';
  /** As written. */
  readonly source: string;
  /** As URIs are compared, in its own case. */
  readonly text: string;
  /** The same, what belongs to scheme and host in lower case. */
  readonly folded: string;
}

export interface Expression {
  readonly kind: 'expression';
  readonly source: string;
  readonly operator: Operator;
  readonly places: readonly VariableSpec[];
}

export type Part = Literal | Expression;

/** The cost of a match grows with them. */
const MAX_VARIABLES = 32;

const EXPRESSION = /\{([^{}]*)\}/g;
// The RFC does not allow a hyphen, but many servers use it, and it has no other meaning.
const VARIABLE = /^([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)(?:(\*)|:([1-9][0-9]{0,3}))?$/;

/** Throws an error with the reason and the position. */
export function parseParts(template: string): readonly Part[] {
  if (template.length > LONGEST_URI) throw new Error(`A URI template is longer than ${LONGEST_URI} characters: ${template.slice(0, 60)}…`);
  const normalized = normalizeLiterals(template);
  const parts: Part[] = [];
  let start = 0;
  for (const { 0: source, 1: inner = '', index } of template.matchAll(EXPRESSION)) {
    if (index > start) parts.push(parseLiteral(template, normalized, start, index));
    parts.push(parseExpression(template, source, inner, index));
    start = index + source.length;
  }
  if (start < template.length) parts.push(parseLiteral(template, normalized, start, template.length));
  const count = parts.reduce((sum, part) => sum + (part.kind === 'expression' ? part.places.length : 0), 0);
  if (count > MAX_VARIABLES) throw new Error(`The URI template "${template}" has ${count} variables; ${MAX_VARIABLES} is the most.`);
  return parts;
}

/** The template with scheme and host in lower case, up to an expression that ends the host, or may do so. */
function normalizeLiterals(template: string): string {
  return normalizeUri(
    template.replace(EXPRESSION, (source, inner: string) => {
      return (/^[+/?#]/.test(inner) ? '/' : 'x').padEnd(source.length, 'x');
    }),
  );
}

function parseLiteral(template: string, normalized: string, start: number, end: number): Literal {
  const source = template.slice(start, end);
  const brace = source.search(/[{}]/);
  if (brace !== -1) {
    const fault = source.charAt(brace) === '{' ? 'is never closed' : 'closes nothing';
    throw fail(template, start + brace, `"${source.charAt(brace)}" ${fault}`);
  }
  const text = readText(source);
  const folded = readText(normalized.slice(start, end));
  if (text !== undefined && folded !== undefined) return { kind: 'literal', source, text, folded };
  const stray = source.search(/%(?![0-9a-f]{2})/i);
  throw fail(template, start + Math.max(stray, 0), stray === -1 ? `"${source}" is not encoded text` : '"%" is not followed by two digits');
}

function parseExpression(template: string, source: string, inner: string, index: number): Expression {
  const operator = operatorOf(inner);
  let at = index + 1 + operator.length;
  const places: VariableSpec[] = [];
  for (const text of inner.slice(operator.length).split(',')) {
    const [, name, star, most] = VARIABLE.exec(text) ?? [];
    if (name === undefined) throw fail(template, at, text === '' ? `${source} lacks a name` : `"${text}" is not a variable`);
    places.push({ name, operator, exploded: star !== undefined, most: most === undefined ? undefined : Number(most) });
    at += text.length + 1;
  }
  return { kind: 'expression', source, operator, places };
}

function operatorOf(inner: string): Operator {
  const first = inner.charAt(0);
  switch (first) {
    case '+':
    case '#':
    case '.':
    case '/':
    case ';':
    case '?':
    case '&':
      return first;
    default:
      return '';
  }
}

function fail(template: string, index: number, fault: string): Error {
  return new Error(`The URI template "${template}" cannot be read: ${fault}, at character ${index + 1}.`);
}

type TemplateItem = string | number | boolean;
export type TemplateValue = TemplateItem | readonly TemplateItem[];

/** The expansion of a template, to be given its values. */
export function compileExpansion(parts: readonly Part[]): (values: Readonly<Record<string, TemplateValue>>) => string {
  const places = parts.flatMap((part) => (part.kind === 'expression' ? part.places : []));
  // A key for each place, since what a value becomes depends on where it stands; no name begins with a dollar sign.
  const keys = new Map(places.map((place, index) => [place, writesName(place) ? place.name : `$${index}`]));
  const library = parseTemplate(parts.map((part) => (part.kind === 'literal' ? part.source : rewrite(part, keys))).join(''));
  return (values) => {
    // Without a prototype, whose members the library would take for values.
    const context: Record<string, string | string[]> = Object.create(null);
    for (const [place, key] of keys) {
      const value = Object.hasOwn(values, place.name) ? values[place.name] : undefined;
      // The library would write the name of an empty list, which the RFC counts as not given.
      if (value === undefined || (isList(value) && value.length === 0)) continue;
      context[key] = isList(value) ? value.map((item) => writable(String(item), place)) : writable(shorten(String(value), place), place);
    }
    return library.expand(context);
  };
}

function rewrite({ operator, places }: Expression, keys: ReadonlyMap<VariableSpec, string>): string {
  return `{${operator}${places.map((place) => `${keys.get(place)}${place.exploded ? '*' : ''}`).join(',')}}`;
}

function writesName({ operator }: VariableSpec): boolean {
  return operator === ';' || operator === '?' || operator === '&';
}

/** The library cuts between code units, which may leave half a character. */
function shorten(text: string, { most }: VariableSpec): string {
  return most === undefined ? text : [...text].slice(0, most).join('');
}

function writable(text: string, { operator }: VariableSpec): string {
  const whole = text.toWellFormed();
  // Reserved expansion keeps what is encoded; a percent sign that encodes nothing is encoded, which the library does not always do.
  return operator === '+' || operator === '#' ? whole.replace(/%(?![0-9A-Fa-f]{2})/g, '%25') : whole;
}

function isList(value: TemplateValue): value is readonly TemplateItem[] {
  return Array.isArray(value);
}
