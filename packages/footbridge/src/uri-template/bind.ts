/** Converts the captures of a URI to the values of its variables. */
import type { VariableSpec } from './parse.js';
import type { Capture } from './steps.js';
import { reveal } from './text.js';

interface Bound {
  readonly value: string;
  /** Its position if the value is whole; a prefix of it proves less. */
  readonly place: VariableSpec;
}

/** Undefined if the captures contradict each other, or show that nothing was filled in. */
export function bind(captures: readonly Capture[]): Readonly<Record<string, string>> | undefined {
  const bound = new Map<string, Bound>();
  const seen = new Set<VariableSpec>();
  for (const { place, text } of captures) {
    const next: Bound = { value: reveal(text), place };
    if (isPlaceholder(next) || (place.most !== undefined && [...next.value].length > place.most)) return undefined;
    const known = bound.get(place.name);
    const both = known === undefined ? next : seen.has(place) ? joined(known, next) : agreed(known, next);
    if (both === undefined) return undefined;
    bound.set(place.name, both);
    seen.add(place);
  }
  return Object.fromEntries(Array.from(bound, ([name, { value }]) => [name, value]));
}

/** Whether a variable must have a value for the URI to be complete. */
export function isRequired({ operator }: VariableSpec): boolean {
  return operator === '' || operator === '+';
}

/** The placeholder `{name}` itself, which was not filled in. */
function isPlaceholder({ value, place }: Bound): boolean {
  return isRequired(place) && placeholders(place).includes(value);
}

export function placeholders({ name, operator }: VariableSpec): readonly string[] {
  return [`{${operator}${name}}`, `{${name}}`];
}

/** The same key twice: the items of an exploded list, a contradiction otherwise. */
function joined(known: Bound, next: Bound): Bound | undefined {
  return next.place.exploded ? { value: `${known.value},${next.value}`, place: next.place } : undefined;
}

function agreed(known: Bound, next: Bound): Bound | undefined {
  if (known.value === next.value) return known.place.most === undefined ? known : next;
  if (known.place.most !== undefined && next.value.startsWith(known.value)) return next;
  return next.place.most !== undefined && known.value.startsWith(next.value) ? known : undefined;
}
