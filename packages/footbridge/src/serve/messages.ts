/** Recognizes JSON-RPC messages by their form; forwarded content is not validated. */
import type {
  JSONRPCErrorResponse,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResultResponse,
  RequestId,
} from '@modelcontextprotocol/server';
import { RELATED_TASK_META_KEY } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../json.js';
import { isCallingTool } from '../tool-names.js';

/** A response to a request whose id is known. */
export type Answer = (JSONRPCResultResponse | JSONRPCErrorResponse) & { readonly id: RequestId };

export function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message;
}

export function isNotification(message: JSONRPCMessage): message is JSONRPCNotification {
  return 'method' in message && !('id' in message);
}

export function isAnswer(message: JSONRPCMessage): message is Answer {
  return !('method' in message) && message.id !== undefined && message.id !== null;
}

export function requestMeta({ params }: { readonly params?: Fields | undefined }): Fields | undefined {
  const meta = params?.['_meta'];
  return isFields(meta) ? meta : undefined;
}

export function errorResponse(
  id: RequestId,
  { code, message, data }: { readonly code: number; readonly message: string; readonly data?: unknown },
): Answer {
  return { jsonrpc: '2.0', id, error: { code, message, data } };
}

export function notificationOf(method: string, params: Fields | undefined): JSONRPCNotification {
  return { jsonrpc: '2.0', method, params };
}

/** The id in the parameters of `notifications/cancelled`; undefined if missing. */
export function cancelledId(params: Fields | undefined): RequestId | undefined {
  const id = params?.['requestId'];
  return isId(id) ? id : undefined;
}

const KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);

/** Whether a value is a message as the SDK's schemas define it. */
export function isMessage(value: unknown): value is JSONRPCMessage {
  if (!isFields(value) || value['jsonrpc'] !== '2.0') return false;
  for (const key in value) if (!KEYS.has(key)) return false;
  const { id, method, params, result, error } = value;
  if (typeof method !== 'string') return isId(id) && (isFields(result) || isFields(error));
  const answered = result !== undefined || error !== undefined;
  return !answered && (id === undefined || isId(id)) && (params === undefined || isParams(params));
}

/** The id for the error response to an invalid message; null if missing. */
export function messageId(value: unknown): RequestId | null {
  const id = isFields(value) ? value['id'] : undefined;
  return isId(id) ? id : null;
}

function isParams(value: unknown): boolean {
  if (!isFields(value)) return false;
  const meta = value['_meta'];
  if (meta === undefined) return true;
  if (!isFields(meta)) return false;
  const { progressToken, [RELATED_TASK_META_KEY]: task } = meta;
  return (progressToken === undefined || isId(progressToken)) && (task === undefined || isFields(task));
}

function isId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/** Our tools that read, and the argument that names the target. */
const READING: ReadonlyMap<string, string> = new Map([
  ['skill', 'name'],
  ['get_skill', 'uri'],
  ['get_resource', 'uri'],
  ['get_resources', 'uris'],
]);

/** The skills and resources that a message reads; undefined for none, and for a later part of a text. */
export function requestSubjects(message: unknown): readonly string[] | undefined {
  if (!isFields(message) || !isFields(message['params'])) return undefined;
  const { method, params } = message;
  const { arguments: given, name, uri } = params;
  if ((method === 'resources/read' || method === 'skills/get') && typeof uri === 'string') return [uri];
  const argument = method === 'tools/call' && typeof name === 'string' ? READING.get(name) : undefined;
  if (argument === undefined || !isFields(given) || (typeof given['offset'] === 'number' && given['offset'] > 0)) return undefined;
  const value = given[argument];
  const subjects = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string');
  return subjects.length === 0 ? undefined : subjects;
}

/** The tool that a message calls with `call_tool` or `call_destructive_tool`. */
export function calledTool(message: unknown): string | undefined {
  if (!isFields(message) || message['method'] !== 'tools/call' || !isFields(message['params'])) return undefined;
  const { arguments: given, name } = message['params'];
  const called = typeof name === 'string' && isCallingTool(name) && isFields(given) ? given['name'] : undefined;
  return typeof called === 'string' ? called : undefined;
}

/** What a tool call reads or calls, in a few words. */
export function requestSubject(message: unknown): string | undefined {
  const called = calledTool(message);
  if (called !== undefined) return called;
  const [first, ...others] = requestSubjects(message) ?? [];
  // For other requests it is the target.
  if (first === undefined || first === requestTarget(message)) return undefined;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

/** The tool, prompt or URI that a message is about. */
export function requestTarget(message: unknown): string | undefined {
  const params = isFields(message) ? message['params'] : undefined;
  if (!isFields(params)) return undefined;
  const { name, uri } = params;
  if (typeof name === 'string') return name;
  return typeof uri === 'string' ? uri : undefined;
}
