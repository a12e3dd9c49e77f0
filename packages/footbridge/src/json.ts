/** Checks of untrusted JSON. */

export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is an object, and neither an array nor null. */
export function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own property: names come from outside, and every object inherits `constructor`. */
export function ownField<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** An untrusted value as text. Objects are written as JSON, since their `toString` may not be a function. */
export function asText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Parses untrusted text; undefined where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Deeper nesting can be parsed but not stringified. */
export const DEEPEST = 500;
/** More values take longer to parse than other tasks can wait: up to 0.2 µs each. */
export const MAX_VALUES = 250_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/** The cost of parsing a JSON text. Stops counting beyond the limits. */
export interface JsonShape {
  /** Whether it is nested so deeply that walking its value could overflow the stack. */
  readonly isDeep: boolean;
  readonly values: number;
}

export function shapeOf(text: string, mostValues: number): JsonShape {
  if (text.length < 2 * DEEPEST) return SMALL;
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length && depth <= DEEPEST && values <= mostValues; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) values++;
    else if (code === BRACKET || code === BRACE) {
      depth++;
      values++;
    } else if (code === BRACKET + 2 || code === BRACE + 2) depth--;
  }
  return { isDeep: depth > DEEPEST, values };
}

/** The result for a text that is too short to exceed the limits. */
const SMALL: JsonShape = { isDeep: false, values: 0 };

export function isDeep(text: string): boolean {
  return shapeOf(text, Number.POSITIVE_INFINITY).isDeep;
}

/** Parses what an upstream sent; undefined where it is not JSON, is nested too deeply or has too many values. */
export function parseBounded(text: string): unknown {
  const { isDeep, values } = shapeOf(text, MAX_VALUES);
  return isDeep || values > MAX_VALUES ? undefined : parseJson(text);
}

/** Characters that are compared one by one, since a search costs more for so few. */
const NEAR = 32;

/** Where the closing quote of a string is that opens at `start`, else the end of the text. */
function endOfString(text: string, start: number): number {
  let near = start + NEAR;
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
    else if (at > near) {
      const end = text.indexOf('"', at);
      if (end === -1) return text.length;
      if (!isEscaped(text, at, end)) return end;
      at = end;
      near = at + NEAR;
    }
  }
  return text.length;
}

/** Whether an odd number of backslashes precedes a character. Those before `from` are complete escapes. */
function isEscaped(text: string, from: number, at: number): boolean {
  let first = at;
  while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}

/** The approximate size of an object, an array, a number or the reference to a string, in bytes. */
const NODE = 32;

/**
 * The approximate size of a parsed value in bytes; a text of brackets takes twenty times its length. Stops counting beyond `most`.
 * `knownOf` may return the size of an array.
 */
export function weightOf(
  value: unknown,
  most: number,
  knownOf: (array: readonly unknown[]) => number | undefined = () => undefined,
): number {
  let weight = 0;
  const left: unknown[] = [value];
  while (left.length > 0 && weight <= most) {
    const next = left.pop();
    weight += NODE;
    if (typeof next === 'string') weight += next.length;
    else if (Array.isArray(next)) {
      const known = knownOf(next);
      weight += known ?? NODE * next.length;
      if (known === undefined && weight <= most) for (const each of next) left.push(each);
    } else if (isFields(next)) {
      for (const key in next) {
        weight += NODE + key.length;
        if (weight > most) break;
        left.push(next[key]);
      }
    }
  }
  return weight;
}
