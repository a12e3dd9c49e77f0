/** Turns anything that a reader threw into a `FootbridgeError` that may be shown to the caller. */
import { echo, FootbridgeError } from '../errors.js';
import { redact } from '../redact.js';

const LONGEST_DETAILS = 500;

/** The error for a read of `uri` that threw `cause`. Its texts hold no secret, and it never throws itself. */
export function toFailure(cause: unknown, uri: string): FootbridgeError {
  try {
    return cause instanceof FootbridgeError ? redacted(cause) : translated(cause, uri);
  } catch {
    // Even reading a property of a proxy may throw.
    return executionError(uri, false, undefined, undefined);
  }
}

function redacted(error: FootbridgeError): FootbridgeError {
  const message = redact(error.message);
  const details = error.details === undefined ? undefined : redact(error.details);
  const suggestedActions = error.suggestedActions.map((action) => redact(action));
  const same =
    message === error.message && details === error.details && suggestedActions.every((action, at) => action === error.suggestedActions[at]);
  if (same) return error;
  const { code, retryable } = error;
  return new FootbridgeError(code, message, { suggestedActions, retryable, cause: error, details });
}

function translated(cause: unknown, uri: string): FootbridgeError {
  const chain = thrownChain(cause);
  const kind = kindOf(chain);
  const details = describe(chain);
  if (kind === 'expired' || kind === 'unauthorized') return unauthorized(uri, kind === 'expired', details, cause);
  return executionError(uri, kind === 'transient', details, cause);
}

function unauthorized(uri: string, expired: boolean, details: string | undefined, cause: unknown): FootbridgeError {
  return new FootbridgeError('Unauthorized', `Access to resource '${echo(uri)}' is denied.`, {
    suggestedActions: [
      expired ? 'Sign in again: the credentials have expired.' : 'Ask for access to this resource, or sign in as a user who has it.',
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
        ? 'Retry in a moment: the failure is likely temporary.'
        : "Retrying will not help: see the details, and ask the server's operator to fix the cause.",
    ],
    retryable,
    cause,
    details,
  });
}

/** The outermost error and, where it adds something, the innermost; those between repeat one or the other. */
function describe(chain: readonly Thrown[]): string | undefined {
  const texts = chain.map(thrownText).filter((text) => text !== '');
  const [outer] = texts;
  const inner = texts.at(-1);
  if (outer === undefined || inner === undefined) return undefined;
  if (inner.includes(outer)) return bounded(inner);
  return bounded(outer.includes(inner) ? outer : `${halved(outer)}\nCaused by ${inner}`);
}

function thrownText({ name, message, codes }: Thrown): string {
  const code = codes.find((each) => /^[A-Za-z]\w*$/.test(each) && !message.includes(each) && each !== name);
  const parts = [name === 'Error' && (message !== '' || code !== undefined) ? '' : name, message].filter((part) => part !== '');
  return `${parts.join(': ')}${code === undefined ? '' : ` (${code})`}`.trim();
}

/** Leaves room for the inner cause. Redacted first, so that the cut cannot leave half a secret. */
function halved(text: string): string {
  return oneLine(redact(text), LONGEST_DETAILS / 2);
}

function bounded(text: string): string {
  // Redacted with its line breaks, which identify headers and stack traces, and again as shown.
  return oneLine(redact(oneLine(redact(text), Number.POSITIVE_INFINITY)), LONGEST_DETAILS);
}

function oneLine(text: string, longest: number): string {
  const line = text.replace(/[\s\p{Cc}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

/** Permanent: retrying does not help. */
type FailureKind = 'expired' | 'unauthorized' | 'transient' | 'permanent';

/** Credentials only: other tokens, such as page tokens, expire too. */
const EXPIRED = /^(?:ExpiredToken|TokenExpired|EXPIRED_TOKEN|TOKEN_EXPIRED)(?:Error|Exception)?$/;
const UNAUTHORIZED =
  /^(?:AccessDenied|ACCESS_DENIED|Unauthori[sz]ed|UNAUTHORI[SZ]ED|Unauthenticated|UNAUTHENTICATED|Forbidden|FORBIDDEN|NotAuthorized|PermissionDenied|PERMISSION_DENIED|InvalidClientTokenId|InvalidAccessKeyId|UnrecognizedClient|SignatureDoesNotMatch|InvalidSignatureException)/;
const TRANSIENT =
  /^(?:ECONNRESET|ECONNREFUSED|ECONNABORTED|ENOTFOUND|EAI_AGAIN|E(?:SOCKET)?TIMEDOUT|EPIPE|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENETRESET|UND_ERR_(?!INVALID_ARG|NOT_SUPPORTED)|ERR_NETWORK$|ERR_SOCKET_CONNECTION_TIMEOUT|ERR_STREAM_PREMATURE_CLOSE|TooManyRequests|TOO_MANY_REQUESTS|SlowDown|RequestLimitExceeded|LimitExceededException$|ProvisionedThroughputExceeded|RateLimit|RATE_LIMIT|RESOURCE_EXHAUSTED|Overloaded|RequestTimeout|REQUEST_TIMEOUT|DEADLINE_EXCEEDED|GATEWAY_TIMEOUT|AbortError$|ABORT_ERR$|ServiceUnavailable|SERVICE_UNAVAILABLE|UNAVAILABLE|InternalServerError|INTERNAL_SERVER_ERROR|InternalFailure|BadGateway|BAD_GATEWAY)/i;
/** Anywhere in a name: `RequestThrottledException`, `ConnectTimeoutError`. */
const TRANSIENT_PART = /Throttl|Timeout(?:Error|Exception)?$/i;
const PERMANENT =
  /^(?:ENOENT|EACCES|EPERM|ENOTDIR|EISDIR|EINVAL|EMFILE|ERR_|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|CredentialsProviderError|TypeError|ReferenceError|SyntaxError|RangeError|EvalError|URIError|AssertionError|ZodError|ValidationException|NOT_FOUND|NotFound|NoSuch|BAD_REQUEST)/;

/** Messages without a code. An invalid certificate fails with `fetch failed` too, so these count last. */
const DROPPED = /^(?:fetch failed|failed to fetch|terminated|socket hang up|other side closed|network error|connection closed)\b/i;

/** Words anywhere in a message that came without a code, as from another server. */
const PASSING = new RegExp(
  [
    String.raw`\b(?:ECONNRESET|ECONNREFUSED|ECONNABORTED|ENOTFOUND|EAI_AGAIN|E(?:SOCKET)?TIMEDOUT|EPIPE|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN)\b`,
    String.raw`\b(?:throttl(?:ed|ing)|too ?many ?requests|rate (?:limit(?:ed)?|exceeded)|slow ?down|overloaded|try again later)`,
    String.raw`\b(?:timed out|timeout (?:of|after|exceeded|expired)|due to (?:a )?timeout|(?:request|connect(?:ion)?|socket|read|operation|gateway|query|response|headers|body) ?time-?out|deadline exceeded|operation was aborted)\b`,
    String.raw`\b(?:(?:temporarily|currently|service|server) ?unavailable|bad gateway)`,
    String.raw`(?:\b(?:HTTP(?:\/[\d.]{1,3})?|status(?: code)?|code|error|responded with|returned|response|got|received)[ :=(]{1,3}(?:an? )?(?:(?:HTTP|status|code) )?|\()(?:408|425|429|502|503|504)\b`,
  ].join('|'),
  'i',
);

const UNAUTHORIZED_STATUS = new Set([401, 403]);
/** The last is an MCP client's code for a request that timed out. */
const TRANSIENT_NUMBERS = new Set([408, 425, 429, 500, 502, 503, 504, -32001]);

/** The kind of the outermost error that has one. */
function kindOf(chain: readonly Thrown[]): FailureKind | undefined {
  for (const thrown of chain) {
    const kind = ownKind(thrown);
    if (kind !== undefined) return kind;
  }
  return chain.some((thrown) => isDropped(thrown) || PASSING.test(thrown.message)) ? 'transient' : undefined;
}

function ownKind(thrown: Thrown): FailureKind | undefined {
  const names = [...thrown.codes, thrown.name, ...leadingName(thrown.message)].map((name) => name.slice(name.lastIndexOf('#') + 1));
  const numbers = [...thrown.numbers, ...statusIn(thrown.message)];
  const has = (pattern: RegExp) => names.some((name) => pattern.test(name));
  if (has(EXPIRED)) return 'expired';
  if (has(UNAUTHORIZED) || numbers.some((number) => UNAUTHORIZED_STATUS.has(number))) return 'unauthorized';
  if (thrown.retryable || has(TRANSIENT) || has(TRANSIENT_PART) || numbers.some((number) => TRANSIENT_NUMBERS.has(number)))
    return 'transient';
  if (isDropped(thrown)) return undefined;
  return has(PERMANENT) || numbers.some((number) => number >= 400 && number < 600) ? 'permanent' : undefined;
}

function isDropped(thrown: Thrown): boolean {
  return DROPPED.test(thrown.message);
}

/** `AccessDenied` of `AccessDenied: User is not…`; the first word of a plain sentence does not count. */
function leadingName(message: string): string[] {
  const found = /^\s{0,8}(?:Error: )?([A-Za-z]\w{2,60})(?:[:(]|\s{0,8}$)/.exec(message)?.[1];
  return found === undefined ? [] : [found];
}

/** The status of `403 Forbidden`, `HTTP 503` and `Request failed with status code 429`. */
function statusIn(message: string): number[] {
  const found = /^(?:HTTP\S{0,4} )(\d{3})\b|^(\d{3}) [A-Z]|\bstatus(?: code)?:? (\d{3})\b/.exec(message.slice(0, 500));
  const status = found?.[1] ?? found?.[2] ?? found?.[3];
  return status === undefined ? [] : [Number(status)];
}

/** One error of a chain as plain data. */
interface Thrown {
  readonly name: string;
  readonly message: string;
  /** Names a library gave the failure, such as `ECONNRESET` or `AccessDenied`. */
  readonly codes: readonly string[];
  /** Numbers it gave: HTTP statuses and JSON-RPC codes. */
  readonly numbers: readonly number[];
  /** Whether the error itself states that the same call may succeed later. */
  readonly retryable: boolean;
}

const LONGEST_CHAIN = 16;
/** Longer messages are cut before they are processed. */
const LONGEST_MESSAGE = 16_384;
const LONGEST_CODE = 100;

const CODE_PLACES = [
  ['code'],
  ['Code'],
  ['status'],
  ['statusCode'],
  ['response', 'status'],
  ['response', 'statusCode'],
  ['$metadata', 'httpStatusCode'],
  ['extensions', 'code'],
  ['data', 'code'],
  ['data', 'name'],
  ['data', 'type'],
  ['data', 'error'],
  ['data', 'reason'],
  ['data', 'status'],
  ['data', 'statusCode'],
  ['data', 'httpStatus'],
];

/** An error and its causes, the outermost first. Never throws. */
function thrownChain(thrown: unknown): Thrown[] {
  const chain: Thrown[] = [];
  const seen = new Set<unknown>();
  const waiting: unknown[] = [thrown];
  while (waiting.length > 0 && chain.length < LONGEST_CHAIN) {
    const next = waiting.shift();
    if (seen.has(next)) continue;
    seen.add(next);
    chain.push(toThrown(next));
    const cause = read(next, 'cause');
    if (cause !== undefined && cause !== null) waiting.push(cause);
    waiting.push(...elements(read(next, 'errors')));
  }
  return chain;
}

function toThrown(thrown: unknown): Thrown {
  if (!isObject(thrown)) return { name: '', message: primitiveText(thrown), codes: [], numbers: [], retryable: false };
  const found = CODE_PLACES.map((place) => place.reduce(read, thrown));
  const numbers = found.map((value) => (typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value));
  return {
    name: word(read(thrown, 'name')),
    message: textOf(read(thrown, 'message')),
    codes: found.map(word).filter((value) => value !== ''),
    numbers: numbers.filter((value) => typeof value === 'number'),
    retryable: [read(thrown, 'retryable'), read(read(thrown, 'data'), 'retryable')].includes(true) || isObject(read(thrown, '$retryable')),
  };
}

/** A property; undefined where reading it throws. */
function read(value: unknown, key: string): unknown {
  if (!isObject(value)) return undefined;
  try {
    return Reflect.get(value, key);
  } catch {
    return undefined;
  }
}

function elements(value: unknown): unknown[] {
  try {
    return Array.isArray(value) ? value.slice(0, LONGEST_CHAIN) : [];
  } catch {
    return [];
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** A name or a code. A longer text is omitted entirely, since a part of it could be part of a secret. */
function word(value: unknown): string {
  return typeof value === 'string' && value.length <= LONGEST_CODE ? value : '';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, LONGEST_MESSAGE) : '';
}

function primitiveText(thrown: unknown): string {
  if (typeof thrown === 'string') return textOf(thrown);
  if (typeof thrown === 'symbol') return textOf(thrown.description);
  return thrown === undefined || thrown === null ? `The reader threw ${thrown}.` : String(thrown);
}
