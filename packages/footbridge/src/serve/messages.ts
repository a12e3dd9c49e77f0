/** Messages of JSON-RPC told apart by their form alone: what passes through is not ours to check. */
import type {
  JSONRPCErrorResponse,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResultResponse,
  RequestId,
} from '@modelcontextprotocol/server';
import { PROTOCOL_VERSION_META_KEY, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../json.js';

export type Answer = JSONRPCResultResponse | JSONRPCErrorResponse;

export function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message;
}

export function isNotification(message: JSONRPCMessage): message is JSONRPCNotification {
  return 'method' in message && !('id' in message);
}

export function isAnswer(message: JSONRPCMessage): message is Answer & { id: RequestId } {
  return !('method' in message) && message.id !== undefined && message.id !== null;
}

/** Whether a request speaks the revision that has no `initialize`. */
export function isModern(request: JSONRPCRequest): boolean {
  return metaOf(request)?.[PROTOCOL_VERSION_META_KEY] !== undefined;
}

export function metaOf({ params }: JSONRPCRequest): Fields | undefined {
  const meta = params?._meta;
  return isFields(meta) ? meta : undefined;
}

const INTERNAL = { code: ProtocolErrorCode.InternalError, message: 'Internal error', data: undefined };

/** What a host is told of a request that failed; of what is nobody's mistake but ours, nothing. */
export function toldOf(error: unknown): { readonly code: number; readonly message: string; readonly data?: unknown } {
  const { code, data, message } = error instanceof ProtocolError ? error : INTERNAL;
  return { code, message, data };
}
