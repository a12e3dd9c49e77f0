/** The errors of requests to a server that cannot be reached. */
import { echo } from '../../errors.js';
import { redact } from '../../redact.js';
import { redactGiven } from '../../secrets/given.js';
import { ServerError } from '../server/channel.js';
import { failureOf, mayPass, type UpstreamFailure } from './failure.js';
import { CONNECTION_CLOSED, type Loss } from './json-rpc.js';
import type { UpstreamServer } from './options.js';

const LONGEST_REASON = 2000;

/** Every list that is shown requests them again. */
const redacted = new WeakMap<UpstreamFailure, { readonly server: UpstreamServer; readonly shown: UpstreamFailure }>();

/** A server may repeat the secrets that it received, at any length. */
export function redactedFailure(server: UpstreamServer, failure: UpstreamFailure): UpstreamFailure {
  const known = redacted.get(failure);
  if (known?.server === server) return known.shown;
  const shown = redactFailure(server, failure);
  redacted.set(failure, { server, shown });
  return shown;
}

function redactFailure(server: UpstreamServer, { kind, message }: UpstreamFailure): UpstreamFailure {
  const given = 'command' in server ? Object.values(server.env ?? {}) : 'url' in server ? Object.values(server.headers ?? {}) : [];
  return { kind, message: echo(redact(redactGiven(message.slice(0, LONGEST_REASON), given))) };
}

/** For a request while there is no connection. */
export function notReached(name: string, server: UpstreamServer, cause: unknown): ServerError {
  const { kind, message } = redactedFailure(server, failureOf(cause));
  const text = `The server '${name}' cannot be reached. ${message} Footbridge retries automatically.`;
  return new ServerError(CONNECTION_CLOSED, text, { server: name, kind, retryable: mayPass(kind) });
}

/** For a request whose connection ended before its answer. */
export function lostDuringRequest(name: string, server: UpstreamServer, failure: UpstreamFailure): Loss {
  const { kind, message } = redactedFailure(server, failure);
  return {
    message: `The connection to the server '${name}' was lost during this request. ${message} Footbridge is reconnecting; the call may or may not have had an effect.`,
    data: { server: name, kind, retryable: true },
  };
}

/** For a request to a server whose configuration is not trusted. */
export function notStarted(name: string, reason: string): ServerError {
  return new ServerError(CONNECTION_CLOSED, `The server '${name}' was not started. ${reason}`, {
    server: name,
    kind: 'untrusted',
    retryable: false,
  });
}
