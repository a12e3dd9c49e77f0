/** Verification of JWTs of an authorization server. */
import {
  createLocalJWKSet,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose';
import { echo, reasonOf } from '../../../errors.js';
import { type Fields, isFields, ownField } from '../../../json.js';
import type { Log } from '../../../log.js';
import { outgoingFetch } from '../../../outgoing/fetch.js';
import type { Caller } from '../../../sources/resource.js';
import { isLoopback } from '../addresses.js';
import { JWT_ALGORITHMS, type OAuthOptions } from '../options.js';
import type { Authenticated, AuthFailure } from './index.js';

const ALGORITHMS: readonly string[] = JWT_ALGORITHMS;
const TYPES = ['jwt', 'at+jwt', 'application/jwt', 'application/at+jwt'];
const CLOCK_TOLERANCE_SECONDS = 5;
const MAX_CACHED = 10_000;
const CACHE_MS = 60_000;

export interface JwtVerifier {
  /** Synchronous for a token verified within the last minute. */
  verify(token: string, digest: string): Authenticated | Promise<Authenticated | AuthFailure>;
  close(): void;
}

interface Verified {
  readonly caller: Caller;
  readonly subject: string;
  readonly expiresAt: number;
  /** When it has to be verified again, in milliseconds. */
  readonly until: number;
}

/** Throws when the options are not safe. */
export function jwtVerifier(options: OAuthOptions, log: Log): JwtVerifier {
  const { issuer, rolesClaim = 'roles' } = options;
  const accepted: JWTVerifyOptions = {
    issuer,
    audience: [options.audience].flat(),
    algorithms: safeAlgorithms(options.algorithms),
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
  };
  const keys = issuerKeys(options, log);
  /** By digest of the token, oldest first. */
  const cache = new Map<string, Verified>();

  const authenticated = (token: string, { caller, subject, expiresAt }: Verified): Authenticated => ({
    ok: true,
    caller,
    authInfo: { token, clientId: caller.name, scopes: [...caller.roles], expiresAt, extra: { subject, issuer } },
  });

  const verifyNow = async (token: string, digest: string): Promise<Authenticated | AuthFailure> => {
    try {
      const { payload, protectedHeader } = await verifySignature(token, keys.find, accepted);
      if (!TYPES.includes(protectedHeader.typ?.toLowerCase() ?? 'jwt')) return failure('The token is not an access token.');
      const subject = subjectOf(payload, issuer, rolesClaim);
      if (subject === undefined) return failure('The token has no "sub" claim.');
      const { exp: expiresAt = 0 } = payload;
      const verified = { ...subject, expiresAt, until: Math.min(Date.now() + CACHE_MS, expiresAt * 1000) };
      const [oldest] = cache.size >= MAX_CACHED ? cache.keys() : [];
      if (oldest !== undefined) cache.delete(oldest);
      cache.set(digest, verified);
      return authenticated(token, verified);
    } catch (error) {
      if (error instanceof KeysUnavailable) {
        const message = 'The token cannot be verified: the authorization server is unreachable. Try again later.';
        return { ok: false, status: 503, error: 'temporarily_unavailable', message };
      }
      return failure(reasonFor(error));
    }
  };

  return {
    verify(token, digest) {
      const verified = cache.get(digest);
      if (verified !== undefined && Date.now() < verified.until) return authenticated(token, verified);
      cache.delete(digest);
      return verifyNow(token, digest);
    },
    close() {
      keys.close();
      cache.clear();
    },
  };
}

function safeAlgorithms(wanted: readonly string[] = ALGORITHMS): string[] {
  const unsafe = wanted.find((algorithm) => !ALGORITHMS.includes(algorithm));
  if (unsafe !== undefined) throw new Error(`http.oauth.algorithms: ${unsafe} is not supported. Use one of ${ALGORITHMS.join(', ')}.`);
  return [...wanted];
}

/** A token without a key ID is tried with every matching key. */
async function verifySignature(token: string, find: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, find, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options);
      } catch (mismatch) {
        if (!(mismatch instanceof errors.JWSSignatureVerificationFailed)) throw mismatch;
      }
    }
    throw error;
  }
}

/** Names claims, never their values. */
function reasonFor(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired. Sign in again.';
  if (!(error instanceof errors.JWTClaimValidationFailed)) return 'The token is malformed or its signature is not valid.';
  if (error.reason === 'missing') return `The token has no "${error.claim}" claim.`;
  return error.claim === 'nbf' ? 'The token is not valid yet.' : `The token's "${error.claim}" claim is not accepted.`;
}

function failure(message: string): AuthFailure {
  return { ok: false, status: 401, error: 'invalid_token', message };
}

/** Undefined for a token that names neither a person nor a client. */
function subjectOf(claims: JWTPayload, issuer: string, rolesClaim: string): Pick<Verified, 'caller' | 'subject'> | undefined {
  const person = textClaim(claims.sub);
  const subject = person ?? textClaim(claims['client_id']) ?? textClaim(claims['azp']);
  if (subject === undefined) return undefined;
  const name = textClaim(claims['preferred_username']) ?? textClaim(claims['name']) ?? subject;
  const roles = [...new Set([...rolesOf(claims, rolesClaim), ...words(claims['scope']), ...words(claims['scp'])])];
  // A person and a client with the same name are different callers.
  const id = `${person === undefined ? 'jwt-client' : 'jwt'} ${issuer} ${subject}`;
  return { subject, caller: { id, name: echo(name), roles, admin: roles.includes('admin') } };
}

/** `path` is tried as a whole first: claims that are URLs have dots in their names. */
function rolesOf(claims: Fields, path: string): string[] {
  const value =
    ownField(claims, path) ??
    path.split('.').reduce<unknown>((inner, name) => (isFields(inner) ? ownField(inner, name) : undefined), claims);
  return typeof value === 'string' ? [value] : strings(value);
}

function words(value: unknown): string[] {
  return typeof value === 'string' ? value.split(' ').filter((word) => word !== '') : strings(value);
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function textClaim(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** The minimum time between two fetches, successful or not. */
const FETCH_INTERVAL_MS = 10_000;
/** Includes the discovery of their address. */
const FETCH_TIMEOUT_MS = 5000;
/** Older keys are fetched again before they are used. */
const FRESH_MS = 10 * 60_000;
const MAX_DOCUMENT_BYTES = 1024 * 1024;

/** The keys cannot be fetched, so a token can be neither accepted nor rejected. */
class KeysUnavailable extends Error {}

/**
 * The signing keys of an issuer: fetched for the first token and when a token has an unknown key; known keys keep working when that
 * fails. `find` throws `KeysUnavailable` when the key is unknown and cannot be fetched. Throws for an invalid URL.
 */
function issuerKeys(options: OAuthOptions, log: Log): { readonly find: JWTVerifyGetKey; close(): void } {
  checkAddress(options.jwksUri ?? options.issuer, log);
  const closing = new AbortController();
  let known: JWTVerifyGetKey | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let pending: Promise<void> | undefined;

  const fetchKeys = async () => {
    triedAt = Date.now();
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]);
    try {
      const url = options.jwksUri === undefined ? await discoverKeys(options.issuer, signal) : new URL(options.jwksUri);
      const { keys } = await fetchDocument(url, signal);
      // jose validates each key when it is used.
      if (!Array.isArray(keys)) throw new Error('not a JSON Web Key Set');
      known = createLocalJWKSet({ keys });
      fetchedAt = Date.now();
    } catch (error) {
      if (!closing.signal.aborted) log.warn(`Cannot fetch the keys of ${options.issuer}: ${reasonOf(error)}`);
    } finally {
      pending = undefined;
    }
  };
  const refresh = async () => {
    if (pending === undefined && Date.now() >= triedAt + FETCH_INTERVAL_MS) pending = fetchKeys();
    await pending;
  };

  return {
    async find(header, token) {
      if (Date.now() >= fetchedAt + FRESH_MS) await refresh();
      if (known === undefined) throw new KeysUnavailable();
      try {
        return await known(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        await refresh();
        if (fetchedAt < triedAt) throw new KeysUnavailable();
        return known(header, token);
      }
    },
    close: () => closing.abort(),
  };
}

function checkAddress(address: string, log: Log): void {
  if (!URL.canParse(address)) throw new Error(`http.oauth: invalid URL ${echo(address)}.`);
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:' || isLoopback(hostname)) return;
  log.warn(`http.oauth: the keys are fetched from ${address} without TLS, so they can be replaced in transit. Use https.`);
}

async function discoverKeys(issuer: string, signal: AbortSignal): Promise<URL> {
  const { origin, pathname, protocol } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const failures: string[] = [];
  // RFC 8414 puts its well-known name before the issuer's path, OpenID Connect after it.
  for (const name of [`/.well-known/oauth-authorization-server${path}`, `${path}/.well-known/openid-configuration`]) {
    try {
      const metadata = await fetchDocument(new URL(`${origin}${name}`), signal);
      // Otherwise one tenant of a shared host could act as the issuer of another.
      if (metadata['issuer'] !== issuer) throw new Error('the metadata belongs to another issuer');
      const { jwks_uri: address } = metadata;
      if (typeof address !== 'string' || !URL.canParse(address)) throw new Error('the metadata has no valid jwks_uri');
      const url = new URL(address);
      if (url.protocol !== 'https:' && url.protocol !== protocol) throw new Error('the jwks_uri is not https');
      return url;
    } catch (error) {
      failures.push(reasonOf(error));
    }
  }
  throw new Error(failures.join('; '));
}

/** Fetches a JSON object without following redirects. */
async function fetchDocument(url: URL, signal: AbortSignal): Promise<Fields> {
  try {
    const response = await outgoingFetch(url, {
      headers: { accept: 'application/json, application/jwk-set+json' },
      signal,
      longestBody: MAX_DOCUMENT_BYTES,
    });
    if (response.status >= 300 && response.status < 400) throw new Error(`it redirects (HTTP ${response.status}), which is not followed`);
    if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
    const document: unknown = await response.json();
    if (!isFields(document)) throw new Error('not a JSON object');
    return document;
  } catch (error) {
    throw new Error(`${url.href}: ${reasonOf(error)}`);
  }
}
