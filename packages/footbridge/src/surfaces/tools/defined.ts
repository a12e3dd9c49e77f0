/** Calls of tools that are defined in this process. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { echo, FootbridgeError } from '../../errors.js';
import { type Fields, isFields } from '../../json.js';
import { InputRequired, type ReadContext } from '../../sources/resource.js';
import type { DefinedTool } from '../../sources/source.js';
import { toolContext } from '../../sources/tool-context.js';
import { errorResult, failure } from './tool.js';

/** Calls a tool. An unexpected error is reported without its message, and passed to `unexpected`. */
export async function callDefined(
  tool: DefinedTool,
  params: Fields,
  context: ReadContext,
  unexpected: (cause: unknown) => void,
): Promise<CallToolResult> {
  try {
    const result: unknown = await tool.call(params['arguments'], toolContext(context, params));
    if (isResult(result)) return result;
    throw new TypeError('The tool returned something that is not a result: content is missing.');
  } catch (error) {
    if (error instanceof InputRequired) throw error;
    if (error instanceof FootbridgeError) return errorResult(error);
    if (!context.signal.aborted) unexpected(error);
    return failure(`The tool '${echo(tool.entry.name)}' failed. Try once more; if it fails again, report it to the server's operator.`);
  }
}

/** Untyped code may return anything. */
function isResult(value: unknown): value is CallToolResult {
  return isFields(value) && Array.isArray(value['content']);
}
