/** HTTP headers, as a flat list of names and values. */
import type { IncomingMessage } from 'node:http';
import { unescape as decode } from 'node:querystring';
import { type Fields, isFields, ownField } from '../../../json.js';
import { VERSION } from '../../../version.js';
import type { RemoteServer } from '../options.js';

const PROTOCOL_VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** Headers that cannot be configured. Encoded answers are not supported. */
const OURS = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'keep-alive',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The parameter that `Mcp-Name` repeats. */
export const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** An error response of a server. */
export interface HttpChallenge {
  readonly status: number;
  /** The header WWW-Authenticate. */
  readonly header: string | undefined;
  /** The address that responded. */
  readonly address: string | undefined;
}

/** Undefined unless a login, or one with more scopes, may help. */
export function challengeOf({ headers, socket, statusCode: status = 0 }: IncomingMessage): HttpChallenge | undefined {
  const header = headers['www-authenticate'];
  if (status !== 401 && !(status === 403 && header?.includes('insufficient_scope') === true)) return undefined;
  return { status, header, address: socket.remoteAddress };
}

/** The header Authorization of a server that a user signs in to. */
export interface LoginHeader {
  readonly header: string | undefined;
  /** Whether to `prepare` it before the next request. */
  readonly isReady: boolean;
  prepare(): Promise<void>;
  renew(): Promise<void>;
  /** After HTTP 401, and 403 for a missing scope. Resolves to true if the request should be sent again. */
  challenged(challenge: HttpChallenge, sent: string | undefined): Promise<boolean>;
  /** Whether the token of a header was issued to this process, so that another one would not help. */
  isOwn(header: string | undefined): boolean;
  /** Why the scope of the last HTTP 403 is not requested. */
  readonly scopeProblem: string | undefined;
  /** After HTTP 401 again, with such a header. */
  refused(challenge: HttpChallenge): void;
}

/** The configured headers, and our own. */
export function standingHeaders({ headers = {} }: RemoteServer, url: URL): string[] {
  const standing = allowed(headers);
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  if (!names.has('host')) standing.push('host', url.host);
  if (!names.has('user-agent')) standing.push('user-agent', `footbridge/${VERSION}`);
  if (!names.has('authorization') && (url.username !== '' || url.password !== '')) {
    const credentials = `${decode(url.username)}:${decode(url.password)}`;
    standing.push('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  }
  return standing;
}

/** Headers without those that are ours. */
export function allowed(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (OURS.has(name.toLowerCase()) ? [] : [name, value]));
}

/** The protocol version in a modern request; undefined for other messages. */
export function claimedVersion(message: Fields): string | undefined {
  const { params } = message;
  const meta = isFields(params) ? params['_meta'] : undefined;
  const version = isFields(meta) ? meta[PROTOCOL_VERSION_KEY] : undefined;
  return typeof version === 'string' && message['id'] !== undefined ? version : undefined;
}

/** The headers that a modern request requires. */
export function addModernHeaders(headers: string[], { method, params }: Fields): void {
  if (typeof method !== 'string') return;
  headers.push('mcp-method', encodeHeaderValue(method));
  const field = ownField(NAMED_BY, method);
  const name = field !== undefined && isFields(params) ? params[field] : undefined;
  if (typeof name === 'string') headers.push('mcp-name', encodeHeaderValue(name));
}

/** Encodes a header value with the protocol's Base64 form where it is not plain ASCII. */
export function encodeHeaderValue(value: string): string {
  const plain = /^[\t\x20-\x7e]+$/.test(value) && value === value.trim() && !(value.startsWith('=?base64?') && value.endsWith('?='));
  return plain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

/** An event id as a header value; undefined where that is not possible. */
export function eventIdHeader(id: string): string | undefined {
  const value = Buffer.from(id).toString('latin1');
  return value.length <= 4096 && /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? value : undefined;
}
