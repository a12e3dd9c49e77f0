/** What the schema finds in a document, said to the person who wrote it. */
import type { Node } from 'jsonc-parser';
import type * as z from 'zod/v4';
import { nearest } from '../../catalog/near.js';
import { type ConfigDocument, keyOffset, nodeAt } from './document.js';
import { configJsonSchema } from './json-schema.js';
import { type ConfigPath, type ConfigProblem, keyText } from './problems.js';
import { ConfigSchema } from './schema.js';

/** What was configured, as the file has it. */
export type ConfigFile = z.output<typeof ConfigSchema>;

export type Checked =
  | { readonly ok: true; readonly config: ConfigFile }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** All problems of a document, its own and those with the schema; or what it says. */
export function checkDocument({ root, value, problems }: ConfigDocument): Checked {
  const { success, data, error } = ConfigSchema.safeParse(value);
  if (success && problems.length === 0) return { ok: true, config: data };
  const known = new Set(problems.map(({ offset }) => offset));
  const found = (error?.issues ?? [])
    .flatMap((issue) => (issue.code === 'unrecognized_keys' ? unknownKeys(root, issue) : [problemOf(root, issue)]))
    // Of a text whose variable is not set nothing else is known.
    .filter(({ offset }) => !known.has(offset));
  return { ok: false, problems: [...problems, ...found] };
}

function problemOf(root: Node, issue: z.core.$ZodIssue): ConfigProblem {
  const path = pathOf(issue);
  const { node, found } = nodeAt(root, path);
  const offset = issue.code === 'invalid_key' ? keyOffset({ node }) : node.offset;
  const message = found ? issueText(issue, node) : `"${String(path.at(-1))}" is missing.`;
  return { offset, path, message, action: `Expected: ${descriptionAt(path)}` };
}

const NAMES: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'an object',
  record: 'an object',
  string: 'a text',
  boolean: 'true or false',
  number: 'a number',
};

function issueText(issue: z.core.$ZodIssue, { type, value }: Node): string {
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message;
  if (issue.code !== 'invalid_type' || issue.expected === 'int') return issue.message;
  const expected = NAMES[issue.expected] ?? issue.expected;
  const actual = type === 'boolean' ? String(value) : (NAMES[type] ?? type);
  return `${expected.charAt(0).toUpperCase()}${expected.slice(1)} is expected, and this is ${actual}.`;
}

function unknownKeys(root: Node, issue: z.core.$ZodIssueUnrecognizedKeys): ConfigProblem[] {
  const around = pathOf(issue);
  return issue.keys.map((key) => {
    const path = [...around, key];
    const offset = keyOffset(nodeAt(root, path));
    if (key === 'token' && around[0] === 'http' && around[1] === 'tokens')
      return {
        offset,
        path,
        message: 'A token does not belong in a file.',
        action: 'Store its SHA-256 as "sha256" instead. `footbridge token NAME` creates a token and its entry. Revoke this one.',
      };
    const names = Object.keys(schemaAt(around)?.properties ?? {});
    const [near] = nearest(key, names);
    return {
      offset,
      path,
      message: `Unknown key "${keyText(key)}".`,
      action: `${near === undefined ? '' : `Did you mean "${near}"? `}Known keys: ${names.join(', ')}.`,
    };
  });
}

function pathOf({ path }: z.core.$ZodIssue): ConfigPath {
  return path.map((step) => (typeof step === 'number' ? step : String(step)));
}

/** What belongs at a path, or around it where that says nothing. */
function descriptionAt(path: ConfigPath): string {
  const { description } = schemaAt(path) ?? {};
  if (description !== undefined) return description;
  return path.length === 0 ? '' : descriptionAt(path.slice(0, -1));
}

function schemaAt(path: ConfigPath): z.core.JSONSchema.BaseSchema | undefined {
  return path.reduce<z.core.JSONSchema.BaseSchema | undefined>((schema, step) => {
    const inner = typeof step === 'number' ? schema?.items : (schema?.properties?.[step] ?? schema?.additionalProperties);
    return typeof inner === 'object' && !Array.isArray(inner) ? inner : undefined;
  }, configJsonSchema());
}
