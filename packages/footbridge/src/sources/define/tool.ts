/** Definitions of tools: description, input schema, and the code that answers calls. */
import type { CallToolResult, StandardSchemaV1, StandardSchemaWithJSON, Tool, ToolAnnotations } from '@modelcontextprotocol/server';
import { withoutNulls } from '../../absent.js';
import { echo } from '../../errors.js';
import type { DefinedTool } from '../source.js';
import type { ToolContext } from '../tool-context.js';

/** The description of a tool. */
interface ToolDescription {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly annotations?: ToolAnnotations;
  readonly _meta?: Record<string, unknown>;
  /** The result for arguments that the schema refuses, which may be anything. Default: a text that names the problem. */
  refuse?(problem: string, given: unknown, context: ToolContext): CallToolResult | Promise<CallToolResult>;
}

export interface ToolDefinition<Schema extends StandardSchemaWithJSON> extends ToolDescription {
  /** Validates the arguments, and provides their JSON Schema. */
  readonly input: Schema;
  call(input: StandardSchemaWithJSON.InferOutput<Schema>, context: ToolContext): Promise<CallToolResult>;
}

/** A definition with its input's type erased. */
export interface AnyToolDefinition extends ToolDescription {
  readonly input: StandardSchemaWithJSON;
  call(input: unknown, context: ToolContext): Promise<CallToolResult>;
}

/** Defines a tool; the type of its input comes from the schema. */
export function defineTool<Schema extends StandardSchemaWithJSON>(definition: ToolDefinition<Schema>): AnyToolDefinition {
  const { call } = definition;
  // The input was validated by the schema that this type comes from.
  return { ...definition, call: (input, context) => call(input as StandardSchemaWithJSON.InferOutput<Schema>, context) };
}

export function toDefinedTool(definition: AnyToolDefinition): DefinedTool {
  const { input, refuse = refusal } = definition;
  const entry = entryOf(definition);
  return {
    entry,
    async call(given, context) {
      const checked = await input['~standard'].validate(withoutNulls(given ?? {}, entry.inputSchema));
      return checked.issues === undefined ? definition.call(checked.value, context) : refuse(problemOf(checked.issues), given, context);
    },
  };
}

function entryOf({ _meta, annotations, description, input, name, title }: AnyToolDefinition): Tool {
  const { $schema: _, ...schema } = input['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  return {
    name,
    title,
    description,
    inputSchema: { ...schema, type: 'object' },
    annotations,
    _meta,
  };
}

function problemOf(issues: readonly StandardSchemaV1.Issue[]): string {
  return echo(
    issues.map(({ message, path = [] }) => (path.length === 0 ? message : `${path.map(keyOf).join('.')}: ${message}`)).join('; '),
  );
}

function keyOf(part: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof part === 'object' ? part.key : part);
}

function refusal(problem: string): CallToolResult {
  return { content: [{ type: 'text', text: `Invalid input: ${problem}.` }], isError: true };
}
