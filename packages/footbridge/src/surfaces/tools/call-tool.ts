/** The tools `call_tool` and `call_destructive_tool`: call a tool that `find_tools` found. */
import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import type { Snapshot } from '../../catalog/snapshot.js';
import { echo } from '../../errors.js';
import { DEEPEST, type Fields, isFields, MAX_VALUES } from '../../json.js';
import { MAX_KEYS, parseText } from '../../json-turns.js';
import type { CallingToolName, ToolName } from '../../tool-names.js';
import { problemsIn } from '../tool-search/arguments.js';
import { isDestructive } from '../tool-search/listing.js';
import { nearToolNames } from './find-tools.js';
import { type DescribedTool, failure, jsonSchema, WHOLE_RESULTS } from './tool.js';

const Input = z.strictObject({
  name: z.string().describe('The name of the tool, as find_tools returns it'),
  arguments: z.record(z.string(), z.unknown()).optional().describe("The tool's arguments, as its inputSchema describes them"),
});

/** A call that is forwarded, or the answer to one that is not. */
export type ResolvedCall = { readonly name: string; readonly arguments: Fields } | { readonly result: CallToolResult };

export const callToolTool: DescribedTool = callingTool(
  'call_tool',
  'Call Tool',
  'Call a tool that find_tools returned with "call_with": "call_tool": one that only reads, or that destroys nothing.',
  { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
);

export const callDestructiveToolTool: DescribedTool = callingTool(
  'call_destructive_tool',
  'Call Destructive Tool',
  'Call a tool that find_tools returned with "call_with": "call_destructive_tool": one that may overwrite or delete something.',
  { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
);

/** A result is as long as that of the tool that is called. */
const META = { ...WHOLE_RESULTS, 'anthropic/alwaysLoad': true };

function callingTool(name: ToolName, title: string, description: string, annotations: ToolAnnotations): DescribedTool {
  return {
    name,
    describe: () => ({ name, title, description, inputSchema: jsonSchema(Input), annotations, _meta: META }),
  };
}

/**
 * The call that is meant. The answer where the tool is unknown, has to be called otherwise, or is given the wrong arguments.
 * `listed` gives the names of our tools that the host lists.
 */
export async function resolveCall(
  by: CallingToolName,
  input: Fields,
  snapshot: Snapshot,
  listed: () => readonly string[],
): Promise<ResolvedCall> {
  const { name, arguments: given, ...others } = input;
  const usage = `Call ${by} with { "name": "…", "arguments": { … } }.`;
  if (typeof name !== 'string') return refusal(`Invalid input: name must be a string. ${usage}`);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    return refusal(`Invalid input: unknown field '${echo(unknown)}'. Fields of the tool belong in "arguments". ${usage}`);
  const values = await argumentsOf(given);
  if (typeof values === 'string') return refusal(`Invalid input: arguments ${values}. ${usage}`);
  const tool = snapshot.findTool(name);
  if (tool === undefined) return refusal(listed().includes(name) ? `'${name}' is listed. Call it directly.` : unknownTool(snapshot, name));
  if (by === 'call_tool' && isDestructive(tool.entry)) return refusal(`'${echo(name)}' may be destructive. ${otherwise(listed())}`);
  const problems = problemsIn(tool.entry.inputSchema, values);
  if (problems.length === 0) return { name, arguments: values };
  return refusal(
    [
      `Invalid arguments for '${echo(name)}'. It was not called.`,
      ...problems.map((problem) => `- ${problem}`),
      `find_tools({ "query": ${JSON.stringify(echo(name))} }) returns its definition.`,
    ].join('\n'),
  );
}

/** Some models send an object as JSON text, or null for nothing. Otherwise what is wrong with it. */
async function argumentsOf(given: unknown): Promise<Fields | string> {
  const parsed = typeof given === 'string' ? await parseText(given) : { value: given ?? {} };
  if ('problem' in parsed) return PROBLEMS[parsed.problem];
  return isFields(parsed.value) ? parsed.value : PROBLEMS.invalid;
}

const PROBLEMS = {
  invalid: 'must be an object',
  deep: `must not be nested more than ${DEEPEST} levels deep`,
  values: `must not have more than ${MAX_VALUES} values, or an object with more than ${MAX_KEYS} keys`,
} as const;

/** How to call a destructive tool. It is listed where we have no tool that calls it. */
function otherwise(listed: readonly string[]): string {
  return listed.includes('call_destructive_tool')
    ? 'Call it with call_destructive_tool, with the same name and arguments.'
    : 'Call it directly, with the same arguments.';
}

function unknownTool(snapshot: Snapshot, name: string): string {
  const near = nearToolNames(snapshot, name);
  const hint = near.length === 0 ? '' : ` Did you mean ${near.map((each) => `'${echo(each)}'`).join(', ')}?`;
  return `Unknown tool '${echo(name)}'.${hint} Search for it with find_tools.`;
}

function refusal(text: string): ResolvedCall {
  return { result: failure(text) };
}
