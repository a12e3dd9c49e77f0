/** From a server to its authorization server, and the request that a browser opens there. */
import {
  type AuthorizationServerMetadata,
  discoverAuthorizationServerMetadata,
  type FetchLike,
  IssuerMismatchError,
  type OAuthClientInformationMixed,
  startAuthorization,
} from '@modelcontextprotocol/client';
import { isLoopbackName } from '../../../outgoing/loopback-name.js';
import type { OAuthSettings } from '../options.js';
import type { HttpChallenge } from '../transports/http-headers.js';
import { fetchFor, isOnPrivateNetwork } from './guarded-fetch.js';
import { challengeParams, missingScope, resourceMetadata, scopeUnion } from './protected-resource.js';
import { SignInError } from './sign-in-error.js';

/** The maximum number of authorization servers that a server may name. */
const MAX_SERVERS = 10;

export interface AuthorizationServer {
  readonly url: URL;
  readonly fetch: FetchLike;
  /** Whether the server is on a private network. */
  readonly isInside: boolean;
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** The resource that tokens are for. */
  readonly resource: string | undefined;
  /** The scopes to ask for. */
  readonly scope: string | undefined;
}

/**
 * Throws a `SignInError` that says what is wrong with the server or its authorization servers. Of several, `preferred` is used if
 * the server still names it, else the first one that can be used.
 */
export async function discover(
  url: URL,
  settings: OAuthSettings,
  challenge: HttpChallenge | undefined,
  preferred: string | undefined,
): Promise<AuthorizationServer> {
  const isInside = await isOnPrivateNetwork(url, challenge?.address);
  const fetch = fetchFor(isInside);
  const { resourceMetadataUrl, scope: challenged } = challengeParams(challenge);
  const resource = await resourceMetadata(url, resourceMetadataUrl, fetch);
  const servers = resource?.authorization_servers ?? [];
  const issuers = wantedIssuers(servers.length > 0 ? servers : [new URL('/', url).href], settings, preferred);
  const metadata = await usableServer(issuers, fetch, resource === undefined, settings);
  const supported = resource?.scopes_supported?.join(' ');
  const wanted = settings.scopes?.join(' ') || challenged || supported || undefined;
  // A login that lacks an unnamed scope requires all of them.
  const unnamed = challenged === undefined && missingScope(challenge) !== undefined ? supported : undefined;
  return {
    url,
    fetch,
    isInside,
    issuer: metadata.issuer,
    metadata,
    resource: resource?.resource,
    scope: withOfflineAccess(scopeUnion(wanted, unnamed), metadata, settings),
  };
}

/** In the order in which they are tried. The secret of a client is sent only to the authorization server that received it before. */
function wantedIssuers(
  named: readonly string[],
  { clientSecretEnv, grant, issuer }: OAuthSettings,
  preferred: string | undefined,
): readonly string[] {
  // Those of an exchange are compared with `http.oauth`.
  const isBound = clientSecretEnv !== undefined && grant !== 'token_exchange';
  const known = issuer ?? (isBound ? preferred : undefined);
  const isSame = (one: string, other: string | undefined) => other !== undefined && withoutSlash(one) === withoutSlash(other);
  if (known === undefined) return [...named.filter((each) => isSame(each, preferred)), ...named.filter((each) => !isSame(each, preferred))];
  const found = named.filter((each) => isSame(each, known));
  if (found.length > 0) return found;
  const what = issuer === undefined ? 'where this client signed in before' : 'that "issuer" under "oauth" names';
  const next = issuer === undefined ? ' If it has moved, remove the login with `footbridge logout` and sign in again.' : '';
  throw new SignInError(`It does not name the authorization server at ${hostOf(known)}, ${what}, so Footbridge does not sign in.${next}`);
}

function withoutSlash(issuer: string): string {
  return issuer.endsWith('/') ? issuer.slice(0, -1) : issuer;
}

function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : 'an invalid address';
}

/** What the authorization server of a login publishes now; undefined unless its token endpoint is another one. */
export async function rediscovered(
  issuer: string,
  { token_endpoint }: AuthorizationServerMetadata,
  fetch: FetchLike,
): Promise<AuthorizationServerMetadata | undefined> {
  const found = await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch }).catch(() => undefined);
  return found?.token_endpoint === token_endpoint ? undefined : found;
}

async function usableServer(
  issuers: readonly string[],
  fetch: FetchLike,
  isOwn: boolean,
  settings: OAuthSettings,
): Promise<AuthorizationServerMetadata> {
  let second: AuthorizationServerMetadata | undefined;
  let refusal: SignInError | undefined;
  for (const issuer of issuers.slice(0, MAX_SERVERS)) {
    const found = await serverMetadata(issuer, fetch, isOwn, settings);
    if (found instanceof SignInError) refusal ??= found;
    else if (settings.clientId !== undefined || found.registration_endpoint !== undefined) return found;
    else second ??= found;
  }
  if (second !== undefined) return second;
  throw refusal ?? new SignInError('It names no authorization server.');
}

/**
 * `isOwn`: the server names no authorization server, so it is its own, as in 2025-03-26. An error is returned if another
 * one may be used instead. A refusal is thrown, since it may indicate an attack.
 */
async function serverMetadata(
  issuer: string,
  fetch: FetchLike,
  isOwn: boolean,
  settings: OAuthSettings,
): Promise<AuthorizationServerMetadata | SignInError> {
  const host = hostOf(issuer);
  let metadata: AuthorizationServerMetadata | undefined;
  try {
    metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
  } catch (cause) {
    if (cause instanceof SignInError && cause.retryable) return cause;
    if (cause instanceof SignInError) throw cause;
    if (cause instanceof IssuerMismatchError)
      throw new SignInError(`The authorization server at ${host} names another issuer in its metadata, so it was refused.`);
    return new SignInError(`The metadata of the authorization server at ${host} cannot be used.`);
  }
  if (metadata === undefined && isOwn) return defaultMetadata(new URL(issuer));
  if (metadata === undefined)
    return new SignInError(`The authorization server at ${host} publishes no metadata, so Footbridge cannot sign in.`);
  if (isUnattended(settings)) return metadata;
  if (!metadata.response_types_supported.includes('code'))
    return new SignInError(`The authorization server at ${host} does not support authorization codes, which MCP requires.`);
  // The specification requires clients to refuse. The SDK continues.
  if (!metadata.code_challenge_methods_supported?.includes('S256'))
    return new SignInError(`The authorization server at ${host} does not support PKCE with S256, which MCP requires.`);
  return metadata;
}

/** Whether no browser is opened. */
function isUnattended({ grant = 'authorization_code' }: OAuthSettings): boolean {
  return grant !== 'authorization_code';
}

/** What 2025-03-26 prescribes where there is no metadata. That revision requires PKCE. */
function defaultMetadata(base: URL): AuthorizationServerMetadata {
  return {
    issuer: base.origin,
    authorization_endpoint: new URL('/authorize', base).href,
    token_endpoint: new URL('/token', base).href,
    registration_endpoint: new URL('/register', base).href,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  };
}

/** Without it, many authorization servers issue no refresh token. */
function withOfflineAccess(scope: string | undefined, metadata: AuthorizationServerMetadata, settings: OAuthSettings): string | undefined {
  if (isUnattended(settings) || !metadata.scopes_supported?.includes('offline_access')) return scope;
  return scopeUnion(scope, 'offline_access');
}

export interface AuthorizationRequest {
  /** The page to open. */
  readonly url: string;
  readonly codeVerifier: string;
}

export async function authorizationRequest(
  { issuer, metadata, resource, scope }: AuthorizationServer,
  client: OAuthClientInformationMixed,
  redirectUrl: string,
  state: string,
): Promise<AuthorizationRequest> {
  const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
    metadata,
    clientInformation: client,
    redirectUrl,
    state,
    ...(scope !== undefined && { scope }),
    ...(resource !== undefined && { resource }),
  });
  const isHere = isLoopbackName(authorizationUrl.hostname);
  if (isHere && !isLoopbackName(new URL(issuer).hostname))
    throw new SignInError('Its sign-in page is on this machine, where the authorization server is not, so it was refused.');
  if (authorizationUrl.protocol !== 'https:' && !(isHere && authorizationUrl.protocol === 'http:'))
    throw new SignInError(`Its sign-in page at ${authorizationUrl.host} is not encrypted, so it was refused.`);
  return { url: authorizationUrl.href, codeVerifier };
}
