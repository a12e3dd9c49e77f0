/** The text of a configuration file as a tree and a value, within limits. */
import { createScanner, type Node, type ParseError, parseTree, visit } from 'jsonc-parser';
import { grouped } from '../terminal.js';
import { plainValue } from './plain.js';
import { type ConfigPath, type ConfigProblem, keyText, MAX_PROBLEMS, syntaxMessage } from './problems.js';
import { expandVariables, withoutVariables } from './variables.js';

export interface ConfigDocument {
  /** The text as a tree, for the places of problems. */
  root(): Node;
  /** With variables expanded. */
  readonly value: unknown;
  readonly problems: readonly ConfigProblem[];
}

const DEEPEST = 32;
/** A megabyte of single digits would take seconds to check. */
const MAX_TOKENS = 2 ** 16;
/** Characters of a file that is read in several turns: a server reads it again when it changes, while hosts wait for answers. */
const LARGE = 2 ** 15;

/** JSON with comments and trailing commas. Invalid JSON yields only problems. Without an environment, no variable has a value. */
export async function readDocument(
  text: string,
  environment: NodeJS.ProcessEnv | undefined,
): Promise<ConfigDocument | { readonly problems: readonly ConfigProblem[] }> {
  const plain = plainValue(text, environment, { deepest: DEEPEST, mostTokens: MAX_TOKENS });
  if (plain !== undefined) return { root: () => treeOf(text), value: plain.value, problems: [] };
  const beyond = beyondLimits(text);
  if (beyond !== undefined) return { problems: [beyond] };
  await betweenSteps(text);
  const errors = syntaxErrors(text);
  await betweenSteps(text);
  const root = errors.length > 0 ? undefined : parseTree(text, errors, JSON_OPTIONS);
  if (root === undefined || errors.length > 0) return { problems: firstOfEach(errors).map(syntaxProblem) };
  await betweenSteps(text);
  const problems: ConfigProblem[] = [];
  return { root: () => root, value: expanded(root, [], environment, problems), problems };
}

function treeOf(text: string): Node {
  const root = parseTree(text, [], JSON_OPTIONS);
  if (root === undefined) throw new Error('The text was valid before.');
  return root;
}

function expanded(node: Node, path: ConfigPath, environment: NodeJS.ProcessEnv | undefined, problems: ConfigProblem[]): unknown {
  if (node.type === 'array') return node.children?.map((item, index) => expanded(item, [...path, index], environment, problems));
  if (node.type === 'object') return objectOf(node, path, environment, problems);
  if (node.type !== 'string') return node.value;
  const text = String(node.value);
  // Sources must be the same for everyone, and an address must not contain a secret.
  if (path[0] === 'sources') {
    if (text.includes('${')) problems.push({ offset: node.offset, path, message: IN_SOURCE, action: 'Write it out.' });
    return text;
  }
  if (environment === undefined) return withoutVariables(text);
  const expansion = expandVariables(text, environment);
  if (expansion.ok) return expansion.text;
  problems.push({ offset: node.offset, path, message: expansion.message, action: expansion.action });
  return node.value;
}

const IN_SOURCE = 'Variables are not allowed in "sources".';

function objectOf(node: Node, path: ConfigPath, environment: NodeJS.ProcessEnv | undefined, problems: ConfigProblem[]): unknown {
  const fields = new Map<string, unknown>();
  for (const { offset, children: [name, value] = [] } of node.children ?? []) {
    const key = String(name?.value);
    const inner = [...path, key];
    if (value === undefined) continue;
    if (fields.has(key))
      problems.push({ offset, path: inner, message: `Duplicate key "${keyText(key)}".`, action: 'Remove one of the two.' });
    // Would set the prototype of the object.
    else if (key === '__proto__') problems.push({ offset, path: inner, message: 'Unknown key.', action: 'Remove it.' });
    else fields.set(key, expanded(value, inner, environment, problems));
  }
  return Object.fromEntries(fields);
}

/** Yields to other tasks if the file is large. */
export async function betweenSteps({ length }: string): Promise<void> {
  if (length > LARGE) await new Promise((resolve) => setImmediate(resolve));
}

/** Checked before parsing, because the parser is recursive. */
function beyondLimits(text: string): ConfigProblem | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  let tokens = 0;
  while (scanner.getPosition() < text.length) {
    scanner.scan();
    const begin = text.charAt(scanner.getTokenOffset());
    if (begin === '{' || begin === '[') depth++;
    if (begin === '}' || begin === ']') depth--;
    if (depth > DEEPEST)
      return {
        offset: scanner.getTokenOffset(),
        path: [],
        message: `This is nested deeper than ${DEEPEST} levels.`,
        action: 'Check for an unclosed bracket.',
      };
    if (++tokens > MAX_TOKENS)
      return {
        offset: scanner.getTokenOffset(),
        path: [],
        message: `The file has more than ${grouped(MAX_TOKENS)} words and marks.`,
        action: 'Is it the right file?',
      };
  }
  return undefined;
}

const JSON_OPTIONS = { allowTrailingComma: true } as const;

/** Stops when there are more than are reported. */
function syntaxErrors(text: string): ParseError[] {
  const errors: ParseError[] = [];
  const positions = new Set<number>();
  const onError = (error: ParseError['error'], offset: number, length: number) => {
    errors.push({ error, offset, length });
    if (positions.add(offset).size > MAX_PROBLEMS) throw new TooManyErrors();
  };
  try {
    visit(text, { onError }, JSON_OPTIONS);
  } catch (cause) {
    if (!(cause instanceof TooManyErrors)) throw cause;
  }
  return errors;
}

class TooManyErrors extends Error {}

/** The parser may report several errors at one position; only the first is relevant. */
function firstOfEach(errors: readonly ParseError[]): ParseError[] {
  const first = new Map<number, ParseError>();
  for (const error of errors) if (!first.has(error.offset)) first.set(error.offset, error);
  return [...first.values()];
}

function syntaxProblem(error: ParseError): ConfigProblem {
  return {
    offset: error.offset,
    path: [],
    message: syntaxMessage(error),
    action: 'Correct it; the file is JSON, in which comments and trailing commas are allowed.',
  };
}
