/** How a team's server is set up: the part `http` of the configuration. */

import type { Roles } from '../audiences.js';

/** Somebody who signs in with a token that was handed to them. */
export interface TokenEntry {
  readonly name: string;
  /** Hexadecimal SHA-256 of the token, so that the configuration holds no secret. */
  readonly sha256: string;
  /** `admin` is the one that opens resources with `requiresAdmin`. */
  readonly roles?: readonly string[];
}

/** Signed with a private key, so that whoever can check a token cannot make one. */
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

/** The authorization server whose JWTs are accepted. */
export interface OAuthOptions {
  readonly issuer: string;
  /** What a token must be meant for. */
  readonly audience: string | readonly string[];
  /** Where the keys are. Default: as the issuer's own metadata says. */
  readonly jwksUri?: string;
  /** The claim that lists roles, dotted where it lies deeper. Scopes count as roles too. Default `roles`. */
  readonly rolesClaim?: string;
  /** Signature algorithms that are accepted. Default: all of `JWT_ALGORITHMS`. */
  readonly algorithms?: readonly string[];
}

/** Bounds on what one caller, and all of them, may ask for. */
export interface HttpLimits {
  /** Tool calls, reads, prompts and completion of one caller; lists have ten times as much. */
  readonly callsPerMinute: number;
  /** How many of them may come at once. */
  readonly burst: number;
  /** Calls of one caller that run side by side. */
  readonly concurrent: number;
  readonly bodyBytes: number;
  /** Sessions of the older revisions, over all callers. */
  readonly sessions: number;
  /** Resources that one connection may watch, and streams of changes that may be open. */
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

/** Who may connect over HTTP, what they see, and how much they may ask for. */
export interface HttpAccess {
  readonly tokens?: readonly TokenEntry[];
  readonly oauth?: OAuthOptions;
  /** Without it everybody sees everything but admin content. */
  readonly roles?: Roles;
  readonly limits?: Partial<HttpLimits>;
  /** The address that hosts use, where it differs from the one listened on, as behind a proxy. */
  readonly publicUrl?: string;
  /** Host names that requests may be addressed to, beside IP addresses, `localhost` and that of `publicUrl`. */
  readonly hosts?: readonly string[];
  /** Origins of web pages that may connect, beside our own and those on this machine. */
  readonly origins?: readonly string[];
}
