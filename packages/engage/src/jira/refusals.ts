/** What Jira's answers mean, in our words alone: nothing that Jira wrote is repeated. */
import type { IncomingHttpHeaders } from 'node:http';
import { Failure, type FailureDetails } from '../failure.js';

const LONGEST_WAIT_SECONDS = 3600;
const TRY_LATER = 'Try again in a while.';
const LOOK_FIRST = 'Look at the attachments of the issue before you try again: the file may have arrived.';
const CAPTCHA = 'Sign in to Jira once in the browser, solve the puzzle that it shows, and then try again.';

/** What was asked about, for the words of a refusal. */
export type Subject = 'account' | 'issue' | 'upload';

/** The failure that an answer without success stands for. */
export function refusal(status: number, headers: IncomingHttpHeaders, subject: Subject): Failure {
  if (status >= 300 && status < 400) return signOnPage();
  switch (status) {
    case 400:
      return new Failure('validation_error', 'Jira did not accept the request.', 'Check what was given, such as the key of the issue.');
    case 401:
      return new Failure('invalid_credentials', 'Jira did not accept the token.', wantsCaptcha(headers) ? CAPTCHA : CONNECT_ANEW);
    case 403:
      return wantsCaptcha(headers)
        ? new Failure('forbidden', 'Jira refuses this account until its owner has signed in by hand.', CAPTCHA)
        : new Failure(
            'forbidden',
            `Jira does not allow this account ${ALLOWED[subject]}.`,
            'Ask whoever runs the Jira project to allow it.',
          );
    case 404:
      return subject === 'account'
        ? new Failure('not_found', 'There is no Jira at this address.', 'Check the address, including the path that Jira may live under.')
        : new Failure('not_found', 'Jira has no such issue, or does not show it to this account.', 'Check the key of the issue.');
    case 413:
      return new Failure('artifact_invalid', 'The file is larger than this Jira takes.', 'Make a smaller one, or ask for a higher limit.');
    case 429:
      return unavailable('Jira has had too many requests.', 'Wait as long as it asks for, and try again.', waitOf(headers));
    default:
      return status >= 500
        ? unavailable('Jira has a problem of its own.', TRY_LATER, waitOf(headers))
        : unavailable(`Jira answered in a way that was not foreseen (HTTP ${status}).`, 'Check that the address is that of a Jira.');
  }
}

const CONNECT_ANEW = 'Check that the token is whole, not revoked and not run out, and connect anew with one that works.';

const ALLOWED: Readonly<Record<Subject, string>> = {
  account: 'to use it from here',
  issue: 'to see this issue',
  upload: 'to attach files to this issue',
};

/** A page to sign in on instead of an answer: the token has not even been looked at. */
export function signOnPage(): Failure {
  return new Failure(
    'invalid_credentials',
    'A single sign-on page answered instead of Jira, so the token was not accepted.',
    'Check the address, and that Jira takes tokens there without single sign-on; then connect anew.',
  );
}

export function notUnderstood(): Failure {
  return unavailable('What Jira answered could not be understood.', 'Check that the address is that of a Jira, and try again.');
}

/** What a success is not believed for. */
export function notWhole(): Failure {
  return unavailable('Jira did not take the whole file.', LOOK_FIRST);
}

export function tooMuch(): Failure {
  return unavailable('Jira answered with more than this server takes.', 'Choose an issue with fewer attachments.');
}

/** Why no answer came, or none that was whole. `code` is that of Node's error; its words may hold what the other side sent. */
export function unreachable(code: string, subject: Subject): Failure {
  const action = subject === 'upload' ? LOOK_FIRST : TRY_LATER;
  const cause = { code };
  if (TLS.test(code)) {
    return unavailable(
      'The certificate or the encryption (TLS) of Jira could not be trusted.',
      'Check the address; if Jira has a certificate of its own authority, start the server with it in NODE_EXTRA_CA_CERTS.',
      {},
      cause,
    );
  }
  if (code.startsWith('HPE_')) return notUnderstood();
  if (code === 'ETIMEDOUT') return unavailable('Jira did not answer in time.', action, {}, cause);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return unavailable('The host of Jira was not found.', 'Check the address.', {}, cause);
  if (/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/.test(code)) {
    return unavailable('Nothing answers at the address of Jira.', 'Check the address, and that Jira is running.', {}, cause);
  }
  return unavailable('The connection to Jira broke.', action, {}, cause);
}

const TLS =
  /^(?:ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERROR_IN_CERT|INVALID_|HOSTNAME_MISMATCH|PATH_LENGTH)/;

function unavailable(message: string, action: string, details: FailureDetails = {}, cause?: unknown): Failure {
  return new Failure('upstream_unavailable', message, action, details, cause);
}

/** After some failed attempts Jira wants a person to sign in, and refuses whatever comes until then. */
function wantsCaptcha(headers: IncomingHttpHeaders): boolean {
  const reasons = [headers['x-seraph-loginreason'], headers['x-authentication-denied-reason']].flat().join(' ');
  return /AUTHENTICATION_DENIED|CAPTCHA/i.test(reasons);
}

function waitOf(headers: IncomingHttpHeaders): FailureDetails {
  const text = headers['retry-after']?.trim();
  if (text === undefined || text === '') return {};
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? {} : { retry_after_seconds: Math.min(Math.max(seconds, 0), LONGEST_WAIT_SECONDS) };
}
