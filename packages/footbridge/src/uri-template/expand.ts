/** From values to a URI, which the `url-template` library does. */
import { parseTemplate } from 'url-template';
import type { Expression, Part, VariableSpec } from './parse.js';

export type TemplateItem = string | number | boolean;
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
