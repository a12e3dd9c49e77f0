/** Parses untrusted YAML. Documents that could take long are rejected before they are converted to values. */
import type { CST, Document, DocumentOptions, ParseOptions, SchemaOptions } from 'yaml';

/** Loaded by the caller, only where text is not plain. */
export type YamlLibrary = typeof import('yaml');

export interface YamlLimits {
  readonly characters: number;
  /** Words, quoted texts, marks, spaces and line ends. */
  readonly tokens: number;
}

/** The depth of nested maps and lists. */
const DEEPEST = 64;
const MAX_ALIASES = 100;

/** `at` is an offset in the text. */
type BoundedYaml =
  | { readonly ok: true; readonly document: Document.Parsed; readonly hasMore: boolean }
  /** `beyond` where it may be YAML, and is more than is read. */
  | { readonly ok: false; readonly problem: string; readonly at: number; readonly beyond: boolean };

type Options = ParseOptions & DocumentOptions & SchemaOptions;

/**
 * Composes the first document of a text that is within the limits and has no syntax error.
 * Duplicate keys are accepted, since the library compares each key with all others: see `repeatedKey`.
 */
export function parseYaml(text: string, library: YamlLibrary, limits: YamlLimits, options: Options): BoundedYaml {
  if (text.length > limits.characters) return beyond(`It is longer than ${limits.characters} characters`, 0);
  const tokens: CST.Token[] = [];
  const parser = new library.Parser(options.lineCounter?.addNewLine);
  options.lineCounter?.addNewLine(0);
  let count = 0;
  for (const lexeme of new library.Lexer().lex(text)) {
    if (++count > limits.tokens) return beyond(`It has more than ${limits.tokens} words and marks`, parser.offset);
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > DEEPEST + 1) return beyond(`It is nested more than ${DEEPEST} levels deep`, parser.offset);
  }
  for (const token of parser.end()) tokens.push(token);
  const refused = refusedNode(tokens);
  return refused === undefined ? composed(tokens, text, library, options) : beyond(refused.problem, refused.at);
}

function beyond(problem: string, at: number): BoundedYaml {
  return { ok: false, problem, at, beyond: true };
}

class SyntaxProblem extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

function composed(tokens: readonly CST.Token[], text: string, library: YamlLibrary, options: Options): BoundedYaml {
  const composer = new library.Composer({ ...options, uniqueKeys: false });
  Object.assign(composer, { onError: stoppingAtFirst() });
  const firstError = tokens.findIndex(({ type }) => type === 'error');
  const documents = composer.compose(firstError === -1 ? tokens : tokens.slice(0, firstError + 1), true, text.length);
  let document: Document.Parsed | undefined;
  try {
    document = documents.next().value ?? undefined;
    const hasMore = documents.next().done !== true;
    const [error] = document?.errors ?? [];
    if (error !== undefined) return { ok: false, problem: error.message, at: error.pos[0], beyond: false };
    return document === undefined ? { ok: false, problem: 'It has no document', at: 0, beyond: false } : { ok: true, document, hasMore };
  } catch (cause) {
    if (!(cause instanceof SyntaxProblem)) throw cause;
    // An error in a second document.
    if (document !== undefined && document.errors.length === 0) return { ok: true, document, hasMore: true };
    return { ok: false, problem: cause.message, at: cause.at, beyond: false };
  }
}

type ErrorSource = number | readonly number[] | { readonly offset: number };

/** Otherwise the library goes on, and makes an object with a stack trace of each of very many errors. */
function stoppingAtFirst() {
  let first: SyntaxProblem | undefined;
  return (source: ErrorSource, _code: string, message: string, isWarning = false) => {
    if (isWarning) return;
    // The library reports what was thrown within a collection again, as an error of that.
    first ??= new SyntaxProblem(message, typeof source === 'number' ? source : 'offset' in source ? source.offset : (source[0] ?? 0));
    throw first;
  };
}

type Refused = { readonly problem: string; readonly at: number };

/**
 * A key that is not text is written out as text once for each map around it. An alias may stand for anything: for very much, or
 * for a collection around it, which then has no end.
 */
function refusedNode(tokens: readonly CST.Token[]): Refused | undefined {
  const anchored = new Map<string, CST.Token>();
  const around = new Set<CST.Token>();
  let aliases = 0;
  const look = (node: CST.Token, properties: readonly CST.SourceToken[]): Refused | undefined => {
    for (const { source, type } of properties) if (type === 'anchor') anchored.set(source.slice(1), node);
    if (node.type === 'document') return node.value === undefined ? undefined : look(node.value, node.start);
    if (node.type === 'alias') {
      if (++aliases > MAX_ALIASES) return { problem: `It has more than ${MAX_ALIASES} aliases`, at: node.offset };
      const target = anchored.get(node.source.slice(1));
      return target !== undefined && around.has(target)
        ? { problem: 'An alias stands for a collection that contains it', at: node.offset }
        : undefined;
    }
    if (!('items' in node)) return undefined;
    around.add(node);
    for (const { key, sep, start, value } of node.items) {
      if (key !== undefined && key !== null && !IS_TEXT.has(key.type)) return { problem: 'A key is not text', at: key.offset };
      const isPair = sep !== undefined && sep.length > 0;
      const refused =
        (isPair && key ? look(key, start) : undefined) ?? (value === undefined ? undefined : look(value, isPair ? sep : start));
      if (refused !== undefined) return refused;
    }
    around.delete(node);
    return undefined;
  };
  for (const token of tokens) {
    const refused = look(token, []);
    if (refused !== undefined) return refused;
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
