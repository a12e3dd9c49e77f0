/**
 * Calls that are answered without building a server for each: the well-formed ones of the methods that hosts call most.
 * Whatever is not exactly that goes to the SDK, so this decides nothing but speed; a test holds both ways against each other.
 */
import type { IncomingHttpHeaders } from 'node:http';
import {
  BAGGAGE_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  SERVER_INFO_META_KEY,
  TRACEPARENT_META_KEY,
  TRACESTATE_META_KEY,
} from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';
import { writeJson } from '../../json-text.js';
import type { Context } from '../../sources/context.js';
import { type Answers, SERVER_INFO } from '../answers.js';
import { toldOf } from '../messages.js';
import { isModern } from './classify.js';

const MODERN = '2026-07-28';
const KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);

/** A call as it came, with what is needed to answer it. */
export interface DirectCall {
  readonly id: string | number;
  readonly method: DirectMethod;
  readonly params: Fields;
  readonly modern: boolean;
}

export type DirectMethod = keyof typeof NAMED_BY;

/** The methods, and which parameter the header `Mcp-Name` repeats. */
const NAMED_BY = { 'tools/call': 'name', 'tools/list': undefined, 'resources/read': 'uri' } as const;

/** A call of 2026-07-28, if this is one without anything unusual about it. */
export function modernCall(headers: IncomingHttpHeaders, body: unknown): DirectCall | undefined {
  if (headers['mcp-protocol-version'] !== MODERN) return undefined;
  const call = callOf(body, true);
  if (call === undefined || headers['mcp-method'] !== call.method) return undefined;
  const named = NAMED_BY[call.method];
  if (headers['mcp-name'] !== (named === undefined ? undefined : call.params[named])) return undefined;
  return isKnownEnvelope(headers, body, call.params['_meta']) ? call : undefined;
}

/** A call of an older revision, if this is one without anything unusual about it. */
export function legacyCall(headers: IncomingHttpHeaders, body: unknown, versions: ReadonlySet<string>): DirectCall | undefined {
  const version = headers['mcp-protocol-version'];
  if (version !== undefined && (typeof version !== 'string' || !versions.has(version))) return undefined;
  const { accept } = headers;
  if (accept === undefined || !accept.includes('application/json') || !accept.includes('text/event-stream')) return undefined;
  const call = callOf(body, false);
  if (call === undefined) return undefined;
  const { _meta: meta } = call.params;
  return meta === undefined || (isFields(meta) && !(PROTOCOL_VERSION_META_KEY in meta)) ? call : undefined;
}

function callOf(body: unknown, modern: boolean): DirectCall | undefined {
  if (!isFields(body) || body['jsonrpc'] !== '2.0') return undefined;
  const { id, method, params = {} } = body;
  if (!isMethod(method) || !isFields(params) || !isId(id)) return undefined;
  for (const key in body) if (!KEYS.has(key)) return undefined;
  return { id, method, params, modern };
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

function isMethod(method: unknown): method is DirectMethod {
  return typeof method === 'string' && Object.hasOwn(NAMED_BY, method);
}

/** What clients say of themselves, which is the same each time, as far as the SDK has checked it. */
const envelopes = new Set<string>();
const MOST_ENVELOPES = 1000;
/** What is longer is not remembered: it takes the longer way each time. */
const LONGEST_ENVELOPE = 2048;

const SAID_OF_THEMSELVES: ReadonlySet<string> = new Set([PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY]);
const TRACES: ReadonlySet<string> = new Set([TRACEPARENT_META_KEY, TRACESTATE_META_KEY, BAGGAGE_META_KEY]);

function isUsual([key, value]: [string, unknown]): boolean {
  if (key === 'progressToken') return typeof value === 'string' || Number.isSafeInteger(value);
  return SAID_OF_THEMSELVES.has(key) || (TRACES.has(key) && typeof value === 'string');
}

function isKnownEnvelope(headers: IncomingHttpHeaders, body: unknown, meta: unknown): boolean {
  if (!isFields(meta) || !Object.entries(meta).every(isUsual)) return false;
  const key = JSON.stringify([meta[PROTOCOL_VERSION_META_KEY], meta[CLIENT_INFO_META_KEY], meta[CLIENT_CAPABILITIES_META_KEY]]);
  if (envelopes.has(key)) return true;
  if (key.length > LONGEST_ENVELOPE) return false;
  if (!isModern('POST', headers, body)) return false;
  if (envelopes.size >= MOST_ENVELOPES) envelopes.clear();
  envelopes.add(key);
  return true;
}

/** The answer as it goes over the wire, and the code of the error where it is one. */
export interface DirectAnswer {
  readonly body: string;
  readonly errorType: string | undefined;
  readonly status: number;
}

/** `unexpected` is told of what is nobody's mistake but ours. */
export async function answerDirectly(
  { id, method, params, modern }: DirectCall,
  answers: Answers,
  context: Context,
  unexpected: (cause: unknown) => void,
): Promise<DirectAnswer> {
  try {
    if (method === 'tools/call') {
      const result = await answers.callTool(params, context);
      const errorType = result['isError'] === true ? 'tool_error' : undefined;
      return { body: resultOf(id, result, modern ? COMPLETE : undefined), errorType, status: 200 };
    }
    const result = await (method === 'tools/list' ? answers.list(method, params, context) : answers.readResource(params, context, modern));
    return { body: resultOf(id, result, modern ? UNCACHED : undefined), errorType: undefined, status: 200 };
  } catch (error) {
    if (!(error instanceof ProtocolError)) unexpected(error);
    const told = toldOf(error);
    // The one error of a server's that the newer era has a status for.
    const status = modern && told.code === ProtocolErrorCode.MissingRequiredClientCapability ? 400 : 200;
    return { body: JSON.stringify({ jsonrpc: '2.0', id, error: told }), errorType: String(told.code), status };
  }
}

/** What 2026-07-28 adds to every result, and to those that a host may keep. */
const COMPLETE = { resultType: 'complete' };
const UNCACHED = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };

function resultOf(id: string | number, result: Fields, added: Fields | undefined): string {
  return writeJson({ result: added === undefined ? result : completed(result, added), jsonrpc: '2.0', id });
}

/** What a server behind us answered in the newer era is complete as it is. */
function completed(result: Fields, added: Fields): Fields {
  if (result['resultType'] !== undefined) return result;
  return { ...added, ...result, _meta: { [SERVER_INFO_META_KEY]: SERVER_INFO, ...asFields(result['_meta']) } };
}

function asFields(value: unknown): Fields {
  return isFields(value) ? value : {};
}
