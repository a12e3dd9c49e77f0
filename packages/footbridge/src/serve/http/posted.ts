/** The messages in a legacy POST to `/mcp`, and the revision that its client names. */
import type { IncomingHttpHeaders } from 'node:http';
import { type JSONRPCMessage, type JSONRPCRequest, ProtocolErrorCode, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { echo } from '../../errors.js';
import { LEGACY_VERSIONS } from '../eras.js';
import { isMessage, isRequest } from '../messages.js';
import { HttpRefusal } from './reply.js';

const MAX_BATCH = 100;

/** The revision that a legacy client names. Throws a refusal for one that is not supported. */
export function versionIn(headers: IncomingHttpHeaders): string | undefined {
  const version = headers['mcp-protocol-version'];
  if (version === undefined || LEGACY_VERSIONS.has(String(version))) return version?.toString();
  throw new HttpRefusal(
    400,
    `Unsupported protocol version: ${echo(String(version))} (supported versions: ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')})`,
  );
}

interface PostedMessages {
  readonly requests: readonly JSONRPCRequest[];
  /** Notifications, and answers to requests of the server. */
  readonly others: readonly JSONRPCMessage[];
}

/** Throws a refusal for what is not a message, or a batch that is empty or too long. */
export function messagesIn(body: unknown): PostedMessages {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  if (messages.length > MAX_BATCH)
    throw new HttpRefusal(400, `Invalid Request: a batch has at most ${MAX_BATCH} messages.`, { code: ProtocolErrorCode.InvalidRequest });
  if (messages.length === 0) throw invalidMessage();
  const requests: JSONRPCRequest[] = [];
  const others: JSONRPCMessage[] = [];
  for (const message of messages) {
    if (!isMessage(message)) throw invalidMessage();
    if (isRequest(message)) requests.push(message);
    else others.push(message);
  }
  return { requests, others };
}

export function invalidMessage(): HttpRefusal {
  return new HttpRefusal(400, 'Invalid Request: the body is not a valid JSON-RPC message.', { code: ProtocolErrorCode.InvalidRequest });
}
