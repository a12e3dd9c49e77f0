/** Determines the protocol era of requests. The rules are the SDK's; an envelope that it has accepted is not checked again. */
import type { IncomingHttpHeaders } from 'node:http';
import {
  BAGGAGE_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  type JSONRPCRequest,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  type ProtocolEra,
  ProtocolError,
  ProtocolErrorCode,
  SUPPORTED_PROTOCOL_VERSIONS,
  TRACEPARENT_META_KEY,
  TRACESTATE_META_KEY,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import { type Fields, isFields, weightOf } from '../json.js';
import { MODERN } from '../sources/upstream/eras.js';
import { requestMeta } from './messages.js';

/** The legacy revisions, any of which may be named in a header. */
export const LEGACY_VERSIONS: ReadonlySet<string> = new Set(SUPPORTED_PROTOCOL_VERSIONS);
/** Bytes of `_meta`, as `weightOf` counts them. */
const MAX_META = 64 * 1024;

const NO_META: Fields = {};

/** Modern for a request with an envelope. Whether the envelope is valid is left to `eraOf`, or to the server that answers the request. */
export function claimedEra(request: { readonly params?: Fields | undefined }): ProtocolEra {
  return PROTOCOL_VERSION_META_KEY in (requestMeta(request) ?? NO_META) ? 'modern' : 'legacy';
}

/** The era of a request, or the error to answer it with: for a malformed envelope, or a revision that is not supported. */
export function eraOf(request: JSONRPCRequest): ProtocolEra | ProtocolError {
  if (claimedEra(request) === 'legacy') return 'legacy';
  if (isKnownEnvelope(request)) return 'modern';
  // A connection keeps it.
  if (weightOf(requestMeta(request), MAX_META) > MAX_META)
    return new ProtocolError(ProtocolErrorCode.InvalidParams, `_meta may take ${MAX_META} bytes. Send less client information.`);
  const verdict = classifyInboundRequest({ httpMethod: 'POST', body: request });
  if (verdict.kind === 'reject') return new ProtocolError(verdict.code, verdict.message, verdict.data);
  if (verdict.kind === 'legacy') return 'legacy';
  const { revision } = verdict.classification;
  if (revision !== MODERN) return new UnsupportedProtocolVersionError({ supported: [MODERN], requested: revision ?? 'unknown' });
  rememberEnvelope(request);
  return 'modern';
}

/** The era of the body of a POST. Uses the SDK's classification only for ambiguous requests; the modern gate rejects invalid ones. */
export function postedEra(headers: IncomingHttpHeaders, body: unknown): ProtocolEra {
  const version = headers['mcp-protocol-version'];
  const claims = Array.isArray(body) ? body.some(claimsModern) : claimsModern(body);
  if (!claims && (version === undefined || LEGACY_VERSIONS.has(String(version)))) return 'legacy';
  if (version === MODERN && claims) return 'modern';
  const verdict = classifyInboundRequest({
    httpMethod: 'POST',
    protocolVersionHeader: single(version),
    mcpMethodHeader: single(headers['mcp-method']),
    mcpNameHeader: single(headers['mcp-name']),
    body,
  });
  return verdict.kind === 'legacy' ? 'legacy' : 'modern';
}

function single(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

function claimsModern(body: unknown): boolean {
  return isFields(body) && isFields(body['params']) && claimedEra({ params: body['params'] }) === 'modern';
}

/** The error for a request without an envelope, from a host that has sent one before. */
export function missingEnvelope(): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Request is missing the _meta envelope that protocol revision ${MODERN} requires (${PROTOCOL_VERSION_META_KEY}, ${CLIENT_CAPABILITIES_META_KEY}).`,
  );
}

/** Envelopes that the SDK has accepted. A client sends the same one with each request. */
const accepted = new Set<string>();
const MAX_ACCEPTED = 1000;
/** A longer envelope is checked each time. */
const MAX_ENVELOPE_LENGTH = 2048;

/** Whether the SDK has accepted the envelope of a request before, and nothing else in `_meta` is left to check. */
export function isKnownEnvelope(request: { readonly params?: Fields | undefined }): boolean {
  const meta = requestMeta(request);
  if (meta === undefined) return false;
  for (const key in meta) if (!isPlain(key, meta[key])) return false;
  return accepted.has(keyOf(meta));
}

/** Remembers an envelope that the SDK has accepted. */
export function rememberEnvelope(request: { readonly params?: Fields | undefined }): void {
  const key = keyOf(requestMeta(request) ?? {});
  if (key.length > MAX_ENVELOPE_LENGTH) return;
  if (accepted.size >= MAX_ACCEPTED) accepted.clear();
  accepted.add(key);
}

function keyOf(meta: Fields): string {
  return JSON.stringify(IN_KEY.map((key) => meta[key]));
}

const IN_KEY: readonly string[] = [PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY, LOG_LEVEL_META_KEY];
const TRACES: ReadonlySet<string> = new Set([TRACEPARENT_META_KEY, TRACESTATE_META_KEY, BAGGAGE_META_KEY]);

function isPlain(key: string, value: unknown): boolean {
  if (key === 'progressToken') return typeof value === 'string' || Number.isSafeInteger(value);
  return IN_KEY.includes(key) || (TRACES.has(key) && typeof value === 'string');
}

/** The client information in a modern request. */
export function envelopeOf(request: JSONRPCRequest): {
  readonly version: string;
  readonly clientInfo: unknown;
  readonly capabilities: unknown;
} {
  const meta = requestMeta(request) ?? {};
  const version = meta[PROTOCOL_VERSION_META_KEY];
  return {
    version: typeof version === 'string' ? version : MODERN,
    clientInfo: meta[CLIENT_INFO_META_KEY],
    capabilities: meta[CLIENT_CAPABILITIES_META_KEY],
  };
}
