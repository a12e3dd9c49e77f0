/** Parses YAML from outside: what could take long is rejected before any value is made of it. */
import type { CST, Document, DocumentOptions, ParseOptions, SchemaOptions } from 'yaml';

/** Loaded by the caller, only where text is not plain. */
export type YamlLibrary = typeof import('yaml');

export interface YamlLimits {
  readonly characters: number;
  /** Words, quoted texts, marks, spaces and line ends. */
  readonly tokens: number;
}

/** Maps and lists within each other. */
const DEEPEST = 64;
const MOST_ALIASES = 100;

/** `at` is an offset in the text. */
type BoundedYaml =
  | { readonly ok: true; readonly document: Document.Parsed; readonly hasMore: boolean }
  | { readonly ok: false; readonly problem: string; readonly at: number };

type Options = ParseOptions & DocumentOptions & SchemaOptions;

/**
 * Composes the first document of a text that is within the limits; its syntax errors are in the document.
 * Duplicate keys are accepted, since the library compares each key with all others: see `repeatedKey`.
 */
export function parseYaml(text: string, library: YamlLibrary, limits: YamlLimits, options: Options): BoundedYaml {
  if (text.length > limits.characters) return { ok: false, problem: `It is longer than ${limits.characters} characters`, at: 0 };
  const tokens: CST.Token[] = [];
  const parser = new library.Parser(options.lineCounter?.addNewLine);
  options.lineCounter?.addNewLine(0);
  let count = 0;
  for (const lexeme of new library.Lexer().lex(text)) {
    if (++count > limits.tokens) return { ok: false, problem: `It has more than ${limits.tokens} words and marks`, at: parser.offset };
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > DEEPEST + 1)
      return { ok: false, problem: `It is nested more than ${DEEPEST} levels deep`, at: parser.offset };
  }
  for (const token of parser.end()) tokens.push(token);
  const refused = refusedNode(tokens);
  if (refused !== undefined) return { ok: false, ...refused };
  const [document, next] = new library.Composer({ ...options, uniqueKeys: false }).compose(tokens, true, text.length);
  if (document === undefined) return { ok: false, problem: 'It has no document', at: 0 };
  return { ok: true, document, hasMore: next !== undefined };
}

type Refused = { readonly problem: string; readonly at: number };

/** A key that is not text is written out as text once for each map around it, and an alias may stand for anything. */
function refusedNode(tokens: readonly CST.Token[]): Refused | undefined {
  const waiting: CST.Token[] = [...tokens];
  let aliases = 0;
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === 'alias' && ++aliases > MOST_ALIASES) return { problem: `It has more than ${MOST_ALIASES} aliases`, at: node.offset };
    if (node.type === 'document' && node.value !== undefined) waiting.push(node.value);
    if (!('items' in node)) continue;
    for (const { key, value } of node.items) {
      if (key !== undefined && key !== null && !IS_TEXT.has(key.type)) return { problem: 'A key is not text', at: key.offset };
      if (value !== undefined) waiting.push(value);
    }
  }
  return undefined;
}

const IS_TEXT: ReadonlySet<string> = new Set(['scalar', 'single-quoted-scalar', 'double-quoted-scalar', 'block-scalar']);

/** The first duplicate key of a map, and its offset. */
export function repeatedKey(node: unknown, library: YamlLibrary): { readonly text: string; readonly at: number } | undefined {
  if (!library.isMap(node)) return undefined;
  const seen = new Set<unknown>();
  for (const { key } of node.items) {
    const value: unknown = library.isScalar(key) ? key.value : key;
    if (seen.has(value)) return { text: String(value), at: library.isScalar(key) ? (key.range?.[0] ?? 0) : 0 };
    seen.add(value);
  }
  return undefined;
}
