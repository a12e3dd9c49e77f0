/** The protocol era of a request. The rules are the SDK's; what it has accepted once is not checked again. */
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
  TRACEPARENT_META_KEY,
  TRACESTATE_META_KEY,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import { type Fields, weightOf } from '../json.js';
import { MODERN } from '../sources/upstream/eras.js';
import { hasEnvelope, requestMeta } from './messages.js';

/** Bytes of `_meta`, as `weightOf` counts them. */
const MAX_META = 64 * 1024;

/** The era of a request, or the error to answer it with: for a malformed envelope, or a revision that is not supported. */
export function eraOf(request: JSONRPCRequest): ProtocolEra | ProtocolError {
  if (!hasEnvelope(request)) return 'legacy';
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
