/** Parses the configuration, keeping the position of each value. */
import { createScanner, findNodeAtLocation, type Node, type ParseError, parseTree } from 'jsonc-parser';
import { type ConfigPath, type ConfigProblem, keyText } from './problems.js';
import { syntaxMessage } from './syntax.js';
import { expandVariables } from './variables.js';

export interface ConfigDocument {
  readonly root: Node;
  /** With variables expanded. */
  readonly value: unknown;
  readonly problems: readonly ConfigProblem[];
}

const DEEPEST = 32;

/** JSON with comments and trailing commas. Invalid JSON yields only problems. */
export function readDocument(
  text: string,
  environment: NodeJS.ProcessEnv,
): ConfigDocument | { readonly problems: readonly ConfigProblem[] } {
  const deep = tooDeep(text);
  if (deep !== undefined) return { problems: [deep] };
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (root === undefined || errors.length > 0) return { problems: firstOfEach(errors).map(syntaxProblem) };
  const problems: ConfigProblem[] = [];
  return { root, value: expanded(root, [], environment, problems), problems };
}

/** The value at a path, or the nearest one around it. */
export function nodeAt(root: Node, path: ConfigPath): { readonly node: Node; readonly found: boolean } {
  const node = findNodeAtLocation(root, [...path]);
  if (node !== undefined) return { node, found: true };
  return { node: path.length === 0 ? root : nodeAt(root, path.slice(0, -1)).node, found: false };
}

export function keyOffset({ node }: { readonly node: Node }): number {
  return node.parent?.type === 'property' ? node.parent.offset : node.offset;
}

function expanded(node: Node, path: ConfigPath, environment: NodeJS.ProcessEnv, problems: ConfigProblem[]): unknown {
  if (node.type === 'array') return node.children?.map((item, index) => expanded(item, [...path, index], environment, problems));
  if (node.type === 'object') return objectOf(node, path, environment, problems);
  if (node.type !== 'string') return node.value;
  const expansion = expandVariables(String(node.value), environment);
  if (expansion.ok) return expansion.text;
  problems.push({ offset: node.offset, path, message: expansion.message, action: expansion.action });
  return node.value;
}

function objectOf(node: Node, path: ConfigPath, environment: NodeJS.ProcessEnv, problems: ConfigProblem[]): unknown {
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

/** Checked before parsing, because the parser is recursive. */
function tooDeep(text: string): ConfigProblem | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
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
        action: 'Is a bracket not closed?',
      };
  }
  return undefined;
}

/** The parser may report several errors at one position; only the first is relevant. */
function firstOfEach(errors: readonly ParseError[]): ParseError[] {
  return errors.filter(({ offset }, index) => errors.findIndex((other) => other.offset === offset) === index);
}

function syntaxProblem(error: ParseError): ConfigProblem {
  return {
    offset: error.offset,
    path: [],
    message: syntaxMessage(error),
    action: 'Correct it; the file is JSON, in which comments and trailing commas are allowed.',
  };
}
