/** Verifies Signature Version 4 from the raw request, independently of the SDK. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A parsed Authorization header. */
export interface Authorization {
  readonly accessKeyId: string;
  readonly date: string;
  readonly region: string;
  readonly service: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

export interface SignedRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly payloadHash: string;
}

const SHAPE =
  /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/,]+)\/([^/,]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

export function parseAuthorization(header: string | undefined): Authorization | undefined {
  const found = SHAPE.exec(header ?? '');
  if (found === null) return undefined;
  const [, accessKeyId = '', date = '', region = '', service = '', signedHeaders = '', signature = ''] = found;
  return { accessKeyId, date, region, service, signedHeaders: signedHeaders.split(';'), signature };
}

export function isSignedWith(secret: string, authorization: Authorization, request: SignedRequest): boolean {
  const { date, region, service, signedHeaders, signature } = authorization;
  const time = headerValue(request.headers, 'x-amz-date');
  // Without these headers, a signature could be replayed.
  const mustSign = Object.keys(request.headers).filter((name) => name === 'host' || name.startsWith('x-amz-'));
  if (!time.startsWith(date) || mustSign.some((name) => !signedHeaders.includes(name))) return false;
  const scope = `${date}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical(request, signedHeaders))].join('\n');
  const key = [region, service, 'aws4_request'].reduce(hmac, hmac(`AWS4${secret}`, date));
  return timingSafeEqual(hmac(key, toSign), Buffer.from(signature, 'hex'));
}

export function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function canonical({ method, url, headers, payloadHash }: SignedRequest, signedHeaders: readonly string[]): string {
  const [path = '/', query = ''] = url.split('?', 2);
  const lines = signedHeaders.map((name) => `${name}:${headerValue(headers, name)}\n`);
  return [method, path, canonicalQuery(query), lines.join(''), signedHeaders.join(';'), payloadHash].join('\n');
}

/** Sorted by name, then by value. */
function canonicalQuery(query: string): string {
  const pairs = query.split('&').filter((pair) => pair !== '');
  return pairs
    .map((pair) => pair.split('=', 2))
    .map(([name = '', value = '']) => ({ name, value }))
    .sort((a, b) => compare(a.name, b.name) || compare(a.value, b.value))
    .map(({ name, value }) => `${name}=${value}`)
    .join('&');
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function headerValue(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name] ?? '';
  return (Array.isArray(value) ? value.join(',') : value).trim().replace(/ +/g, ' ');
}

function hmac(key: string | Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest();
}
