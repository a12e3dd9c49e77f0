/** What hosts ask most, answered apart from the protocol around it: the same over every transport. */
import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
} from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import type { Catalog } from '../catalog/catalog.js';
import { isFields } from '../json.js';
import type { ReadContext } from '../sources/resource.js';
import { readResource } from '../surfaces/resources.js';
import { callTool, listTools, type ToolChoice } from '../surfaces/tools/index.js';
import { VERSION } from '../version.js';

// What we need of each request. Our own schemas, because a breach of one is told as the protocol wants it (-32602).
const CallParams = z.looseObject({ name: z.string(), arguments: z.looseObject({}).optional() });
const ReadParams = z.looseObject({ uri: z.string() });

/** Who we say we are. */
export const SERVER_INFO = { name: 'footbridge', title: 'Footbridge', version: VERSION } as const;

/** Throws an error of the protocol for what is wrong with a request. */
export interface Answers {
  listTools(): ListToolsResult;
  callTool(params: unknown, context: ReadContext): Promise<CallToolResult>;
  readResource(params: unknown, context: ReadContext, modern: boolean): Promise<ReadResourceResult>;
}

export function answersOf(catalog: Catalog, tools: ToolChoice): Answers {
  return {
    listTools: () => ({ tools: listTools(catalog.snapshot, tools) }),
    async callTool(params, context) {
      const call = isCall(params) ? params : parse('tools/call', CallParams, params);
      await catalog.settled();
      return callTool(catalog, call.name, call.arguments, context, tools);
    },
    async readResource(params, context, modern) {
      const { uri } = isRead(params) ? params : parse('resources/read', ReadParams, params);
      await catalog.settled();
      return readResource(catalog, uri, context, modern);
    },
  };
}

// What nearly all requests are needs no schema to be told; the schemas say what is wrong with the others.
function isCall(params: unknown): params is { name: string; arguments?: Record<string, unknown> } {
  return isFields(params) && typeof params['name'] === 'string' && (params['arguments'] === undefined || isFields(params['arguments']));
}

function isRead(params: unknown): params is { uri: string } {
  return isFields(params) && typeof params['uri'] === 'string';
}

function parse<T>(method: string, schema: z.ZodType<T>, params: unknown): T {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params for ${method}: ${z.prettifyError(parsed.error)}`);
}
