/** Positions and layout of a text. */
import { isFields, ownField } from '../../../json.js';

export function lineEnd(text: string): string {
  return /\r\n/.test(text) ? '\r\n' : '\n';
}

export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset)))?.[0] ?? '';
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

export function nextLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

/** Whether only whitespace precedes the position in its line. Looks no further back than that: a line may be the whole file. */
export function beginsLine(text: string, offset: number): boolean {
  for (let at = offset - 1; at >= 0; at--) {
    const character = text.charAt(at);
    if (character === '\n') return true;
    if (character.trim() !== '') return false;
  }
  return true;
}

export function splice(text: string, from: number, to: number, replacement: string): string {
  return text.slice(0, from) + replacement + text.slice(to);
}

/** `value` wrapped into objects, so that it is at `path`. */
export function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

/** The document with another value at `path`; undefined removes. */
export function withValue(document: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const fields = isFields(document) ? document : {};
  const inner = withValue(ownField(fields, key), rest, value);
  if (inner !== undefined && !(value === undefined && !Object.hasOwn(fields, key))) return { ...fields, [key]: inner };
  const { [key]: _gone, ...others } = fields;
  return others;
}
