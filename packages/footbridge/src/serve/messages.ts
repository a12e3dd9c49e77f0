/** Messages of JSON-RPC told apart by their form alone: what passes through is not ours to check. */
import type {
  JSONRPCErrorResponse,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResultResponse,
  RequestId,
} from '@modelcontextprotocol/server';
import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
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
