/** Changes one value in TOML and keeps the rest of the text. */
import { parse, stringify } from 'smol-toml';
import { isFields } from '../../../json.js';
import { lineEnd, nextLine, splice, withValue } from './style.js';

/** `value` undefined removes. Returns the text unchanged where that is impossible. */
export function setToml(text: string, path: readonly string[], value: unknown): string {
  const statements = statementsOf(text);
  if (statements === undefined) return text;
  const holding = statements.filter((each) => each.kind === 'value').find(({ path: own }) => startsWith(path, own));
  if (holding !== undefined) return changeHolding(text, holding, path, value);
  // Tables at and below the path, and dotted keys below it.
  const cleared = statements.filter(({ path: own }) => startsWith(own, path)).reduceRight(dropLines, text);
  if (value === undefined) return cleared;
  const parent = path.slice(0, -1);
  const left = statementsOf(cleared) ?? [];
  const header = left.findIndex(({ kind, path: own }) => kind === 'table' && own.length === parent.length && startsWith(own, parent));
  if (header === -1) return isFields(value) ? append(cleared, path, value) : cleared;
  return insertInto(cleared, left, header, `${keyText(path.slice(-1))} = ${inline(value)}`);
}

/** The value is a statement, or part of an inline one. */
function changeHolding(text: string, holding: Extract<Statement, { kind: 'value' }>, path: readonly string[], value: unknown): string {
  const rest = path.slice(holding.path.length);
  if (rest.length === 0) return value === undefined ? dropLines(text, holding) : splice(text, holding.valueFrom, holding.to, inline(value));
  const old: unknown = parse(`value = ${text.slice(holding.valueFrom, holding.to)}`)['value'];
  return splice(text, holding.valueFrom, holding.to, inline(withValue(old, rest, value)));
}

function dropLines(text: string, { kind, from, to }: Statement): string {
  const dropped = splice(text, from, nextLine(text, to), '');
  // The blank line before the table.
  return kind === 'table' && /(?:^|\n)\r?\n$/.test(dropped.slice(0, from)) && /^(?:\s*$|\r?\n)/.test(dropped.slice(from))
    ? dropped.slice(0, from).replace(/\r?\n$/, '') + dropped.slice(from)
    : dropped;
}

function insertInto(text: string, statements: readonly Statement[], header: number, line: string): string {
  const end = lineEnd(text);
  let last = statements[header];
  for (const statement of statements.slice(header + 1)) {
    if (statement.kind === 'table') break;
    last = statement;
  }
  const at = nextLine(text, last?.to ?? 0);
  return text.slice(0, at).endsWith('\n') ? splice(text, at, at, `${line}${end}`) : `${text}${end}${line}`;
}

function append(text: string, path: readonly string[], value: Readonly<Record<string, unknown>>): string {
  const end = lineEnd(text);
  const gap = text === '' ? '' : text.endsWith('\n') ? end : `${end}${end}`;
  const lines = Object.entries(value).map(([key, field]) => `${keyText([key])} = ${inline(field)}`);
  const block = [`[${keyText(path)}]`, ...lines].join(end);
  return `${text}${gap}${block}${text === '' || text.endsWith('\n') ? end : ''}`;
}

function keyText(path: readonly string[]): string {
  return path.map((key) => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))).join('.');
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (!isFields(value) || value instanceof Date)
    return stringify({ value })
      .replace(/^value = /, '')
      .trimEnd();
  const pairs = Object.entries(value).map(([key, field]) => `${keyText([key])} = ${inline(field)}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

function startsWith(path: readonly string[], beginning: readonly string[]): boolean {
  return beginning.length <= path.length && beginning.every((key, index) => key === path[index]);
}

interface Range {
  readonly path: readonly string[];
  /** From the start of the line to the end of the value, without a comment. */
  readonly from: number;
  readonly to: number;
}

type Statement = (Range & { readonly kind: 'table' }) | (Range & { readonly kind: 'value'; readonly valueFrom: number });

/** Positions of all statements; undefined for invalid TOML. */
function statementsOf(text: string): readonly Statement[] | undefined {
  const statements: Statement[] = [];
  let table: readonly string[] = [];
  let at = 0;
  while (at < text.length) {
    const [blank = ''] = /^(?:[ \t\r\n]|#[^\n]*)*/.exec(text.slice(at)) ?? [];
    at += blank.length;
    if (at >= text.length) break;
    const from = text.lastIndexOf('\n', at - 1) + 1;
    const isTable = text[at] === '[';
    const isList = text.startsWith('[[', at);
    const keyEnd = endOf(text, isList ? at + 2 : isTable ? at + 1 : at, isTable ? ']' : '=');
    const keys = keysOf(text.slice(isList ? at + 2 : isTable ? at + 1 : at, keyEnd));
    if (keyEnd === -1 || keys === undefined) return undefined;
    if (isTable) {
      at = keyEnd + (isList ? 2 : 1);
      // Array tables have no unique path, so it gets a key that matches nothing.
      table = isList ? [...keys, '\0'] : keys;
      statements.push({ kind: 'table', path: table, from, to: at });
    } else {
      const valueFrom = keyEnd + 1 + (/^[ \t]*/.exec(text.slice(keyEnd + 1))?.[0].length ?? 0);
      at = valueFrom + text.slice(valueFrom, endOf(text, valueFrom, '\n')).trimEnd().length;
      statements.push({ kind: 'value', path: [...table, ...keys], from, to: at, valueFrom });
    }
  }
  return statements;
}

/** The position of `wanted` outside of strings, comments and brackets. For a line break, also the end of the text or the start of a comment. */
function endOf(text: string, from: number, wanted: string): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? '';
    if (depth === 0 && character === wanted) return at;
    if (character === '"' || character === "'") at = endOfText(text, at, character) - 1;
    else if (character === '#') {
      if (wanted === '\n' && depth === 0) return at;
      const end = text.indexOf('\n', at);
      if (end === -1) return -1;
      at = end - 1;
    } else if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
  }
  return wanted === '\n' ? text.length : -1;
}

/** After the closing quotes. */
function endOfText(text: string, from: number, quote: string): number {
  const long = quote.repeat(3);
  const isLong = text.startsWith(long, from);
  const close = isLong ? long : quote;
  let at = from + close.length;
  while (at < text.length && !text.startsWith(close, at)) at += quote === '"' && text[at] === '\\' ? 2 : 1;
  at += close.length;
  // Up to two quotes may precede the closing ones.
  while (isLong && text[at] === quote) at++;
  return at;
}

function keysOf(text: string): readonly string[] | undefined {
  try {
    const keys: string[] = [];
    let value: unknown = parse(`${text} = 0`);
    while (isFields(value)) {
      const [key = ''] = Object.keys(value);
      keys.push(key);
      value = value[key];
    }
    return keys;
  } catch {
    return undefined;
  }
}
