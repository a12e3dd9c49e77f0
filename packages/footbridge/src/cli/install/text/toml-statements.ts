/** The statements of a TOML text and where each lies; what they hold is left to the parser. */
import { parse } from 'smol-toml';
import { isFields } from '../../../json.js';

interface Range {
  /** The keys from the outermost on. */
  readonly path: readonly string[];
  /** From the begin of its line, to its end, before a comment. */
  readonly from: number;
  readonly to: number;
}

export type Statement = (Range & { readonly kind: 'table' }) | (Range & { readonly kind: 'value'; readonly valueFrom: number });

/** Undefined for a text with what cannot be told apart here: lists of tables, or no TOML. */
export function statementsOf(text: string): readonly Statement[] | undefined {
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
      // What is in a list of tables has no path of keys alone; this one no key can equal.
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

/** Where `wanted` is next, outside of texts, comments and brackets; a line end is also the end of the text and of what is before a comment. */
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

/** Behind the closing quotes. */
function endOfText(text: string, from: number, quote: string): number {
  const long = quote.repeat(3);
  const isLong = text.startsWith(long, from);
  const close = isLong ? long : quote;
  let at = from + close.length;
  while (at < text.length && !text.startsWith(close, at)) at += quote === '"' && text[at] === '\\' ? 2 : 1;
  at += close.length;
  // Up to two quotes may come before the closing ones.
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
