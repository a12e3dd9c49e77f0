/** Authentication of HTTP callers: configured tokens and JWTs of an authorization server. */
import { hash } from 'node:crypto';
import { type AuthInfo, getOAuthProtectedResourceMetadataUrl, type OAuthProtectedResourceMetadata } from '@modelcontextprotocol/server';
import type { Log } from '../../../log.js';
import type { Caller } from '../../../sources/resource.js';
import type { HttpAccess, OAuthOptions, TokenEntry } from '../options.js';
import { jwtVerifier } from './oauth.js';

export type AuthOptions = Pick<HttpAccess, 'tokens' | 'oauth'>;

export interface Authenticated {
  readonly ok: true;
  readonly caller: Caller;
  /** As sources and the SDK know it. Its token is never logged. */
  readonly authInfo: AuthInfo;
}

export interface AuthFailure {
  readonly ok: false;
  readonly status: 401 | 503;
  /** The error code for `WWW-Authenticate`; absent when no credentials were sent. */
  readonly error?: string;
  readonly message: string;
}

export interface Authenticator {
  /** Takes the value of the `Authorization` header. */
  authenticate(authorization: string | undefined): Promise<Authenticated | AuthFailure> | Authenticated | AuthFailure;
  close(): void;
}

const MAX_HEADER_LENGTH = 16 * 1024;
const BEARER = /^bearer +([\w.~+/-]+=*)$/i;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Whether callers have to authenticate. */
export function isProtected({ tokens = [], oauth }: AuthOptions): boolean {
  return tokens.length > 0 || oauth !== undefined;
}

/** Throws when the options are not safe. */
export function createAuthenticator({ tokens = [], oauth }: AuthOptions, log: Log): Authenticator {
  // Looked up by digest, so that timing reveals nothing about the configured tokens.
  const byDigest = new Map(tokens.map((entry) => [entry.sha256.toLowerCase(), entry]));
  const verifier = oauth === undefined ? undefined : jwtVerifier(oauth, log);
  return {
    authenticate(authorization = '') {
      if (authorization === '') return failure(undefined, 'Authentication required. Send the header "Authorization: Bearer TOKEN".');
      const token = authorization.length > MAX_HEADER_LENGTH ? undefined : BEARER.exec(authorization)?.[1];
      if (token === undefined) return failure('invalid_request', 'Invalid Authorization header. Use "Authorization: Bearer TOKEN".');
      const digest = hash('sha256', token);
      const entry = byDigest.get(digest);
      if (entry !== undefined)
        return hasExpired(entry) ? failure('invalid_token', expiryMessage(entry)) : authenticated(entry, digest, token);
      if (verifier !== undefined && JWT.test(token)) return verifier.verify(token, digest);
      return failure('invalid_token', 'Unknown token.');
    },
    close: () => verifier?.close(),
  };
}

function authenticated({ name, roles = [], expires }: TokenEntry, digest: string, token: string): Authenticated {
  const expiresAt = expires === undefined ? {} : { expiresAt: Math.floor(Date.parse(expires) / 1000) };
  return {
    ok: true,
    caller: { id: `token ${digest}`, name, roles, admin: roles.includes('admin') },
    authInfo: { token, clientId: name, scopes: [...roles], ...expiresAt },
  };
}

/** A time that cannot be read counts as past. */
export function hasExpired({ expires }: TokenEntry): boolean {
  return expires !== undefined && !(Date.now() < Date.parse(expires));
}

function expiryMessage({ expires = '' }: TokenEntry): string {
  return `The token expired on ${expires.slice(0, 10)}. Ask the operator of this server for a new one.`;
}

function failure(error: string | undefined, message: string): AuthFailure {
  return { ok: false, status: 401, error, message };
}

/** The value of `WWW-Authenticate` (RFC 6750, RFC 9728). `metadataUrl`: where `protectedResourceMetadata` is served. */
export function challengeHeader({ error, message }: AuthFailure, metadataUrl?: string): string {
  const parameters = [['realm', 'footbridge']];
  // RFC 6750 forbids quotes and backslashes in a description, even escaped.
  if (error !== undefined) parameters.push(['error', error], ['error_description', message.replaceAll('"', "'").replaceAll('\\', '/')]);
  if (metadataUrl !== undefined) parameters.push(['resource_metadata', metadataUrl]);
  return `Bearer ${parameters.map(([name, value = '']) => `${name}="${quoted(value)}"`).join(', ')}`;
}

/** The metadata of `resource`, the URL of the MCP endpoint (RFC 9728). */
export function protectedResourceMetadata(resource: string, { issuer }: OAuthOptions): OAuthProtectedResourceMetadata {
  return { resource, authorization_servers: [issuer], bearer_methods_supported: ['header'], resource_name: 'Footbridge' };
}

/** The path where clients look for the metadata of the resource at `resourcePath`. */
export function metadataPath(resourcePath: string): string {
  return new URL(getOAuthProtectedResourceMetadataUrl(new URL(resourcePath, 'http://localhost'))).pathname;
}

function quoted(value: string): string {
  return value.replace(/[^\x20-\x7e]/g, '?').replace(/[\\"]/g, '\\$&');
}
