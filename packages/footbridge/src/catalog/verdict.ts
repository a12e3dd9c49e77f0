/** What a failure's cause says about it: that the caller may not, that it may pass, or that it will not. */
import type { Link } from './links.js';

export type Verdict = 'expired' | 'unauthorized' | 'transient' | 'permanent';

const EXPIRED = /^(?:ExpiredToken|TokenExpired|EXPIRED_TOKEN|TOKEN_EXPIRED)/;
const UNAUTHORIZED =
  /^(?:AccessDenied|ACCESS_DENIED|Unauthori[sz]ed|UNAUTHORI[SZ]ED|Unauthenticated|UNAUTHENTICATED|Forbidden|FORBIDDEN|NotAuthorized|PermissionDenied|PERMISSION_DENIED|InvalidClientTokenId|InvalidAccessKeyId|UnrecognizedClient|SignatureDoesNotMatch|InvalidSignatureException)/;
const TRANSIENT =
  /^(?:ECONNRESET|ECONNREFUSED|ECONNABORTED|ENOTFOUND|EAI_AGAIN|E(?:SOCKET)?TIMEDOUT|EPIPE|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|UND_ERR_(?!INVALID_ARG|NOT_SUPPORTED)|Throttl|TooManyRequests|TOO_MANY_REQUESTS|SlowDown|RequestLimitExceeded|RequestThrottled|LimitExceededException$|ProvisionedThroughputExceeded|RateLimit|RATE_LIMIT|RESOURCE_EXHAUSTED|TimeoutError|Timeout$|TIMEOUT$|RequestTimeout|DEADLINE_EXCEEDED|GATEWAY_TIMEOUT|ServiceUnavailable|SERVICE_UNAVAILABLE|UNAVAILABLE|InternalServerError|INTERNAL_SERVER_ERROR|InternalFailure|BAD_GATEWAY)/;
const PERMANENT =
  /^(?:ENOENT|EACCES|EPERM|ENOTDIR|EISDIR|EINVAL|EMFILE|ERR_|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|CredentialsProviderError|TypeError|ReferenceError|SyntaxError|RangeError|EvalError|URIError|AssertionError|ZodError|ValidationException|NOT_FOUND|NotFound|NoSuch|BAD_REQUEST)/;

/** Messages without a code of their own. A certificate that is wrong also says `fetch failed`, so it counts last. */
const DROPPED = /^(?:fetch failed|failed to fetch|terminated|socket hang up|other side closed|network error|connection closed)\b/i;

/** Anywhere in a message that came without a code, as over a wire. */
const PASSING =
  /\b(?:ECONNRESET|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|too many requests|rate limit(?:ed)?|throttled|throttling|timed out|temporarily unavailable|service unavailable|bad gateway|gateway time-?out)\b/i;

const UNAUTHORIZED_STATUS = new Set([401, 403]);
/** The last is what an MCP client says when its request timed out. */
const TRANSIENT_NUMBERS = new Set([408, 425, 429, 500, 502, 503, 504, -32001]);

/** What the outermost error says that says anything. */
export function judge(links: readonly Link[]): Verdict | undefined {
  for (const link of links) {
    const verdict = judgeOne(link);
    if (verdict !== undefined) return verdict;
  }
  return links.some((link) => isDropped(link) || PASSING.test(link.message)) ? 'transient' : undefined;
}

function judgeOne(link: Link): Verdict | undefined {
  const names = [...link.codes, link.name, ...leadingName(link.message)].map((name) => name.slice(name.lastIndexOf('#') + 1));
  const numbers = [...link.numbers, ...statusIn(link.message)];
  const says = (pattern: RegExp) => names.some((name) => pattern.test(name));
  if (says(EXPIRED)) return 'expired';
  if (says(UNAUTHORIZED) || numbers.some((number) => UNAUTHORIZED_STATUS.has(number))) return 'unauthorized';
  if (says(TRANSIENT) || numbers.some((number) => TRANSIENT_NUMBERS.has(number))) return 'transient';
  if (isDropped(link)) return undefined;
  return says(PERMANENT) || numbers.some((number) => number >= 400 && number < 600) ? 'permanent' : undefined;
}

function isDropped(link: Link): boolean {
  return DROPPED.test(link.message);
}

/** `AccessDenied` of `AccessDenied: User is not…`; a first word that only begins a sentence is no name. */
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
