/** What is wrong with a value of the arguments, and the sentence that says so. */
import { echo } from '../../errors.js';

/** Values of an `enum`, and names of fields, that are repeated. */
export const MAX_NAMED = 20;

/** A field of the arguments. Its name is written out only if it is reported. */
export interface ArgumentPlace {
  readonly within: ArgumentPlace | undefined;
  /** The name of a field, or the index of an item. */
  readonly step: string | number;
  readonly depth: number;
}

/** Its text is written only if it is reported: branches that do not fit have problems of their own. */
export type ArgumentProblem = {
  /** Undefined for the arguments as a whole. */
  readonly place: ArgumentPlace | undefined;
} & (
  | { readonly kind: 'type'; readonly types: readonly string[]; readonly value: unknown }
  /** None of the values that are allowed, nor of the types that are an alternative to them. */
  | { readonly kind: 'value'; readonly allowed: readonly unknown[]; readonly types: readonly string[] }
  /** The field is required: always, or since another one is there. */
  | { readonly kind: 'missing'; readonly since?: string }
  /** Each group of fields would do. */
  | { readonly kind: 'alternatives'; readonly groups: readonly (readonly string[])[] }
  | { readonly kind: 'other'; readonly text: () => string }
);

export const NO_PROBLEMS: readonly ArgumentProblem[] = [];

export function inside(within: ArgumentPlace | undefined, step: string | number): ArgumentPlace {
  return { within, step, depth: depthOf(within) + 1 };
}

export function depthOf(place: ArgumentPlace | undefined): number {
  return place?.depth ?? 0;
}

export function sentence(problem: ArgumentProblem): string {
  const { place } = problem;
  const text = textOf(problem);
  return `${place === undefined ? 'arguments' : pathOf(place)}: ${text}${text.endsWith('?') ? '' : '.'}`;
}

/** Such as `items[2].name`. */
function pathOf({ step, within }: ArgumentPlace): string {
  const before = within === undefined ? '' : pathOf(within);
  if (typeof step === 'number') return `${before}[${step}]`;
  return before === '' ? echo(step) : `${before}.${echo(step)}`;
}

function textOf(problem: ArgumentProblem): string {
  switch (problem.kind) {
    case 'type':
      return `must be ${shown(problem.types, ' or ', echo)}, not ${typeOf(problem.value)}`;
    case 'value': {
      const { allowed, types } = problem;
      const values = echo(shown(allowed, ', ', JSON.stringify));
      const others = types.length === 0 ? '' : `${allowed.length > 1 ? ',' : ''} or ${shown(types, ' or ', echo)}`;
      return `must be ${allowed.length > 1 ? 'one of ' : ''}${values}${others}`;
    }
    case 'missing':
      return problem.since === undefined ? 'required, but missing' : `required with '${echo(problem.since)}', but missing`;
    case 'alternatives': {
      const groupText = (names: readonly string[]) => (names.length > 1 ? `(${shown(names, ', ', echo)})` : echo(names[0] ?? ''));
      return `one of ${shown(problem.groups, ', ', groupText)} is required`;
    }
    case 'other':
      return problem.text();
  }
}

function shown<T>(values: readonly T[], separator: string, write: (value: T) => string): string {
  const first = values.slice(0, MAX_NAMED).map(write).join(separator);
  return values.length > MAX_NAMED ? `${first}, …` : first;
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
