/** What can go wrong on the way to a server over HTTP, in words for a person: no header, no path, no query. */
import type { IncomingMessage } from 'node:http';
import { echo, systemCode } from '../../../errors.js';

export interface Problem {
  readonly message: string;
  /** Whether the server could not be reached at all, so that no other message would come through either. */
  readonly unreachable: boolean;
  readonly status?: number;
}

/** The code of a request that was given up because nothing came. */
export const SILENT = 'SILENT';

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections. Is it running, and is the port right?',
  ENOTFOUND: 'has an address that cannot be found. Check the name in its URL.',
  EAI_AGAIN: 'has an address that cannot be looked up at the moment.',
  EHOSTUNREACH: 'cannot be reached from this network.',
  ENETUNREACH: 'cannot be reached from this network.',
  ETIMEDOUT: 'did not take the connection in time.',
};

/** A request that got no answer. */
export function networkProblem(host: string, error: unknown): Problem {
  const code = systemCode(error) ?? '';
  const words = Object.hasOwn(UNREACHABLE, code) ? UNREACHABLE[code] : undefined;
  if (words !== undefined) return { message: `The server at ${host} ${words}`, unreachable: true };
  if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/.test(code))
    return { message: `The server at ${host} gave no trusted TLS connection (${code}).`, unreachable: true };
  if (code === SILENT) return { message: `The server at ${host} did not answer, and is no longer waited for.`, unreachable: false };
  return { message: `The connection to the server at ${host} broke${code === '' ? '' : ` (${code})`}.`, unreachable: false };
}

/** An answer with a status that is no success, or with a body that is no message. */
export function statusProblem(host: string, response: IncomingMessage): Problem {
  const status = response.statusCode ?? 0;
  return { message: `The server at ${host} ${wordsFor(status, response)}`, unreachable: false, status };
}

function wordsFor(status: number, { headers }: IncomingMessage): string {
  if (status === 401) return 'wants to know who asks (HTTP 401). Set an Authorization header for it, or renew the one that is set.';
  if (status === 403) return 'does not allow this (HTTP 403). Check the Authorization header that is set for it.';
  if (status === 404) return 'has nothing at this URL (HTTP 404). Check the path.';
  if (status === 405) return 'takes no messages at this URL (HTTP 405). Check the path.';
  if (status === 413) return 'finds the message too large (HTTP 413).';
  if (status === 429) return `has had too many requests (HTTP 429). Try again ${waitOf(headers['retry-after'])}.`;
  if (status >= 300 && status < 400) return `redirects ${targetOf(headers.location)} (HTTP ${status}), which is not followed.`;
  if (status >= 500) return `failed (HTTP ${status}). Its operator has to look at it, or try again later.`;
  if (status >= 400) return `refused the message (HTTP ${status}).`;
  if (/html/.test(headers['content-type'] ?? '')) return 'answered with a web page, not with MCP. Check the URL.';
  return `answered with something that is no message of MCP (HTTP ${status}).`;
}

function waitOf(retryAfter: string | undefined): string {
  return retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? `in ${retryAfter} s` : 'later';
}

function targetOf(location: string | undefined): string {
  const target = location !== undefined && URL.canParse(location) ? new URL(location).origin : undefined;
  return target === undefined ? 'to another address' : `to ${echo(target)}`;
}
