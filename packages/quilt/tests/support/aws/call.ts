/** One request: its service from the signature's scope, its operation from the target. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { bytesOf } from '../loopback.js';
import { Refusal, refusal } from './errors.js';
import { type Operation, operationNamed, placeOf, type S3Place, type Service, s3OperationOf } from './operations.js';
import { type Authorization, isSignedWith, parseAuthorization, sha256 } from './signature.js';
import type { Principal, World } from './world.js';

export interface Call {
  readonly service: Service;
  readonly operation: Operation | undefined;
  readonly method: string;
  readonly url: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly authorization: Authorization | undefined;
  readonly place: S3Place;
  /** Sends 100 Continue if the client waits for it. */
  readonly body: () => Promise<Buffer>;
}

/** For S3 the body is read only after authorization. */
export async function callOf(request: IncomingMessage, response: ServerResponse): Promise<Call> {
  const { method = '', url = '', headers } = request;
  const { pathname, searchParams: query } = new URL(url, 'http://loopback');
  const authorization = parseAuthorization(headers.authorization);
  const target = String(headers['x-amz-target'] ?? '');
  const service = serviceOf(authorization?.service, target, headers['content-type']);
  const place = placeOf(pathname);
  let read: Promise<Buffer> | undefined;
  const body = (): Promise<Buffer> => {
    if (read === undefined && headers.expect === '100-continue') response.writeContinue();
    read ??= bytesOf(request);
    return read;
  };
  const operation =
    service === 's3'
      ? s3OperationOf(method, place, query)
      : operationNamed(`${service}:${service === 'sts' ? new URLSearchParams(String(await body())).get('Action') : target.split('.')[1]}`);
  return { service, operation, method, url, query, headers, authorization, place, body };
}

/** The principal that signed the call, or the error. */
export async function identify({ service, authorization, method, url, headers, body }: Call, { principals }: World): Promise<Principal> {
  if (authorization === undefined) throw refusal(service, 'no signature');
  const principal = principals.find(({ accessKeyId }) => accessKeyId === authorization.accessKeyId);
  const token = headers['x-amz-security-token'];
  // A session key is invalid without its token.
  if (principal === undefined || (principal.sessionToken !== undefined && token === undefined)) throw refusal(service, 'unknown key');
  if (token !== principal.sessionToken) throw refusal(service, 'wrong token');
  if (principal.expired === true) throw refusal(service, 'expired token');
  const payloadHash = service === 's3' ? String(headers['x-amz-content-sha256'] ?? '') : sha256(await body());
  if (!isSignedWith(principal.secretAccessKey, authorization, { method, url, headers, payloadHash })) {
    throw refusal(service, 'wrong signature');
  }
  return principal;
}

/** The bytes to store, after checking digests and length. */
export async function contentOf({ headers, body }: Call, checksMd5 = true): Promise<Buffer> {
  const sent = await body();
  const promised = String(headers['x-amz-content-sha256'] ?? '');
  if (/^[0-9a-f]{64}$/.test(promised) && promised !== sha256(sent)) {
    throw new Refusal('XAmzContentSHA256Mismatch', 400, "The provided 'x-amz-content-sha256' header does not match what was computed.");
  }
  const content = headers['content-encoding']?.includes('aws-chunked') === true ? withoutChunks(sent) : sent;
  const md5 = headers['content-md5'];
  if (md5 === undefined || !checksMd5) return content;
  const wanted = Buffer.from(String(md5), 'base64');
  if (wanted.length !== 16) throw new Refusal('InvalidDigest', 400, 'The Content-MD5 you specified was invalid.');
  if (!wanted.equals(createHash('md5').update(content).digest())) {
    throw new Refusal('BadDigest', 400, 'The Content-MD5 you specified did not match what we received.');
  }
  return content;
}

function serviceOf(scope: string | undefined, target: string, contentType = ''): Service {
  if (scope === 's3' || scope === 'sts' || scope === 'athena' || scope === 'glue') return scope;
  if (target.startsWith('AmazonAthena.')) return 'athena';
  if (target.startsWith('AWSGlue.')) return 'glue';
  return contentType.startsWith('application/x-www-form-urlencoded') ? 'sts' : 's3';
}

/** Decodes aws-chunked encoding. */
function withoutChunks(sent: Buffer): Buffer {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const end = sent.indexOf('\r\n', at);
    const length = Number.parseInt(sent.toString('latin1', at, end), 16);
    if (end < 0 || !(length > 0)) return Buffer.concat(chunks);
    chunks.push(sent.subarray(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
}
