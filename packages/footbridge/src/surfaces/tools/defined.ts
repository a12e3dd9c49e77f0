/** Calls of tools that are code in this process. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { echo, FootbridgeError } from '../../errors.js';
import { type Fields, isFields } from '../../json.js';
import { InputRequired, type ReadContext } from '../../sources/resource.js';
import type { DefinedTool } from '../../sources/source.js';
import { toolContext } from '../../sources/tool-context.js';
import { errorResult, failure } from './tool.js';

/** `params` of the call as they came. What its author did not foresee is told without its own words; `unforeseen` is. */
export async function callDefined(
  tool: DefinedTool,
  params: Fields,
  context: ReadContext,
  unforeseen: (cause: unknown) => void,
): Promise<CallToolResult> {
  try {
    const result: unknown = await tool.call(params['arguments'], toolContext(context, params));
    if (isResult(result)) return result;
    throw new TypeError('what it returned is no result, which has a list content');
  } catch (error) {
    if (error instanceof InputRequired) throw error;
    if (error instanceof FootbridgeError) return errorResult(error);
    if (!context.signal.aborted) unforeseen(error);
    return failure(`The tool '${echo(tool.entry.name)}' failed. Try once more; if it happens again, tell whoever runs this server.`);
  }
}

/** What is written without types may return anything. */
function isResult(value: unknown): value is CallToolResult {
  return isFields(value) && Array.isArray(value['content']);
}
