/** What all tools of the workflow share. */
import { defineTool, type ToolContext, type ToolDefinition } from 'footbridge/pack';
import { ownerOf } from 'footbridge/state';
import * as z from 'zod/v4';
import { Failure, toFailure } from '../failure.js';
import { TOOL_META } from '../surface.js';

type AnyTool = ReturnType<typeof defineTool>;

/** Text and structure, each complete by itself. */
export interface ToolOutcome {
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
  /** Throws a `Failure`. */
  run(input: Parameters<ToolDefinition<Schema>['call']>[0], owner: string, context: ToolContext): Promise<ToolOutcome>;
  /** A better failure for input that the schema refuses; undefined for the usual one. */
  refusal?(given: unknown, owner: string): Promise<Failure | undefined>;
}

/** Unknown keys are not repeated in errors, since they may contain a secret. */
export function inputSchema<Shape extends z.ZodRawShape>(shape: Shape) {
  const fields = Object.keys(shape).join(', ');
  const expected = fields === '' ? 'no parameters are accepted' : `unknown parameter; accepted: ${fields}`;
  return z.strictObject(shape, { error: ({ code }) => (code === 'unrecognized_keys' ? expected : undefined) });
}

/** Unexpected errors go to `onUnexpected`; the caller gets a generic failure. */
export function engageTool<Schema extends z.ZodType>(tool: EngageTool<Schema>, onUnexpected: (cause: unknown) => void): AnyTool {
  const { description, destructive = false, input, name, readOnly, refusal, run, title } = tool;
  const failed = (cause: unknown) => {
    const failure = toFailure(cause);
    if (failure.code === 'unexpected_error') onUnexpected(failure.cause ?? failure);
    return failureResult(failure);
  };
  return defineTool({
    name,
    title,
    description,
    input,
    annotations: { title, readOnlyHint: readOnly, destructiveHint: destructive, openWorldHint: false },
    _meta: TOOL_META,
    async refuse(problem, given, { caller }) {
      try {
        const usual = new Failure('validation_error', `Invalid input: ${problem}.`, `Correct it and call ${name} again.`);
        return failureResult((await refusal?.(given, ownerOf(caller))) ?? usual);
      } catch (cause) {
        return failed(cause);
      }
    },
    async call(given, context) {
      try {
        const { structured, text } = await run(given, ownerOf(context.caller), context);
        return { content: [{ type: 'text', text }], structuredContent: { ...structured } };
      } catch (cause) {
        // Not an error: the host calls again with the person's answer. Checked by name, since a pack may load its own copy of the class.
        if (cause instanceof Error && cause.name === 'InputRequired') throw cause;
        return failed(cause);
      }
    },
  });
}

function failureResult({ code, details, message, text }: Failure) {
  return {
    content: [{ type: 'text' as const, text }],
    structuredContent: { code, message, text, ...details },
    isError: true,
  };
}
