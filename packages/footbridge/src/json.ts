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

/** Parses untrusted text; undefined where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Deeper nesting can be parsed but not stringified. */
const DEEPEST = 500;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/** Whether JSON is nested so deeply that walking its value could overflow the stack. */
export function isDeep(text: string): boolean {
  if (text.length < 2 * DEEPEST) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === BRACKET || code === BRACE) {
      if (++depth > DEEPEST) return true;
    } else if (code === BRACKET + 2 || code === BRACE + 2) depth--;
  }
  return false;
}

/** Bytes of an object, an array, a number or the reference to a string, about. */
const NODE = 32;

/** About how many bytes a parsed value takes, counted until it is more than `most`: a text of brackets takes twenty times its length. */
export function weightOf(value: unknown, most: number): number {
  let weight = 0;
  const left: unknown[] = [value];
  while (left.length > 0 && weight <= most) {
    const next = left.pop();
    weight += NODE;
    if (typeof next === 'string') weight += next.length;
    else if (Array.isArray(next)) {
      weight += NODE * next.length;
      if (weight <= most) for (const each of next) left.push(each);
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
