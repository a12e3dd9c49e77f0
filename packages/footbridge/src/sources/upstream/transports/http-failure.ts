/** Failures of HTTP requests. The messages contain no header, path or query. */
import type { IncomingMessage } from 'node:http';
import { echo, systemCode } from '../../../errors.js';
import { NetworkSettingsError } from '../../../outgoing/agent.js';
import { ProxyError } from '../../../outgoing/proxy-error.js';
import type { FailureKind, UpstreamFailure } from '../failure.js';

export interface HttpFailure extends UpstreamFailure {
  /** Whether the server cannot be reached at all. */
  readonly unreachable: boolean;
  readonly status?: number;
}

/** The error code of a request that timed out. */
export const SILENT = 'SILENT';

const UNREACHABLE: Readonly<Record<string, readonly [FailureKind, string]>> = {
  ECONNREFUSED: ['refused', 'refused the connection. Check that it is running and that the port is right.'],
  ENOTFOUND: ['dns', 'has a host name that cannot be resolved. Check its URL.'],
  EAI_AGAIN: ['dns', 'has a host name that cannot be resolved at the moment.'],
  EHOSTUNREACH: ['unreachable', 'cannot be reached from this network.'],
  ENETUNREACH: ['unreachable', 'cannot be reached from this network.'],
  ETIMEDOUT: ['unreachable', 'did not accept the connection in time.'],
};

/** For a request without an answer. */
export function networkFailure(host: string, error: unknown): HttpFailure {
  if (error instanceof ProxyError) return { kind: 'unreachable', message: error.message, unreachable: true };
  if (error instanceof NetworkSettingsError) return { kind: 'invalid', message: error.message, unreachable: true };
  const code = systemCode(error) ?? '';
  const [kind, words] = (Object.hasOwn(UNREACHABLE, code) ? UNREACHABLE[code] : undefined) ?? [];
  if (kind !== undefined) return { kind, message: `The server at ${host} ${words}`, unreachable: true };
  if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/.test(code))
    return { kind: 'tls', message: `A TLS connection to the server at ${host} could not be established (${code}).`, unreachable: true };
  if (code === 'HPE_HEADER_OVERFLOW')
    return {
      kind: 'protocol',
      message: `The server at ${host} sent headers that are too long. Report it to its operator.`,
      unreachable: false,
    };
  if (code === SILENT) return { kind: 'timeout', message: `The server at ${host} did not answer in time.`, unreachable: false };
  return {
    kind: 'disconnected',
    message: `The connection to the server at ${host} was lost${code === '' ? '' : ` (${code})`}.`,
    unreachable: false,
  };
}

/** For an error status, or a body that is not a message. `denied`: why access was denied, where that is known. */
export function statusFailure(host: string, response: IncomingMessage, denied?: string): HttpFailure {
  const status = response.statusCode ?? 0;
  const words = status === 403 && denied !== undefined ? `denied access (HTTP 403). ${denied}` : wordsFor(status, response);
  return { kind: kindOf(status), message: `The server at ${host} ${words}`, unreachable: false, status };
}

function kindOf(status: number): FailureKind {
  if (status === 401 || status === 403) return 'auth';
  if (status === 404 || status === 405) return 'not-found';
  if (status === 429 || status === 503) return 'busy';
  return status >= 500 ? 'server-error' : 'protocol';
}

function wordsFor(status: number, { headers }: IncomingMessage): string {
  if (status === 401)
    return 'requires authentication (HTTP 401). Set or renew its Authorization header or, for `serve --http`, set "signIn" in its entry.';
  if (status === 403) return 'denied access (HTTP 403). Check its Authorization header.';
  if (status === 404) return 'has no endpoint at this URL (HTTP 404). Check the path.';
  if (status === 405) return 'does not accept messages at this URL (HTTP 405). Check the path.';
  if (status === 413) return 'rejected the message as too large (HTTP 413).';
  if (status === 429) return `received too many requests (HTTP 429). Try again ${waitOf(headers['retry-after'])}.`;
  if (status >= 300 && status < 400) return `redirects ${targetOf(headers.location)} (HTTP ${status}), which is not followed.`;
  if (status >= 500) return `failed (HTTP ${status}). Try again later, or check its log.`;
  if (status >= 400) return `rejected the message (HTTP ${status}).`;
  if (/html/.test(headers['content-type'] ?? '')) return 'answered with a web page instead of MCP. Check the URL.';
  return `answered with something that is not an MCP message (HTTP ${status}).`;
}

function waitOf(retryAfter: string | undefined): string {
  return retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? `in ${retryAfter} s` : 'later';
}

function targetOf(location: string | undefined): string {
  const target = location !== undefined && URL.canParse(location) ? new URL(location).origin : undefined;
  return target === undefined ? 'to another address' : `to ${echo(target)}`;
}
