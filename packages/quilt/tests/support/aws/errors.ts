/** AWS errors, and their wire format for each protocol. */
import { actionOf, type Operation, type Service } from './operations.js';
import { escaped, type Reply, XML } from './replies.js';
import type { Principal } from './world.js';

export class Refusal extends Error {
  constructor(
    readonly code: string,
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

type Cause =
  | 'no signature'
  | 'unknown key'
  | 'wrong token'
  | 'expired token'
  | 'wrong signature'
  | 'denied'
  | 'throttled'
  | 'broken'
  | 'unknown operation';

const MISMATCH = 'The request signature we calculated does not match the signature you provided. Check your key and signing method.';
const INVALID = 'The security token included in the request is invalid';
const EXPIRED = 'The security token included in the request is expired';

const S3: Record<Cause, readonly [string, number, string]> = {
  'no signature': ['AccessDenied', 403, 'Access Denied'],
  'unknown key': ['InvalidAccessKeyId', 403, 'The AWS Access Key Id you provided does not exist in our records.'],
  'wrong token': ['InvalidToken', 400, 'The provided token is malformed or otherwise invalid.'],
  'expired token': ['ExpiredToken', 400, 'The provided token has expired.'],
  'wrong signature': ['SignatureDoesNotMatch', 403, MISMATCH],
  denied: ['AccessDenied', 403, 'Access Denied'],
  throttled: ['SlowDown', 503, 'Please reduce your request rate.'],
  broken: ['InternalError', 500, 'We encountered an internal error. Please try again.'],
  'unknown operation': ['NotImplemented', 501, 'A header or query you provided implies functionality that is not implemented.'],
};

const STS: Record<Cause, readonly [string, number, string]> = {
  'no signature': ['MissingAuthenticationToken', 403, 'Request is missing Authentication Token'],
  'unknown key': ['InvalidClientTokenId', 403, INVALID],
  'wrong token': ['InvalidClientTokenId', 403, INVALID],
  'expired token': ['ExpiredToken', 403, EXPIRED],
  'wrong signature': ['SignatureDoesNotMatch', 403, MISMATCH],
  denied: ['AccessDenied', 403, 'Access Denied'],
  throttled: ['Throttling', 400, 'Rate exceeded'],
  broken: ['InternalFailure', 500, 'The request processing has failed because of an unknown error.'],
  'unknown operation': ['InvalidAction', 400, 'Could not find operation'],
};

const JSON_SERVICES: Record<Cause, readonly [string, number, string]> = {
  'no signature': ['MissingAuthenticationTokenException', 400, 'Missing Authentication Token'],
  'unknown key': ['UnrecognizedClientException', 400, INVALID],
  'wrong token': ['UnrecognizedClientException', 400, INVALID],
  'expired token': ['ExpiredTokenException', 400, EXPIRED],
  'wrong signature': ['InvalidSignatureException', 400, MISMATCH],
  denied: ['AccessDeniedException', 400, 'Access Denied'],
  throttled: ['ThrottlingException', 400, 'Rate exceeded'],
  broken: ['InternalServerException', 500, 'Internal server error'],
  'unknown operation': ['UnknownOperationException', 400, 'Unknown operation'],
};

const BY_SERVICE = { s3: S3, sts: STS, athena: JSON_SERVICES, glue: JSON_SERVICES } as const;

export function refusal(service: Service, cause: Cause): Refusal {
  const [code, status, message] = BY_SERVICE[service][cause];
  return new Refusal(code, status, message);
}

/** The message of IAM, with principal, action and resource. */
export function denial(service: Service, operation: Operation, principal: Principal, resource?: string): Refusal {
  const [code, status] = BY_SERVICE[service].denied;
  const action = actionOf(operation);
  const where = resource === undefined ? '' : ` on resource: ${resource}`;
  const why = `because no identity-based policy allows the ${action} action`;
  return new Refusal(code, status, `User: ${principal.arn} is not authorized to perform: ${action}${where} ${why}`);
}

export function replyTo(service: Service, { code, status, message, headers }: Refusal): Reply {
  const requestId = crypto.randomUUID();
  const said = `<Code>${escaped(code)}</Code><Message>${escaped(message)}</Message>`;
  if (service === 's3') {
    const body = `${XML}<Error>${said}<RequestId>${requestId}</RequestId><HostId>loopback</HostId></Error>`;
    return { status, headers: { 'Content-Type': 'application/xml', 'x-amz-request-id': requestId, ...headers }, body };
  }
  if (service === 'sts') {
    const type = status < 500 ? 'Sender' : 'Receiver';
    const error = `<Error><Type>${type}</Type>${said}</Error><RequestId>${requestId}</RequestId>`;
    const body = `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">${error}</ErrorResponse>`;
    return { status, headers: { 'Content-Type': 'text/xml', 'x-amzn-RequestId': requestId, ...headers }, body };
  }
  return {
    status,
    headers: { 'Content-Type': 'application/x-amz-json-1.1', 'x-amzn-ErrorType': code, 'x-amzn-RequestId': requestId, ...headers },
    body: JSON.stringify({ __type: code, Message: message }),
  };
}
