/** What a POST to `/mcp` contains: its era, its revision, its messages. */
import type { IncomingHttpHeaders } from 'node:http';
import {
  classifyInboundRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  ProtocolErrorCode,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { echo } from '../../errors.js';
import { isFields } from '../../json.js';
import { MODERN } from '../../sources/upstream/eras.js';
import { hasEnvelope, isMessage, isRequest } from '../messages.js';
import { HttpRefusal } from './reply.js';

/** The legacy revisions, any of which may be named in a header. */
const LEGACY_VERSIONS: ReadonlySet<string> = new Set(SUPPORTED_PROTOCOL_VERSIONS);
const MAX_BATCH = 100;

/** The SDK's rules decide; what plainly belongs to one era is not put to them. */
export function isModernPost(headers: IncomingHttpHeaders, body: unknown): boolean {
  const version = headers['mcp-protocol-version'];
  const claims = Array.isArray(body) ? body.some(claimsEnvelope) : claimsEnvelope(body);
  if (!claims && (version === undefined || LEGACY_VERSIONS.has(String(version)))) return false;
  if (version === MODERN && claims) return true;
  const [method, name] = [headers['mcp-method'], headers['mcp-name']];
  const verdict = classifyInboundRequest({
    httpMethod: 'POST',
    ...(typeof version === 'string' ? { protocolVersionHeader: version } : {}),
    ...(typeof method === 'string' ? { mcpMethodHeader: method } : {}),
    ...(typeof name === 'string' ? { mcpNameHeader: name } : {}),
    body,
  });
  return verdict.kind !== 'legacy';
}

function claimsEnvelope(body: unknown): boolean {
  return isFields(body) && isFields(body['params']) && hasEnvelope({ params: body['params'] });
}

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
