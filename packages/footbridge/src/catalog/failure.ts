/** Whatever a reader threw, as one error of ours that may be shown to the caller. */
import { echo, FootbridgeError } from '../errors.js';
import { redact } from '../redact.js';
import { type Link, linksOf } from './links.js';
import { judge } from './verdict.js';

const LONGEST_DETAILS = 500;

/** The error for a read of `uri` that threw `cause`. Its texts hold no secret, and it never throws itself. */
export function toFailure(cause: unknown, uri: string): FootbridgeError {
  try {
    return cause instanceof FootbridgeError ? redacted(cause) : translated(cause, uri);
  } catch {
    // A proxy can refuse even to say what it is.
    return executionError(uri, false, undefined, undefined);
  }
}

function redacted(error: FootbridgeError): FootbridgeError {
  const message = redact(error.message);
  const details = error.details === undefined ? undefined : redact(error.details);
  const suggestedActions = error.suggestedActions.map(redact);
  const same =
    message === error.message && details === error.details && suggestedActions.every((action, at) => action === error.suggestedActions[at]);
  if (same) return error;
  const { code, retryable } = error;
  return new FootbridgeError(code, message, { suggestedActions, retryable, cause: error, details });
}

function translated(cause: unknown, uri: string): FootbridgeError {
  const links = linksOf(cause);
  const verdict = judge(links);
  const details = describe(links);
  if (verdict === 'expired' || verdict === 'unauthorized') return unauthorized(uri, verdict === 'expired', details, cause);
  return executionError(uri, verdict === 'transient', details, cause);
}

function unauthorized(uri: string, expired: boolean, details: string | undefined, cause: unknown): FootbridgeError {
  return new FootbridgeError('Unauthorized', `Resource '${echo(uri)}' may not be read by this caller.`, {
    suggestedActions: [
      expired ? 'Sign in again: the credentials have expired.' : 'Ask for access to this resource, or sign in as someone who has it.',
      'Call get_resource without arguments to see which resources need admin rights.',
    ],
    cause,
    details,
  });
}

function executionError(uri: string, retryable: boolean, details: string | undefined, cause: unknown): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', `Failed to retrieve resource '${echo(uri)}'.`, {
    suggestedActions: [
      retryable
        ? 'Retry in a moment: the cause is likely to pass.'
        : "Retrying will not help: the details say what went wrong, and the server's operator has to look at it.",
    ],
    retryable,
    cause,
    details,
  });
}

/** The outermost error and the innermost that says more; what lies between repeats one or the other. */
function describe(links: readonly Link[]): string | undefined {
  const texts = links.map(linkText).filter((text) => text !== '');
  const [outer] = texts;
  const inner = texts.at(-1);
  if (outer === undefined || inner === undefined) return undefined;
  return bounded(outer.includes(inner) ? outer : `${halved(outer)}\nCaused by ${inner}`);
}

function linkText({ name, message, codes }: Link): string {
  const code = codes.find((each) => /^[A-Za-z]\w*$/.test(each) && !message.includes(each) && each !== name);
  const parts = [name === 'Error' && (message !== '' || code !== undefined) ? '' : name, message].filter((part) => part !== '');
  return `${parts.join(': ')}${code === undefined ? '' : ` (${code})`}`.trim();
}

/** Leaves room for the inner cause; made safe first, so that the cut can halve no secret. */
function halved(text: string): string {
  return oneLine(redact(text), LONGEST_DETAILS / 2);
}

function bounded(text: string): string {
  // Once with its lines, by which headers and stack traces are told, and once as it is shown.
  return oneLine(redact(oneLine(redact(text), Number.POSITIVE_INFINITY)), LONGEST_DETAILS);
}

function oneLine(text: string, longest: number): string {
  const line = text.replace(/[\s\p{Cc}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
