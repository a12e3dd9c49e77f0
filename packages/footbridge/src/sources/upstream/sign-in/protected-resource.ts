/** How a server describes its sign-in: its challenge, and the metadata that it publishes (RFC 9728). */
import {
  checkResourceAllowed,
  computeScopeUnion,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  type FetchLike,
  type OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/client';
import { echo } from '../../../errors.js';
import type { HttpChallenge } from '../transports/http-headers.js';
import { fetchFor, isOnPrivateNetwork } from './guarded-fetch.js';
import { SignInError } from './sign-in-error.js';

const LONGEST_CHALLENGE = 8192;

export function challengeParams(challenge: HttpChallenge | undefined) {
  const header = challenge?.header?.slice(0, LONGEST_CHALLENGE) ?? '';
  // Other schemes, such as Negotiate, may precede it, and the SDK only parses the first.
  const own = Math.max(0, header.search(/(?:bearer|dpop) /i));
  const headers = new Headers({ 'www-authenticate': header.slice(own) });
  return extractWWWAuthenticateParams(new Response(null, { headers }));
}

/** A scope that a login lacks. */
export interface MissingScope {
  /** Undefined where the server does not name it. */
  readonly scope: string | undefined;
}

/** Undefined where a challenge is about anything else. */
export function missingScope(challenge: HttpChallenge | undefined): MissingScope | undefined {
  const { error, scope } = challengeParams(challenge);
  return challenge?.status === 403 && error === 'insufficient_scope' ? { scope } : undefined;
}

export function scopeUnion(...scopes: (string | undefined)[]): string | undefined {
  return computeScopeUnion(...scopes);
}

/** Whether each scope of `wanted` is among those of `given`. */
export function hasScope(given: string | undefined, wanted: string | undefined): boolean {
  return scopeUnion(given, wanted) === scopeUnion(given);
}

/** Undefined for a server that publishes none. Throws a `SignInError` where it cannot be used. */
export async function resourceMetadata(
  url: URL,
  metadataUrl: URL | undefined,
  fetch: FetchLike,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  let last: Response | undefined;
  const observed: FetchLike = async (target, init) => {
    last = await fetch(target, init);
    return last;
  };
  let found: OAuthProtectedResourceMetadata;
  try {
    const options = metadataUrl === undefined ? {} : { resourceMetadataUrl: metadataUrl };
    found = await discoverOAuthProtectedResourceMetadata(url, options, observed);
  } catch (cause) {
    if (cause instanceof SignInError) throw cause;
    // Servers of 2025-03-26 have none: they are their own authorization server.
    if (metadataUrl === undefined && isNothing(last)) return undefined;
    const status = last === undefined || last.ok ? '' : ` (HTTP ${last.status})`;
    throw new SignInError(`The metadata for its sign-in at ${(metadataUrl ?? url).host} cannot be used${status}.`, {
      retryable: (last?.status ?? 0) >= 500,
    });
  }
  if (!checkResourceAllowed({ requestedResource: url, configuredResource: found.resource }))
    throw new SignInError(`Its metadata is for another server (${echo(found.resource)}), so a token would not be meant for this one.`);
  return found;
}

/** Whether a server that accepts requests without a login publishes where to sign in. */
export async function publishesSignIn(url: URL): Promise<boolean> {
  try {
    const found = await resourceMetadata(url, undefined, fetchFor(await isOnPrivateNetwork(url)));
    return (found?.authorization_servers?.length ?? 0) > 0;
  } catch (cause) {
    // The server works without a sign-in.
    if (cause instanceof SignInError) return false;
    throw cause;
  }
}

/** Not found, or the page or redirect that web applications return for unknown paths. */
function isNothing(response: Response | undefined): boolean {
  if (response === undefined) return false;
  if (response.ok) return /\bhtml\b/i.test(response.headers.get('content-type') ?? '');
  return response.status >= 300 && response.status < 500;
}
