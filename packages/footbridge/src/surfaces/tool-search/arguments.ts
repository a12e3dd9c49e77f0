/** Checks the arguments of a call against the tool's own schema, so that a model learns which field is wrong. */
import { nearest } from '../../catalog/near.js';
import { echo } from '../../errors.js';
import { type Fields, isFields, ownField } from '../../json.js';

/** Schemas come from servers and may be made to take forever: past this many steps, or this deep, everything is accepted. */
const MOST_STEPS = 20_000;
const DEEPEST = 64;
/** Reported at once. */
const MOST_PROBLEMS = 5;
/** Values of an `enum`, and names of fields, that are repeated. */
const MOST_NAMED = 20;
/** Characters of a reference that is followed. */
const LONGEST_REFERENCE = 1000;

/**
 * What is wrong with the arguments, a sentence each; empty where nothing is, or where that is up to the server. Keywords whose
 * cost a server could make arbitrary (`pattern`), and those that accept what others refuse (`not`, `if`), are left to it.
 */
export function problemsIn(schema: unknown, value: unknown): readonly string[] {
  const check = new SchemaCheck(schema);
  const problems = check.problems(schema, value, undefined, 0);
  return check.isExhausted ? [] : problems.slice(0, MOST_PROBLEMS).map(sentence);
}

/** A field of the arguments. Its name is written out only if it is reported. */
interface Place {
  readonly within: Place | undefined;
  /** The name of a field, or the index of an item. */
  readonly step: string | number;
  readonly depth: number;
}

interface Problem {
  /** Undefined for the arguments as a whole. */
  readonly place: Place | undefined;
  /** Called only if it is reported: branches that do not fit have problems of their own. */
  readonly text: () => string;
}

const NO_PROBLEMS: readonly Problem[] = [];

function inside(within: Place | undefined, step: string | number): Place {
  return { within, step, depth: depthOf(within) + 1 };
}

function depthOf(place: Place | undefined): number {
  return place?.depth ?? 0;
}

function sentence({ place, text: textOf }: Problem): string {
  const text = textOf();
  return `${place === undefined ? 'arguments' : pathOf(place)}: ${text}${text.endsWith('?') ? '' : '.'}`;
}

/** Such as `items[2].name`. */
function pathOf({ step, within }: Place): string {
  const before = within === undefined ? '' : pathOf(within);
  if (typeof step === 'number') return `${before}[${step}]`;
  return before === '' ? echo(step) : `${before}.${echo(step)}`;
}

class SchemaCheck {
  readonly #root: unknown;
  #left = MOST_STEPS;

  constructor(root: unknown) {
    this.#root = root;
  }

  get isExhausted(): boolean {
    return this.#left <= 0;
  }

  problems(schema: unknown, value: unknown, place: Place | undefined, depth: number): readonly Problem[] {
    if (schema === false) return [{ place, text: () => 'not allowed here' }];
    if (!isFields(schema) || depth > DEEPEST || --this.#left <= 0) return NO_PROBLEMS;
    const { $ref } = schema;
    if (typeof $ref === 'string') return this.problems(this.#resolve($ref), value, place, depth + 1);
    if (value === null && schema['nullable'] === true) return NO_PROBLEMS;
    const text = this.#typeProblem(schema, value) ?? this.#valueProblem(schema, value) ?? rangeProblem(schema, value);
    if (text !== undefined) return [{ place, text }];
    return [
      ...(isFields(value) ? this.#inObject(schema, value, place, depth) : []),
      ...(Array.isArray(value) ? this.#inArray(schema, value, place, depth) : []),
      ...this.#inAll(listOf(schema['allOf']), value, place, depth),
      ...this.#inBranches(listOf(schema['anyOf']), value, place, depth),
      // More than one may seem to fit, since some keywords are not checked.
      ...this.#inBranches(listOf(schema['oneOf']), value, place, depth),
    ];
  }

  #inObject(schema: Fields, value: Fields, place: Place | undefined, depth: number): readonly Problem[] {
    const properties = isFields(schema['properties']) ? schema['properties'] : {};
    const problems: Problem[] = [];
    for (const name of listOf(schema['required'])) {
      if (problems.length >= MOST_PROBLEMS || --this.#left <= 0) return problems;
      if (typeof name === 'string' && !Object.hasOwn(value, name))
        problems.push({ place: inside(place, name), text: () => 'required, but missing' });
    }
    const others = isFields(schema['patternProperties']) ? undefined : schema['additionalProperties'];
    const names = Object.keys(value);
    // They are listed as a whole, however few are looked at.
    this.#left -= names.length;
    for (const name of names) {
      if (problems.length >= MOST_PROBLEMS || this.isExhausted) break;
      const known = ownField(properties, name);
      if (known === undefined && others === false)
        problems.push({ place: inside(place, name), text: () => unknownField(name, properties) });
      else problems.push(...this.problems(known ?? others, value[name], inside(place, name), depth + 1));
    }
    return problems;
  }

  #inArray(schema: Fields, value: readonly unknown[], place: Place | undefined, depth: number): readonly Problem[] {
    const { items, prefixItems } = schema;
    const first = listOf(Array.isArray(items) ? items : prefixItems);
    const rest = Array.isArray(items) ? undefined : items;
    const problems: Problem[] = [];
    for (const [at, item] of value.entries()) {
      if (problems.length >= MOST_PROBLEMS || --this.#left <= 0) break;
      problems.push(...this.problems(at < first.length ? first[at] : rest, item, inside(place, at), depth + 1));
    }
    return problems;
  }

  #inAll(schemas: readonly unknown[], value: unknown, place: Place | undefined, depth: number): readonly Problem[] {
    const problems: Problem[] = [];
    for (const each of schemas) {
      if (problems.length >= MOST_PROBLEMS || --this.#left <= 0) break;
      problems.push(...this.problems(each, value, place, depth + 1));
    }
    return problems;
  }

  /** One of them has to fit. Otherwise the problems of the one that came closest: where what is wrong lies deepest. */
  #inBranches(branches: readonly unknown[], value: unknown, place: Place | undefined, depth: number): readonly Problem[] {
    let closest: readonly Problem[] | undefined;
    for (const branch of branches) {
      if (--this.#left <= 0) return NO_PROBLEMS;
      const problems = this.problems(branch, value, place, depth + 1);
      if (problems.length === 0) return NO_PROBLEMS;
      if (closest === undefined || deepest(problems) > deepest(closest)) closest = problems;
    }
    if (closest === undefined || deepest(closest) > depthOf(place)) return closest ?? NO_PROBLEMS;
    const forms = [...new Set(branches.flatMap((branch) => (isFields(branch) ? this.#typesOf(branch) : [])))];
    return forms.length > 1 ? [{ place, text: () => mismatch(forms, value) }] : closest;
  }

  #typesOf({ type }: Fields): readonly string[] {
    if (typeof type === 'string') return [type];
    const types = listOf(type);
    this.#left -= types.length;
    return types.filter((each) => typeof each === 'string');
  }

  #typeProblem(schema: Fields, value: unknown): (() => string) | undefined {
    const types = this.#typesOf(schema);
    // A type that is unknown here may be anything.
    if (types.length === 0 || types.some((type) => ownField(TYPES, type)?.(value) ?? true)) return undefined;
    return () => mismatch(types, value);
  }

  #valueProblem(schema: Fields, value: unknown): (() => string) | undefined {
    const allowed = Object.hasOwn(schema, 'const') ? [schema['const']] : schema['enum'];
    if (!Array.isArray(allowed) || allowed.length === 0) return undefined;
    this.#left -= allowed.length;
    // Comparing objects and arrays is left to the server.
    if ([value, ...allowed].some((each) => typeof each === 'object' && each !== null) || allowed.includes(value)) return undefined;
    return () => {
      const shown = allowed.slice(0, MOST_NAMED).map((each) => JSON.stringify(each));
      return `must be ${shown.length > 1 ? 'one of ' : ''}${echo(shown.join(', '))}${allowed.length > shown.length ? ', …' : ''}`;
    };
  }

  /** What a reference within the schema leads to; undefined, which accepts everything, for any other. */
  #resolve(reference: string): unknown {
    if (!reference.startsWith('#') || reference.length > LONGEST_REFERENCE) return undefined;
    let found = this.#root;
    for (const part of reference.slice(1).split('/').slice(1)) {
      if (--this.#left <= 0) return undefined;
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (Array.isArray(found)) found = found[Number(key)];
      else found = isFields(found) ? ownField(found, key) : undefined;
    }
    // The name of an anchor is not a path.
    return reference.length > 1 && !reference.startsWith('#/') ? undefined : found;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function deepest(problems: readonly Problem[]): number {
  return Math.max(...problems.map(({ place }) => depthOf(place)));
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

function mismatch(types: readonly string[], value: unknown): string {
  const given = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  const named = types.slice(0, MOST_NAMED).map(echo);
  return `must be ${named.join(' or ')}${types.length > named.length ? ', …' : ''}, not ${given}`;
}

function rangeProblem(schema: Fields, value: unknown): (() => string) | undefined {
  const text =
    typeof value === 'number'
      ? boundProblem(schema, value)
      : typeof value === 'string'
        ? // Characters beyond the basic plane take two code units.
          countProblem(schema, 'Length', value.length, Math.ceil(value.length / 2), 'characters')
        : Array.isArray(value)
          ? countProblem(schema, 'Items', value.length, value.length, 'items')
          : undefined;
  return text === undefined ? undefined : () => text;
}

function boundProblem({ exclusiveMaximum, exclusiveMinimum, maximum, minimum }: Fields, value: number): string | undefined {
  if (typeof minimum === 'number' && value < minimum) return `must be at least ${minimum}`;
  if (typeof maximum === 'number' && value > maximum) return `must be at most ${maximum}`;
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) return `must be more than ${exclusiveMinimum}`;
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) return `must be less than ${exclusiveMaximum}`;
  return undefined;
}

function countProblem(schema: Fields, kind: 'Length' | 'Items', most: number, least: number, what: string): string | undefined {
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
  return `unknown field. Fields are ${echo(names.slice(0, MOST_NAMED).join(', '))}`;
}
