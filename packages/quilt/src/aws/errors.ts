/** Maps errors of AWS and the SDK to failures. */
import { Failure } from '../failure.js';
import { truncateWords } from '../secrets.js';

/** The names of the SDK's errors are AWS error codes. */
interface AwsError extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number | undefined };
  readonly $retryable?: { readonly throttling?: boolean | undefined } | undefined;
}

const LOG_IN_AGAIN = [
  'Run `quilt3 login` or `aws sso login` again, or replace the old keys.',
  'The next read picks them up; no restart is needed.',
];

const GET_CREDENTIALS = [
  'Run `quilt3 login`: the registry issues credentials to logged-in users.',
  'Or run `aws configure` or `aws sso login`, and set AWS_PROFILE in the environment of this server unless it is the default profile.',
];

const EXPIRED = /^(?:ExpiredToken(?:Exception)?|RequestExpired|TokenRefreshRequired|SSOTokenProviderFailure)$/;
const REJECTED =
  /^(?:InvalidAccessKeyId|InvalidClientTokenId|UnrecognizedClientException|SignatureDoesNotMatch|InvalidSignatureException|InvalidToken|AuthFailure|IncompleteSignature|MissingAuthenticationToken(?:Exception)?)$/;
const DENIED = /^(?:AccessDenied(?:Exception)?|AllAccessDisabled|Forbidden|UnauthorizedOperation|NotAuthorized|AuthorizationError)$/;
const THROTTLED =
  /^(?:Throttl\w*|TooManyRequests(?:Exception)?|SlowDown|RequestLimitExceeded|BandwidthLimitExceeded|PriorRequestNotComplete|RequestThrottled\w*|LimitExceededException)$/;
const UNREACHABLE =
  /^(?:TimeoutError|RequestTimeout(?:Exception)?|NetworkingError|ECONN\w+|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|ETIMEDOUT)$/;

/** `operation` is the IAM action. */
export function awsFailure(cause: unknown, operation: string): Failure {
  if (cause instanceof Failure) return cause;
  const error: AwsError = cause instanceof Error ? cause : new Error(String(cause));
  const name = nameOf(error);
  const code = codeOf(error);
  const status = error.$metadata?.httpStatusCode;
  const options = { cause };
  if (name === 'CredentialsProviderError' || name === 'TokenProviderError')
    return new Failure('login', 'No AWS credentials were found.', { ...options, actions: GET_CREDENTIALS });
  if (EXPIRED.test(name)) return new Failure('login', 'The AWS credentials have expired.', { ...options, actions: LOG_IN_AGAIN });
  // The parentheses must not follow "credentials" directly, or redaction would remove their content.
  if (REJECTED.test(name))
    return new Failure('login', `The credentials were rejected by AWS (${name}).`, { ...options, actions: LOG_IN_AGAIN });
  if (DENIED.test(name) || status === 403) return new Failure('denied', denial(error, operation), options);
  if (error.$retryable?.throttling === true || THROTTLED.test(name) || status === 429)
    return new Failure('failed', `AWS is throttling ${operation} (${name}).`, {
      ...options,
      retryable: true,
      actions: ['Wait a few seconds before retrying.'],
    });
  if (code !== undefined && UNREACHABLE.test(code))
    return new Failure('failed', `AWS is unreachable for ${operation} (${code}).`, {
      ...options,
      retryable: true,
      actions: ['Check the network, and the configured AWS region and endpoint.'],
    });
  if (status !== undefined && status >= 500)
    return new Failure('failed', `AWS failed to process ${operation} (${name}, HTTP ${status}).`, { ...options, retryable: true });
  // A response that cannot be parsed is not from AWS; the message may quote it.
  if (name === 'SyntaxError' || /deserializ/i.test(error.message)) return notAws(operation, cause);
  return new Failure('failed', `AWS rejected ${operation}: ${name}${sentence(error.message)}`, options);
}

/** Another server responded: a captive portal's page can pass for XML without the expected elements. */
export function notAws(operation: string, cause?: unknown): Failure {
  return new Failure('failed', `The response to ${operation} is not from AWS.`, {
    cause,
    actions: ['Check the configured AWS endpoint and any proxies.'],
  });
}

/** The SDK does not validate responses: a malformed one causes a `TypeError` later. */
export async function rejectMalformed<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw cause instanceof TypeError || cause instanceof RangeError ? notAws('Athena or Glue', cause) : cause;
  }
}

function codeOf(error: Error): string | undefined {
  for (let each: unknown = error; each instanceof Error; each = each.cause)
    if ('code' in each && typeof each.code === 'string') return each.code;
  return UNREACHABLE.test(error.name) ? error.name : undefined;
}

/** AWS's message names the principal, action and resource. */
function denial(error: Error, operation: string): string {
  const { message } = error;
  return /is not authorized to perform/.test(message)
    ? `AWS denies ${operation}${sentence(message)}`
    : `AWS denies ${operation} (${nameOf(error)}).`;
}

function nameOf({ name }: Error): string {
  return /^[\w.:-]{1,100}$/.test(name) ? name : 'unnamed error';
}

const MAX_MESSAGE_LENGTH = 300;

function sentence(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim();
  return line === '' || line === 'UnknownError'
    ? '.'
    : `: ${line.length > MAX_MESSAGE_LENGTH ? `${truncateWords(line, MAX_MESSAGE_LENGTH)}…` : line}`;
}
