/** Tool arguments that are repeated in HTTP headers, as `x-mcp-header` in the schema requires. */
import type { Tool } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';
import { encodeHeaderValue } from './transports/http-headers.js';

interface HeaderParameter {
  readonly path: readonly string[];
  readonly header: string;
}

const KEY = 'x-mcp-header';
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const NONE: readonly HeaderParameter[] = [];

const known = new WeakMap<object, readonly HeaderParameter[]>();

/** Cached by input schema. */
export function headerParameters(schema: object): readonly HeaderParameter[] {
  let parameters = known.get(schema);
  if (parameters === undefined) {
    parameters = isFields(schema) ? find(schema, []) : NONE;
    known.set(schema, parameters);
  }
  return parameters;
}

function find({ properties }: Fields, path: readonly string[]): readonly HeaderParameter[] {
  if (!isFields(properties)) return NONE;
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isFields(property)) return NONE;
    const own = [...path, name];
    const header = property[KEY];
    const isOne = typeof header === 'string' && TOKEN.test(header);
    return [...(isOne ? [{ path: own, header }] : NONE), ...find(property, own)];
  });
}

/** The headers that a message to a server with these tools needs besides the usual ones. */
export function headersOfCall(tools: readonly Tool[] | undefined, { method, params }: Fields): Readonly<Record<string, string>> {
  if (method !== 'tools/call' || !isFields(params)) return {};
  const tool = tools?.find(({ name }) => name === params['name']);
  return tool?.inputSchema === undefined ? {} : parameterHeaders(tool.inputSchema, params['arguments']);
}

function parameterHeaders(schema: object, given: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    headerParameters(schema).flatMap(({ path, header }) => {
      const value = path.reduce<unknown>((inner, name) => (isFields(inner) ? inner[name] : undefined), given);
      const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
      return isPlain ? [[`Mcp-Param-${header}`, encodeHeaderValue(String(value))]] : [];
    }),
  );
}
