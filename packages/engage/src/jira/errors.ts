/** Failures of Jira requests and of connections. Nothing that Jira wrote is repeated. */
import type { IncomingHttpHeaders } from 'node:http';
import { networkProblem, systemCode } from 'footbridge/pack';
import { Failure, type FailureCode, type FailureDetails } from '../failure.js';

const MAX_RETRY_AFTER_SECONDS = 3600;
const TRY_LATER = 'Try again later.';
const CHECK_ATTACHMENTS = 'Check the attachments of the issue before trying again: the upload may have succeeded.';
const CAPTCHA = 'Sign in to Jira in a browser and solve the CAPTCHA, then try again.';
const NEW_TOKEN = 'Check that the token is complete, not revoked and not expired, then connect again with a valid one.';
const RECONNECT = 'Connect again with jira_connect.';

/** What the request was about. */
export type Subject = 'account' | 'issue' | 'upload';

const FORBIDDEN: Readonly<Record<Subject, string>> = {
  account: 'to use the API',
  issue: 'to view this issue',
  upload: 'to attach files to this issue',
};

/** The failure for a response with an error status. */
export function responseFailure(status: number, headers: IncomingHttpHeaders, subject: Subject): Failure {
  if (status >= 300 && status < 400) return ssoRedirect();
  switch (status) {
    case 400:
      return new Failure('validation_error', 'Jira rejected the request as invalid.', 'Check the input, such as the issue key.');
    case 401:
      return new Failure('invalid_credentials', 'Jira rejected the token.', requiresCaptcha(headers) ? CAPTCHA : NEW_TOKEN);
    case 403:
      return requiresCaptcha(headers)
        ? new Failure('forbidden', 'Jira requires a CAPTCHA for this account after failed logins.', CAPTCHA)
        : new Failure('forbidden', `This Jira account is not allowed ${FORBIDDEN[subject]}.`, 'Ask the Jira administrator for permission.');
    case 404:
      return subject === 'account'
        ? new Failure('not_found', 'No Jira was found at this URL.', 'Check the URL, including its context path.')
        : new Failure('not_found', 'The issue does not exist or is not visible to this account.', 'Check the issue key.');
    case 413:
      return new Failure('artifact_invalid', 'The file exceeds the attachment limit of Jira.', 'Collect less, or ask for a higher limit.');
    case 429:
      return unavailable('Jira is rate limiting requests.', 'Wait before trying again.', retryAfter(headers));
    default:
      return status >= 500
        ? unavailable(`Jira failed (HTTP ${status}).`, TRY_LATER, retryAfter(headers))
        : unavailable(`Jira sent an unexpected status (HTTP ${status}).`, 'Check that the URL is that of a Jira.');
  }
}

/** A login page was sent instead of a response from the API. */
export function ssoRedirect(): Failure {
  const action = 'Check the URL, and that Jira accepts tokens there without single sign-on, then connect again.';
  return new Failure('invalid_credentials', 'A single sign-on page responded instead of Jira, so the token was not accepted.', action);
}

export function malformedResponse(): Failure {
  return unavailable('Jira sent a malformed response.', 'Check that the URL is that of a Jira, then try again.');
}

export function incompleteUpload(): Failure {
  return unavailable('Jira did not receive the whole file.', CHECK_ATTACHMENTS);
}

export function responseTooLarge(): Failure {
  return unavailable('The response from Jira is too large.', 'Use an issue with fewer attachments.');
}

/** No complete response arrived. `code` is Node's error code; its message is not used, since it may contain data from the server. */
/** For an error of the connection. */
export function connectionFailure(error: unknown, subject: Subject): Failure {
  if (error instanceof Failure) return error;
  const problem = networkProblem(error);
  return problem === undefined
    ? unreachable(systemCode(error) ?? 'unknown', subject)
    : unavailable(problem, 'Ask the operator of this server to check its network settings.', {}, error);
}

export function unreachable(code: string, subject: Subject): Failure {
  const action = subject === 'upload' ? CHECK_ATTACHMENTS : TRY_LATER;
  const cause = { code };
  if (TLS.test(code)) {
    const trust = 'Check the URL. For a private certificate authority, start the server with NODE_EXTRA_CA_CERTS.';
    return unavailable('The TLS certificate of Jira is not trusted, or TLS failed.', trust, {}, cause);
  }
  if (code.startsWith('HPE_')) return malformedResponse();
  if (code === 'ETIMEDOUT') return unavailable('The request to Jira timed out.', action, {}, cause);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return unavailable('The host name of Jira was not found.', 'Check the URL.', {}, cause);
  if (/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/.test(code)) {
    return unavailable('Jira is not reachable.', 'Check the URL, and that Jira is running.', {}, cause);
  }
  return unavailable('The connection to Jira was lost.', action, {}, cause);
}

const TLS =
  /^(?:ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERROR_IN_CERT|INVALID_|HOSTNAME_MISMATCH|PATH_LENGTH)/;

function unavailable(message: string, action: string, details: FailureDetails = {}, cause?: unknown): Failure {
  return new Failure('upstream_unavailable', message, action, details, cause);
}

/** Jira requires a login in the browser after several failed attempts. */
function requiresCaptcha(headers: IncomingHttpHeaders): boolean {
  const reasons = [headers['x-seraph-loginreason'], headers['x-authentication-denied-reason']].flat().join(' ');
  return /AUTHENTICATION_DENIED|CAPTCHA/i.test(reasons);
}

function retryAfter(headers: IncomingHttpHeaders): FailureDetails {
  const text = headers['retry-after']?.trim();
  if (text === undefined || text === '') return {};
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? {} : { retry_after_seconds: Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_SECONDS) };
}

/** The same for an unknown connection and another caller's, so that ids cannot be probed. */
export const connectionNotFound = failure(
  'not_found',
  'Connection not found.',
  'Call jira_connection_status without connection_id to see your connections, or connect again.',
);
export const connectionPending = failure(
  'not_found',
  'The connection is not ready: its page has not been submitted yet.',
  'Ask the person to open the page from jira_connect and submit it, then try again.',
);
export const connectionExpired = failure('connection_expired', 'The connection to Jira has expired.', RECONNECT);
export const connectionRevoked = failure('connection_revoked', 'The connection to Jira was revoked.', RECONNECT);
export const ticketExpired = failure('not_found', 'This page was already used or has expired.', 'Get a new one with jira_connect.');
export const wrongJira = failure(
  'validation_error',
  'This page is for another Jira.',
  'Use the URL that the page shows, or get a page for the other Jira.',
);
/** Secrets are never sent over an unencrypted network connection. */
export const insecureTransport = failure(
  'validation_error',
  'The token would be sent over an unencrypted connection.',
  'The operator must put this server behind https and set http.publicUrl in footbridge.json.',
);

/** With the caller's own connections, so that a model can go on. */
export function connectionIdMissing(own: readonly { readonly connection_id: string; readonly text: string }[]): Failure {
  const lines = own.map(({ connection_id: id, text }) => `- ${id}: ${text}`);
  const action =
    own.length === 0
      ? 'You have no connections to Jira. Call jira_connect to create one.'
      : ['Call again with the connection_id of one of your connections to Jira:', ...lines].join('\n');
  return new Failure('validation_error', 'connection_id is missing.', action, {
    connections: own.map(({ text: _, ...view }) => view),
  });
}

export function tooManyConnections(limit: number): Failure {
  const action = 'Disconnect one first: jira_connection_status without connection_id lists them, jira_disconnect revokes one.';
  return new Failure('validation_error', `The limit of ${limit} Jira connections per person is reached.`, action);
}

function failure(code: FailureCode, message: string, action: string): () => Failure {
  return () => new Failure(code, message, action);
}
