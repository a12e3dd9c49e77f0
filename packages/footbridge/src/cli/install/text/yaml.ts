/** Changes one value in YAML and keeps the rest of the text. */
import { type Document, isCollection, isMap, isScalar, type Pair, parseDocument, stringify, type YAMLMap } from 'yaml';
import { beginsLine, indentAt, lineEnd, lineStart, nested, nextLine, splice } from './style.js';

/** `value` undefined removes. The text was parsed before, within limits. Returns the text unchanged where that is impossible. */
export function setYaml(text: string, path: readonly string[], value: unknown): string {
  const { contents } = parseDocument(text, { uniqueKeys: false });
  if (contents === null || (isScalar(contents) && contents.value === null))
    return value === undefined ? text : atEnd(text, nested(path, value));
  let node: unknown = contents;
  for (const [depth, key] of path.entries()) {
    if (!isMap(node) || node.flow === true) return text;
    const pair = node.items.find((item) => isScalar(item.key) && item.key.value === key);
    if (pair === undefined) return value === undefined ? text : insert(text, node, key, nested(path.slice(depth + 1), value));
    if (depth === path.length - 1 && value === undefined) return remove(text, node, pair);
    const isReplaced = depth === path.length - 1 || !isMap(pair.value) || (pair.value.flow === true && pair.value.items.length === 0);
    if (isReplaced) return value === undefined ? text : replace(text, pair, key, nested(path.slice(depth + 1), value));
    node = pair.value;
  }
  return text;
}

/** Rewrites the document with the library, which keeps comments but not all whitespace. */
export function setYamlDocument(text: string, path: readonly string[], value: unknown): string {
  // Keeps the notation of numbers.
  const document: Document = parseDocument(text, { intAsBigInt: true, uniqueKeys: false });
  if (value === undefined) document.deleteIn(path);
  else document.setIn(path, document.createNode(value));
  return document.toString({ lineWidth: 0 }).replace(/\n/g, lineEnd(text));
}

function insert(text: string, map: YAMLMap, key: string, value: unknown): string {
  const last = map.items.at(-1);
  const start = last === undefined ? undefined : startOf(last);
  if (last === undefined || start === undefined || !beginsLine(text, start)) return text;
  const end = lineEnd(text);
  const at = nextLine(text, endOf(text, last));
  const pair = written({ [key]: value }, indentAt(text, start), end);
  return text.slice(0, at).endsWith('\n') ? splice(text, at, at, `${pair}${end}`) : `${text}${end}${pair}`;
}

function replace(text: string, pair: Pair, key: string, value: unknown): string {
  const start = startOf(pair);
  if (start === undefined || !beginsLine(text, start)) return text;
  const { value: held } = pair;
  const isPlain = (item: unknown) => item === null || typeof item !== 'object';
  if (
    isScalar(held) &&
    held.range &&
    held.source !== '' &&
    isPlain(value) &&
    isPlain(held.value) &&
    !text.slice(...firstTwo(held.range)).includes('\n')
  )
    return splice(text, held.range[0], held.range[1], stringify(value, { lineWidth: 0 }).trimEnd());
  const indent = indentAt(text, start);
  return splice(text, lineStart(text, start), endOf(text, pair), written({ [key]: value }, indent, lineEnd(text)));
}

function remove(text: string, map: YAMLMap, pair: Pair): string {
  const start = startOf(pair);
  if (start === undefined || !beginsLine(text, start)) return text;
  const from = lineStart(text, start);
  const to = nextLine(text, endOf(text, pair));
  if (map.items.length > 1) return splice(text, from, to, '');
  // A block map cannot be empty.
  return splice(text, from, to, `${indentAt(text, start)}{}${lineEnd(text)}`);
}

function atEnd(text: string, value: unknown): string {
  const end = lineEnd(text);
  const gap = text === '' || text.endsWith('\n') ? '' : end;
  return `${text}${gap}${written(value, '', end)}${end}`;
}

function written(value: unknown, indent: string, end: string): string {
  const lines = stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd().split('\n');
  return lines.map((line) => (line === '' ? '' : indent + line)).join(end);
}

function startOf({ key }: Pair): number | undefined {
  return isScalar(key) ? key.range?.[0] : undefined;
}

/** Before the comment or line break after the pair. */
function endOf(text: string, { key, value }: Pair): number {
  const range = isScalar(value) || isCollection(value) ? value.range : undefined;
  const start = isScalar(key) ? (key.range?.[1] ?? 0) : 0;
  const last = isMap(value) && value.flow !== true ? value.items.at(-1) : undefined;
  if (last !== undefined) return endOf(text, last);
  const end = range?.[1] ?? start;
  return start + text.slice(start, Math.max(start, end)).trimEnd().length;
}

function firstTwo([from, to]: readonly number[]): [number, number] {
  return [from ?? 0, to ?? 0];
}
