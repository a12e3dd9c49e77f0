/** The headers of what is sent over HTTP, as a flat list of names and values. */
import { unescape as decode } from 'node:querystring';
import { type Fields, isFields, ownField } from '../../../json.js';
import { VERSION } from '../../../version.js';
import type { RemoteServer } from '../options.js';

const PROTOCOL_VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** What follows from the message or the connection; nobody else can set it. An encoded answer could not be read. */
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

/** Which parameter of a request is named in a header, so that what lies between can route by it. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** The headers that a person configured, and who we are. */
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

/** Those of other headers that do not contradict ours. */
export function allowed(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (OURS.has(name.toLowerCase()) ? [] : [name, value]));
}

/** The revision that a request of 2026-07-28 or later names itself; undefined for any other message. */
export function claimedVersion(message: Fields): string | undefined {
  const { params } = message;
  const meta = isFields(params) ? params['_meta'] : undefined;
  const version = isFields(meta) ? meta[PROTOCOL_VERSION_KEY] : undefined;
  return typeof version === 'string' && message['id'] !== undefined ? version : undefined;
}

/** What a request of such a revision repeats in headers. */
export function addModernHeaders(headers: string[], { method, params }: Fields): void {
  if (typeof method !== 'string') return;
  headers.push('mcp-method', encodeHeaderValue(method));
  const field = ownField(NAMED_BY, method);
  const name = field !== undefined && isFields(params) ? params[field] : undefined;
  if (typeof name === 'string') headers.push('mcp-name', encodeHeaderValue(name));
}

/** A text as the value of a header: as it is where that is plain, else as Base64 that says so. */
export function encodeHeaderValue(value: string): string {
  const plain = /^[\t\x20-\x7e]+$/.test(value) && value === value.trim() && !(value.startsWith('=?base64?') && value.endsWith('?='));
  return plain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

/** The id of an event as a header's value; undefined for one that no header can carry. */
export function eventIdHeader(id: string): string | undefined {
  const value = Buffer.from(id).toString('latin1');
  return value.length <= 4096 && /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? value : undefined;
}
