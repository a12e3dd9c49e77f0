/** What our tools have in common. */
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import { withoutNulls } from '../../absent.js';
import type { Catalog } from '../../catalog/catalog.js';
import type { Snapshot } from '../../catalog/snapshot.js';
import { echo, type FootbridgeError } from '../../errors.js';
import { isFields, ownField } from '../../json.js';
import { parseText } from '../../json-turns.js';
import type { ReadContext } from '../../sources/resource.js';
import type { ToolName } from '../../tool-names.js';
import type { HostView } from '../hosts/view.js';
import type { ToolChoice } from '../tool-search/listing.js';

export interface DescribedTool {
  readonly name: ToolName;
  /** As `tools/list` shows it for this snapshot, to this host. It mentions only tools that are `listed`. */
  describe(snapshot: Snapshot, view: HostView, listed: ReadonlySet<ToolName>): Tool;
  /** The same in few words, for a list of tools that would be too long otherwise, with this share of the examples that fit usually. */
  describeBriefly?(snapshot: Snapshot, view: HostView, listed: ReadonlySet<ToolName>, share: number): Tool;
}

/** One that answers by itself. */
export interface OwnTool extends DescribedTool {
  /** Never throws for a mistake of the caller or a bad file: that is a result with `isError`. */
  call(input: unknown, catalog: Catalog, context: ReadContext, view: HostView, choice: ToolChoice): Promise<CallToolResult>;
}

/** Claude Code: how much of a result it passes to the model instead of writing it to a file. */
export const WHOLE_RESULTS = { 'anthropic/maxResultSizeChars': 500_000 } as const;

/** Characters of a query that are looked at: models may give a whole conversation. Each word costs a search. */
export const LONGEST_QUERY = 500;

/** The part of a query that is searched for; empty for an empty query. */
export function searchedPart(query: string | undefined): string {
  return (query ?? '').slice(0, LONGEST_QUERY).trim();
}

/** All our tools only read, apart from those that call others. */
export const READ_ONLY = { readOnlyHint: true, destructiveHint: false, openWorldHint: false } as const;

/** The input with values by name, which some models send as a JSON string, parsed. */
export async function withParsed(input: unknown, field: string): Promise<unknown> {
  const text = isFields(input) ? ownField(input, field) : undefined;
  if (!isFields(input) || typeof text !== 'string') return input;
  const parsed = await parseText(text);
  return 'value' in parsed ? { ...input, [field]: parsed.value ?? undefined } : input;
}

/** For values by name: some models send null for a value that they leave out. */
export function withoutNullValues(values: unknown): unknown {
  return isFields(values) ? Object.fromEntries(Object.entries(values).filter(([, each]) => each !== null)) : values;
}

const schemas = new WeakMap<z.ZodType, Tool['inputSchema']>();

/** A schema as `tools/list` shows it, made once. */
export function jsonSchema(schema: z.ZodType): Tool['inputSchema'] {
  let json = schemas.get(schema);
  if (json === undefined) {
    const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
    json = { ...rest, type: 'object' } as Tool['inputSchema'];
    schemas.set(schema, json);
  }
  return json;
}

/** The parsed input, or an error result with the reason, and a hint for the field that is wrong. */
export function parseInput<T>(
  schema: z.ZodType<T>,
  input: unknown,
  hint: string | ((field: string) => string),
): { ok: true; value: T } | { ok: false; result: CallToolResult; problem: string; field: string } {
  const hasNulls = isFields(input) && Object.values(input).includes(null);
  const parsed = schema.safeParse(hasNulls ? withoutNulls(input, jsonSchema(schema)) : (input ?? {}));
  if (parsed.success) return { ok: true, value: parsed.data };
  const problems = parsed.error.issues.map((issue) =>
    issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`,
  );
  const problem = `Invalid input: ${echo(problems.join('; '))}.`;
  const field = String(parsed.error.issues[0]?.path[0] ?? '');
  return { ok: false, result: failure(`${problem} ${typeof hint === 'string' ? hint : hint(field)}`), problem, field };
}

export function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** A `FootbridgeError` as a result that a model can act on. */
export function errorResult(error: FootbridgeError): CallToolResult {
  const lines = [
    error.message,
    ...(error.details === undefined ? [] : [error.details]),
    '',
    ...error.suggestedActions.map((action) => `- ${action}`),
  ];
  return failure(lines.join('\n'));
}
