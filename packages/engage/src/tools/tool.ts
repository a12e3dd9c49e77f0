/** What the tools of the workflow have in common. */
import { defineTool, type ToolContext, type ToolDefinition } from 'footbridge/pack';
import { ownerOf } from 'footbridge/state';
import * as z from 'zod/v4';
import { Failure, toFailure } from '../failure.js';
import { TOOL_META } from '../surface.js';

type AnyTool = ReturnType<typeof defineTool>;

/** What a call gave: a text that stands alone, and the same for machines. */
export interface Outcome {
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
}

export interface EngageTool<Schema extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Schema;
  readonly readOnly: boolean;
  readonly destructive?: boolean;
  /** Throws a failure for what goes wrong. */
  run(input: Parameters<ToolDefinition<Schema>['call']>[0], owner: string, context: ToolContext): Promise<Outcome>;
}

/** What a tool takes. The name of anything else is not repeated: a secret may stand anywhere. */
export function inputOf<Shape extends z.ZodRawShape>(shape: Shape) {
  const fields = Object.keys(shape).join(', ');
  const others = fields === '' ? 'nothing is taken' : `nothing but ${fields} is taken`;
  return z.strictObject(shape, { error: ({ code }) => (code === 'unrecognized_keys' ? others : undefined) });
}

/** `unforeseen` is told of what nobody thought of: the caller is not. */
export function engageTool<Schema extends z.ZodType>(tool: EngageTool<Schema>, unforeseen: (cause: unknown) => void): AnyTool {
  const { description, destructive = false, input, name, readOnly, run, title } = tool;
  return defineTool({
    name,
    title,
    description,
    input,
    annotations: { title, readOnlyHint: readOnly, destructiveHint: destructive, openWorldHint: false },
    _meta: TOOL_META,
    refuse: (problem) => failed(new Failure('validation_error', `Invalid input: ${problem}.`, `Correct it and call ${name} again.`)),
    async call(given, context) {
      try {
        const { structured, text } = await run(given, ownerOf(context.caller), context);
        return { content: [{ type: 'text', text }], structuredContent: { ...structured } };
      } catch (cause) {
        if (isInterruption(cause)) throw cause;
        const failure = toFailure(cause);
        if (failure.code === 'unexpected_error') unforeseen(failure.cause ?? failure);
        return failed(failure);
      }
    },
  });
}

/** The host is to call again with what a person answered. */
function isInterruption(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'Interruption';
}

function failed({ code, details, message, text }: Failure) {
  return {
    content: [{ type: 'text' as const, text }],
    structuredContent: { code, message, text, ...details },
    isError: true,
  };
}
