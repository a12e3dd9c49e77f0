/** Why an upstream cannot be used: a kind for programs, and a message for people. */
import { reasonOf } from '../../errors.js';
import { isFields, parseJson } from '../../json.js';
import { ServerError } from '../server/channel.js';

export const FAILURE_KINDS = [
  /** Its configuration is not trusted yet, so it was not started. */
  'untrusted',
  /** The settings cannot be used: a malformed URL or header. */
  'invalid',
  /** The command, or the path of the URL, does not exist. */
  'not-found',
  /** The command exists and cannot be started. */
  'spawn',
  /** The process ended. */
  'exited',
  /** No answer in time. */
  'timeout',
  /** Nothing listens at the port. */
  'refused',
  /** The host name does not resolve. */
  'dns',
  /** No trusted TLS connection. */
  'tls',
  /** The host cannot be reached over the network. */
  'unreachable',
  /** The connection or its session ended. */
  'disconnected',
  /** HTTP 401 or 403. */
  'auth',
  /** HTTP 429 or 503, or as many servers run as may at the same time. */
  'busy',
  /** Any other HTTP 5xx. */
  'server-error',
  /** The answer violates the protocol, or the server rejected the handshake. */
  'protocol',
] as const;

export type FailureKind = (typeof FAILURE_KINDS)[number];

const LASTING: ReadonlySet<FailureKind> = new Set(['invalid', 'not-found', 'spawn', 'tls', 'auth', 'protocol']);

/** Whether the same call may succeed later without a change of the settings or of the server. */
export function mayPass(kind: FailureKind): boolean {
  return !LASTING.has(kind);
}

export interface UpstreamFailure {
  readonly kind: FailureKind;
  /** One or two sentences without paths and secrets. */
  readonly message: string;
}

/** Thrown when an upstream cannot be started or connected to. */
export class UpstreamError extends Error implements UpstreamFailure {
  constructor(
    readonly kind: FailureKind,
    message: string,
  ) {
    super(message);
    this.name = 'UpstreamError';
  }
}

export function toUpstreamError({ kind, message }: UpstreamFailure): UpstreamError {
  return new UpstreamError(kind, message);
}

export function isFailureKind(value: unknown): value is FailureKind {
  return FAILURE_KINDS.some((kind) => kind === value);
}

/** The failure that an error stands for. Transports put the kind into the data of the errors that they answer with. */
export function failureOf(cause: unknown): UpstreamFailure {
  if (cause instanceof UpstreamError) return { kind: cause.kind, message: cause.message };
  const kind = cause instanceof ServerError && isFields(cause.data) ? cause.data['kind'] : undefined;
  return { kind: isFailureKind(kind) ? kind : 'protocol', message: reasonOf(cause) };
}

export const REPORT_VARIABLE = 'FOOTBRIDGE_REPORT';

export type ReportEvent =
  | { readonly event: 'upstream-failed'; readonly server: string; readonly kind: FailureKind; readonly message: string }
  /** An upstream's tool replaces ours of the same name. */
  | { readonly event: 'tool-name-taken'; readonly name: string }
  /** Written by `bin/footbridge.cjs`. */
  | { readonly event: 'node-too-old'; readonly version: string };

export function reportEvent(event: ReportEvent): void {
  const token = process.env[REPORT_VARIABLE];
  if (token) process.stderr.write(`${JSON.stringify({ footbridge: token, ...event })}\n`);
}

/** The event in a line of stderr; undefined for any other line. */
export function parseEvent(line: string, token: string): ReportEvent | undefined {
  if (!line.startsWith('{"footbridge":')) return undefined;
  const value = parseJson(line);
  return isFields(value) && value['footbridge'] === token ? toEvent(value) : undefined;
}

function toEvent({ event, kind, message, name, server, version }: Readonly<Record<string, unknown>>): ReportEvent | undefined {
  if (event === 'upstream-failed' && typeof server === 'string' && typeof message === 'string')
    // A newer Footbridge may know more kinds.
    return { event, server, kind: isFailureKind(kind) ? kind : 'protocol', message };
  if (event === 'tool-name-taken' && typeof name === 'string') return { event, name };
  return event === 'node-too-old' && typeof version === 'string' ? { event, version } : undefined;
}
