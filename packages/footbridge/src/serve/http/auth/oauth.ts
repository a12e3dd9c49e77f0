/** Signing in with a JWT of an authorization server. */
import { errors, type JWTVerifyGetKey, type JWTVerifyOptions, type JWTVerifyResult, jwtVerify } from 'jose';
import type { Log } from '../../../log.js';
import { JWT_ALGORITHMS, type OAuthOptions } from '../options.js';
import type { Refused, SignedIn } from './authenticator.js';
import { type Subject, subjectOf } from './claims.js';
import { issuerKeys, KeysUnavailable } from './keys.js';

const ALGORITHMS: readonly string[] = JWT_ALGORITHMS;
const TYPES = ['jwt', 'at+jwt', 'application/jwt', 'application/at+jwt'];
const CLOCK_TOLERANCE_SECONDS = 5;
const KEPT_TOKENS = 10_000;
const KEPT_MS = 60_000;

export interface JwtVerifier {
  /** Answers at once for a token that was verified a moment ago. */
  verify(token: string, digest: string): SignedIn | Promise<SignedIn | Refused>;
  close(): void;
}

interface Verified extends Subject {
  readonly expiresAt: number;
  /** When it has to be verified again, in milliseconds. */
  readonly until: number;
}

/** Throws when the options ask for what is not safe. */
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
  /** By digest, oldest first; the tokens themselves are not kept. */
  const kept = new Map<string, Verified>();

  const signedIn = (token: string, { caller, subject, expiresAt }: Verified): SignedIn => ({
    ok: true,
    caller,
    authInfo: { token, clientId: caller.name, scopes: [...caller.roles], expiresAt, extra: { subject, issuer } },
  });

  const keep = (digest: string, verified: Verified) => {
    const [oldest] = kept.size >= KEPT_TOKENS ? kept.keys() : [];
    if (oldest !== undefined) kept.delete(oldest);
    kept.set(digest, verified);
  };

  const verifyAnew = async (token: string, digest: string): Promise<SignedIn | Refused> => {
    try {
      const { payload, protectedHeader } = await verifySignature(token, keys.find, accepted);
      if (!isAcceptedType(protectedHeader.typ)) return refused('The token is of a kind that gives no access.');
      const subject = subjectOf(payload, issuer, rolesClaim);
      if (subject === undefined) return refused('The token does not say whom it was issued to: it has no "sub".');
      const { exp: expiresAt = 0 } = payload;
      const verified = { ...subject, expiresAt, until: Math.min(Date.now() + KEPT_MS, expiresAt * 1000) };
      keep(digest, verified);
      return signedIn(token, verified);
    } catch (error) {
      if (error instanceof KeysUnavailable) {
        const message = 'The authorization server cannot be reached to check the token. Try again in a moment.';
        return { ok: false, status: 503, error: 'temporarily_unavailable', message };
      }
      return refused(reason(error));
    }
  };

  return {
    verify(token, digest) {
      const verified = kept.get(digest);
      if (verified !== undefined && Date.now() < verified.until) return signedIn(token, verified);
      kept.delete(digest);
      return verifyAnew(token, digest);
    },
    close() {
      keys.close();
      kept.clear();
    },
  };
}

function safeAlgorithms(wanted: readonly string[] = ALGORITHMS): string[] {
  const unsafe = wanted.find((algorithm) => !ALGORITHMS.includes(algorithm));
  if (unsafe !== undefined) throw new Error(`http.oauth.algorithms: ${unsafe} is not accepted. Choose from ${ALGORITHMS.join(', ')}.`);
  return [...wanted];
}

/** A token that names no key may be signed with any that fits. */
async function verifySignature(token: string, find: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, find, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      const result = await jwtVerify(token, key, options).catch(unlessOtherKey);
      if (result !== undefined) return result;
    }
    throw error;
  }
}

function unlessOtherKey(error: unknown): undefined {
  if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
}

function isAcceptedType(type: unknown): boolean {
  return type === undefined || (typeof type === 'string' && TYPES.includes(type.toLowerCase()));
}

/** Names claims, never what they hold. */
function reason(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired. Sign in again.';
  if (!(error instanceof errors.JWTClaimValidationFailed)) return 'The token is not signed in a way that this server accepts.';
  if (error.reason === 'missing') return `The token lacks the claim "${error.claim}".`;
  return error.claim === 'nbf' ? 'The token is not valid yet.' : `The token's claim "${error.claim}" is not the one this server accepts.`;
}

function refused(message: string): Refused {
  return { ok: false, status: 401, error: 'invalid_token', message };
}
