/** Checks the arguments of a call against the tool's own schema, so that a model learns which field is wrong. */
import { nearest } from '../../catalog/near.js';
import { echo } from '../../errors.js';
import { type Fields, isFields, ownField } from '../../json.js';
import { problemsOfBranches } from './branches.js';
import { type ArgumentPlace, type ArgumentProblem, inside, MAX_NAMED, NO_PROBLEMS, sentence } from './problem.js';
import { References } from './references.js';
import { areEqual, equalItems, Steps } from './steps.js';

/** Past this many steps, or this deep, everything is accepted. */
const MAX_STEPS = 20_000;
const DEEPEST = 64;
/** Reported at once. */
const MAX_PROBLEMS = 5;
/** Of the fields of an object: a branch that does not fit may have many before the one that says so. */
const MAX_OF_FIELDS = 20;

/**
 * What is wrong with the arguments, a sentence each; empty where nothing is, or where that is up to the server. Keywords whose
 * cost a server could make arbitrary (`pattern`), and those that accept what others refuse (`not`, `if`), are left to it.
 */
export function problemsIn(schema: unknown, value: unknown): readonly string[] {
  const check = new SchemaCheck(schema);
  const problems = check.problems(schema, value, undefined, 0);
  return check.steps.areUsedUp ? [] : problems.slice(0, MAX_PROBLEMS).map(sentence);
}

class SchemaCheck {
  readonly steps = new Steps(MAX_STEPS);
  readonly #references: References;

  constructor(root: unknown) {
    this.#references = new References(root, this.steps);
  }

  problems(schema: unknown, value: unknown, place: ArgumentPlace | undefined, depth: number): readonly ArgumentProblem[] {
    if (schema === false) return [{ place, kind: 'other', text: () => 'not allowed here' }];
    if (!isFields(schema) || depth > DEEPEST || !this.steps.take()) return NO_PROBLEMS;
    const { $ref } = schema;
    const referred = typeof $ref === 'string' ? this.problems(this.#references.resolve($ref), value, place, depth + 1) : NO_PROBLEMS;
    if (referred.length > 0 || (typeof $ref === 'string' && this.#references.areAlone)) return referred;
    if (value === null && schema['nullable'] === true) return NO_PROBLEMS;
    const problem =
      this.#typeProblem(schema, value, place) ?? this.#valueProblem(schema, value, place) ?? this.#rangeProblem(schema, value, place);
    if (problem !== undefined) return [problem];
    return [
      ...(isFields(value) ? this.#inObject(schema, value, place, depth) : []),
      ...(Array.isArray(value) ? this.#inArray(schema, value, place, depth) : []),
      ...this.#inAll(listOf(schema['allOf']), value, place, depth),
      ...this.#inBranches(listOf(schema['anyOf']), value, place, depth),
      // More than one fits in many schemas that were made by a program, and their servers accept that.
      ...this.#inBranches(listOf(schema['oneOf']), value, place, depth),
    ];
  }

  #inObject(schema: Fields, value: Fields, place: ArgumentPlace | undefined, depth: number): readonly ArgumentProblem[] {
    const properties = isFields(schema['properties']) ? schema['properties'] : {};
    const names = Object.keys(value);
    // They are listed as a whole, however few are looked at.
    this.steps.take(names.length);
    const missing = this.#missing(schema, value, names, place);
    const others = isFields(schema['patternProperties']) ? undefined : schema['additionalProperties'];
    const problems: ArgumentProblem[] = [];
    for (const name of names) {
      if (problems.length >= MAX_OF_FIELDS || this.steps.areUsedUp) break;
      const known = ownField(properties, name);
      if (known === undefined && others === false)
        problems.push({ place: inside(place, name), kind: 'other', text: () => unknownField(name, properties) });
      else problems.push(...this.problems(known ?? others, value[name], inside(place, name), depth + 1));
    }
    if (missing.length + problems.length > 0) return [...missing, ...problems];
    const text = countProblem(schema, 'Properties', names.length, names.length, 'fields');
    return text === undefined ? NO_PROBLEMS : [{ place, kind: 'other', text: () => text }];
  }

  /** Fields that are always required, and those that others require. */
  #missing(schema: Fields, value: Fields, names: readonly string[], place: ArgumentPlace | undefined): readonly ArgumentProblem[] {
    const problems: ArgumentProblem[] = [];
    const look = (required: readonly unknown[], more: { readonly since?: string }) => {
      for (const name of required) {
        if (problems.length >= MAX_PROBLEMS || !this.steps.takeCharacters(typeof name === 'string' ? name.length : 0)) return;
        if (typeof name === 'string' && !Object.hasOwn(value, name))
          problems.push({ place: inside(place, name), kind: 'missing', ...more });
      }
    };
    look(listOf(schema['required']), {});
    // Earlier drafts have them in `dependencies`.
    for (const dependent of [schema['dependentRequired'], schema['dependencies']])
      if (isFields(dependent)) for (const name of names) look(listOf(ownField(dependent, name)), { since: name });
    return problems;
  }

  #inArray(schema: Fields, value: readonly unknown[], place: ArgumentPlace | undefined, depth: number): readonly ArgumentProblem[] {
    const { items, prefixItems } = schema;
    const first = listOf(Array.isArray(items) ? items : prefixItems);
    const rest = Array.isArray(items) ? schema['additionalItems'] : items;
    const problems: ArgumentProblem[] = [];
    for (const [at, item] of value.entries()) {
      if (problems.length >= MAX_PROBLEMS || !this.steps.take()) break;
      problems.push(...this.problems(at < first.length ? first[at] : rest, item, inside(place, at), depth + 1));
    }
    return problems;
  }

  #inAll(schemas: readonly unknown[], value: unknown, place: ArgumentPlace | undefined, depth: number): readonly ArgumentProblem[] {
    const problems: ArgumentProblem[] = [];
    for (const each of schemas) {
      if (problems.length >= MAX_PROBLEMS || !this.steps.take()) break;
      problems.push(...this.problems(each, value, place, depth + 1));
    }
    return problems;
  }

  /** One of them has to fit. */
  #inBranches(branches: readonly unknown[], value: unknown, place: ArgumentPlace | undefined, depth: number): readonly ArgumentProblem[] {
    const found: (readonly ArgumentProblem[])[] = [];
    for (const branch of branches) {
      if (!this.steps.take()) return NO_PROBLEMS;
      const problems = this.problems(branch, value, place, depth + 1);
      if (problems.length === 0) return NO_PROBLEMS;
      found.push(problems);
    }
    return problemsOfBranches(found, place);
  }

  #typeProblem({ type }: Fields, value: unknown, place: ArgumentPlace | undefined): ArgumentProblem | undefined {
    const types = (typeof type === 'string' ? [type] : listOf(type)).filter((each) => typeof each === 'string');
    this.steps.take(types.length);
    // A type that is unknown here may be anything.
    if (types.length === 0 || types.some((each) => ownField(TYPES, each)?.(value) ?? true)) return undefined;
    return { place, kind: 'type', types, value };
  }

  #valueProblem(schema: Fields, value: unknown, place: ArgumentPlace | undefined): ArgumentProblem | undefined {
    const allowed = Object.hasOwn(schema, 'const') ? [schema['const']] : schema['enum'];
    if (!Array.isArray(allowed) || allowed.length === 0) return undefined;
    return allowed.some((each) => areEqual(each, value, this.steps)) ? undefined : { place, kind: 'value', allowed, types: [] };
  }

  #rangeProblem(schema: Fields, value: unknown, place: ArgumentPlace | undefined): ArgumentProblem | undefined {
    const text =
      typeof value === 'number'
        ? boundProblem(schema, value)
        : typeof value === 'string'
          ? // Characters beyond the basic plane take two code units.
            countProblem(schema, 'Length', value.length, Math.ceil(value.length / 2), 'characters')
          : Array.isArray(value)
            ? (countProblem(schema, 'Items', value.length, value.length, 'items') ?? this.#equalItemsProblem(schema, value))
            : undefined;
    return text === undefined ? undefined : { place, kind: 'other', text: () => text };
  }

  #equalItemsProblem({ uniqueItems }: Fields, value: readonly unknown[]): string | undefined {
    const equal = uniqueItems === true ? equalItems(value, this.steps) : undefined;
    return equal === undefined ? undefined : `must have no equal items, but [${equal[0]}] and [${equal[1]}] are`;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  object: isFields,
  array: Array.isArray,
  null: (value) => value === null,
};

/** How far a quotient of decimal fractions may be from a whole number. */
const ROUNDING = 1e-9;

function boundProblem(schema: Fields, value: number): string | undefined {
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum, multipleOf } = schema;
  if (typeof minimum === 'number' && value < minimum) return `must be at least ${minimum}`;
  if (typeof maximum === 'number' && value > maximum) return `must be at most ${maximum}`;
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) return `must be more than ${exclusiveMinimum}`;
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) return `must be less than ${exclusiveMaximum}`;
  if (typeof multipleOf !== 'number' || multipleOf <= 0) return undefined;
  const quotient = value / multipleOf;
  // Of one that is not finite, nothing is known.
  const isFar = Math.abs(quotient - Math.round(quotient)) > ROUNDING * Math.max(1, Math.abs(quotient));
  return isFar ? `must be a multiple of ${multipleOf}` : undefined;
}

type Counted = 'Length' | 'Items' | 'Properties';

function countProblem(schema: Fields, kind: Counted, most: number, least: number, what: string): string | undefined {
  const [minimum, maximum] = [schema[`min${kind}`], schema[`max${kind}`]];
  if (typeof minimum === 'number' && most < minimum) return `must have at least ${minimum} ${what}`;
  if (typeof maximum === 'number' && least > maximum) return `must have at most ${maximum} ${what}`;
  return undefined;
}

function unknownField(name: string, properties: Fields): string {
  const names = Object.keys(properties).slice(0, 1000);
  const [near] = nearest(name, names);
  if (near !== undefined) return `unknown field. Did you mean '${echo(near)}'?`;
  if (names.length === 0) return 'unknown field. The tool takes none here';
  return `unknown field. Fields are ${echo(names.slice(0, MAX_NAMED).join(', '))}`;
}
