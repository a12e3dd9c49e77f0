/** What AWS, or the way to it, says went wrong. */
import { Failure } from '../failure.js';
import { cutBetweenWords } from '../secrets.js';

/** The SDK's errors are told by their names, which are the codes that AWS sends. */
interface AwsError extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number | undefined };
  readonly $retryable?: { readonly throttling?: boolean | undefined } | undefined;
}

const LOG_IN_AGAIN = [
  'Run `quilt3 login` or `aws sso login` again, or put new keys where the old ones are.',
  'They are looked for anew by the next read; no restart is needed.',
];

/** How to get credentials where there are none. */
const HOW_TO_GET_CREDENTIALS = [
  'Run `quilt3 login`: the catalog lends credentials to whoever is logged in.',
  'Or run `aws configure` or `aws sso login`, with AWS_PROFILE in the environment of this server where it is not the default profile.',
];

const EXPIRED = /^(?:ExpiredToken(?:Exception)?|RequestExpired|TokenRefreshRequired|SSOTokenProviderFailure)$/;
const UNKNOWN =
  /^(?:InvalidAccessKeyId|InvalidClientTokenId|UnrecognizedClientException|SignatureDoesNotMatch|InvalidSignatureException|InvalidToken|AuthFailure|IncompleteSignature|MissingAuthenticationToken(?:Exception)?)$/;
const DENIED = /^(?:AccessDenied(?:Exception)?|AllAccessDisabled|Forbidden|UnauthorizedOperation|NotAuthorized|AuthorizationError)$/;
const THROTTLED =
  /^(?:Throttl\w*|TooManyRequests(?:Exception)?|SlowDown|RequestLimitExceeded|BandwidthLimitExceeded|PriorRequestNotComplete|RequestThrottled\w*|LimitExceededException)$/;
const CUT_OFF =
  /^(?:TimeoutError|RequestTimeout(?:Exception)?|NetworkingError|ECONN\w+|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|ETIMEDOUT)$/;

/** `operation` is what was asked, as IAM calls it. */
export function awsFailure(cause: unknown, operation: string): Failure {
  if (cause instanceof Failure) return cause;
  const error: AwsError = cause instanceof Error ? cause : new Error(String(cause));
  const name = nameOf(error);
  const code = codeOf(error);
  const status = error.$metadata?.httpStatusCode;
  const options = { cause };
  if (name === 'CredentialsProviderError' || name === 'TokenProviderError')
    return new Failure('login', 'No AWS credentials were found.', { ...options, actions: HOW_TO_GET_CREDENTIALS });
  if (EXPIRED.test(name)) return new Failure('login', 'The AWS credentials have expired.', { ...options, actions: LOG_IN_AGAIN });
  // Right after the word credentials, what stands in brackets would be taken for one and be redacted.
  if (UNKNOWN.test(name))
    return new Failure('login', `The credentials are not accepted by AWS (${name}).`, { ...options, actions: LOG_IN_AGAIN });
  if (DENIED.test(name) || status === 403) return new Failure('denied', denial(error, operation), options);
  if (error.$retryable?.throttling === true || THROTTLED.test(name) || status === 429)
    return new Failure('failed', `AWS limits how often ${operation} may be called just now (${name}).`, {
      ...options,
      retryable: true,
      actions: ['Wait some seconds before the next try.'],
    });
  if (code !== undefined && CUT_OFF.test(code))
    return new Failure('failed', `AWS cannot be reached for ${operation} (${code}).`, {
      ...options,
      retryable: true,
      actions: ['Check the network, and the region and endpoint that are configured for AWS.'],
    });
  if (status !== undefined && status >= 500)
    return new Failure('failed', `AWS failed at ${operation} (${name}, status ${status}).`, { ...options, retryable: true });
  // What cannot be parsed was not written by AWS: its message may be a part of somebody's page.
  if (name === 'SyntaxError' || /deserializ/i.test(error.message)) return notAws(operation, cause);
  return new Failure('failed', `AWS refused ${operation}: ${name}${sentence(error.message)}`, options);
}

/** Something else answered: a page for signing in to a network passes for XML without anything that was asked for. */
export function notAws(operation: string, cause?: unknown): Failure {
  return new Failure('failed', `What answered ${operation} does not speak as AWS does.`, {
    cause,
    actions: ['Check the endpoint that is configured for AWS, and proxies on the way.'],
  });
}

/** The SDK passes on what it got, whatever its types say: a list may be a number. */
export async function trustingTypes<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw cause instanceof TypeError || cause instanceof RangeError ? notAws('for Athena or Glue', cause) : cause;
  }
}

function codeOf(error: Error): string | undefined {
  for (let each: unknown = error; each instanceof Error; each = each.cause)
    if ('code' in each && typeof each.code === 'string') return each.code;
  return CUT_OFF.test(error.name) ? error.name : undefined;
}

/** AWS says who may not do what on which resource. */
function denial(error: Error, operation: string): string {
  const { message } = error;
  return /is not authorized to perform/.test(message)
    ? `AWS denies ${operation}${sentence(message)}`
    : `AWS denies ${operation} (${nameOf(error)}).`;
}

/** Codes are words: anything else was not written by AWS. */
function nameOf({ name }: Error): string {
  return /^[\w.:-]{1,100}$/.test(name) ? name : 'an error without a name';
}

const LONGEST = 300;

function sentence(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim();
  return line === '' || line === 'UnknownError' ? '.' : `: ${line.length > LONGEST ? `${cutBetweenWords(line, LONGEST)}…` : line}`;
}
