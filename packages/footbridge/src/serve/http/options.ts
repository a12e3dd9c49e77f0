/** The `http` part of the configuration. */
import type { Roles } from '../caller-views.js';

export interface TokenEntry {
  readonly name: string;
  /** Hexadecimal SHA-256 of the token. */
  readonly sha256: string;
  /** The role `admin` grants access to resources with `requiresAdmin`. */
  readonly roles?: readonly string[];
  /** An ISO 8601 time with an offset, after which the token is refused. */
  readonly expires?: string;
}

/** Asymmetric only: the key that verifies a token cannot create one. */
export const JWT_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

/** An authorization server whose JWTs are accepted. */
export interface OAuthOptions {
  readonly issuer: string;
  /** The required audience of tokens. */
  readonly audience: string | readonly string[];
  /** The URL of the keys. Default: from the issuer's metadata. */
  readonly jwksUri?: string;
  /** The claim with the roles; dots reach into nested claims. Scopes count as roles too. Default: `roles`. */
  readonly rolesClaim?: string;
  /** Accepted signature algorithms. Default: all of `JWT_ALGORITHMS`. */
  readonly algorithms?: readonly string[];
}

export interface HttpLimits {
  /** Tool calls, reads, prompts and completions per caller; lists have ten times this limit. */
  readonly callsPerMinute: number;
  readonly burst: number;
  /** Concurrent calls per caller. */
  readonly concurrent: number;
  readonly bodyBytes: number;
  /** Sessions of the 2025 revisions, for all callers together. */
  readonly sessions: number;
  /** Subscribed resources per connection, and open change streams. */
  readonly subscriptions: number;
}

export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  callsPerMinute: 600,
  burst: 100,
  concurrent: 64,
  bodyBytes: 4 * 1024 * 1024,
  sessions: 1000,
  subscriptions: 1024,
};

export interface HttpAccess {
  readonly tokens?: readonly TokenEntry[];
  readonly oauth?: OAuthOptions;
  /** Without roles every caller sees everything except admin content. */
  readonly roles?: Roles;
  readonly limits?: Partial<HttpLimits>;
  /** The URL that hosts use, if a proxy stands in front. */
  readonly publicUrl?: string;
  /** Allowed host names besides IP addresses, `localhost` and that of `publicUrl`. */
  readonly hosts?: readonly string[];
  /** Allowed origins of web pages besides the server's own and those on this machine. */
  readonly origins?: readonly string[];
}
