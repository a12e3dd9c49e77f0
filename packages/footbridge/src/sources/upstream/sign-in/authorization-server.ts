/** From a server's challenge to its authorization server: discovery, registration and the request that a browser opens. */
import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  computeScopeUnion,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  type FetchLike,
  IssuerMismatchError,
  type OAuthClientInformationMixed,
  type OAuthProtectedResourceMetadata,
  RegistrationRejectedError,
  registerClient,
  startAuthorization,
} from '@modelcontextprotocol/client';
import { echo } from '../../../errors.js';
import type { OAuthSettings } from '../options.js';
import type { HttpChallenge } from '../transports/http-headers.js';
import { fetchFor, isLoopbackName, isOnPrivateNetwork } from './guarded-fetch.js';
import { SignInError } from './sign-in-error.js';

const LONGEST_CHALLENGE = 8192;

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

/** Throws a `SignInError` that says what is wrong with the server or its authorization server. */
export async function discover(url: URL, settings: OAuthSettings, challenge: HttpChallenge | undefined): Promise<AuthorizationServer> {
  const isInside = await isOnPrivateNetwork(url, challenge?.address);
  const fetch = fetchFor(isInside);
  const { resourceMetadataUrl, scope: challenged } = paramsOf(challenge);
  const resource = await resourceMetadata(url, resourceMetadataUrl, fetch);
  const issuerUrl = resource?.authorization_servers?.[0] ?? new URL('/', url).href;
  const metadata = await serverMetadata(issuerUrl, fetch, resource === undefined);
  const scope = settings.scopes?.join(' ') || challenged || resource?.scopes_supported?.join(' ') || undefined;
  return {
    url,
    fetch,
    isInside,
    issuer: metadata.issuer,
    metadata,
    resource: resource?.resource,
    scope: withOfflineAccess(scope, metadata, settings),
  };
}

/** The scopes that a server asked for in addition. */
export function challengedScope(challenge: HttpChallenge): string | undefined {
  const { error, scope } = paramsOf(challenge);
  return challenge.status === 403 && error === 'insufficient_scope' ? scope : undefined;
}

export function scopeUnion(...scopes: (string | undefined)[]): string | undefined {
  return computeScopeUnion(...scopes);
}

function paramsOf(challenge: HttpChallenge | undefined) {
  const header = challenge?.header?.slice(0, LONGEST_CHALLENGE) ?? '';
  // Others may precede it, such as Negotiate, and the SDK looks at the first alone.
  const own = Math.max(0, header.search(/(?:bearer|dpop) /i));
  const headers = new Headers({ 'www-authenticate': header.slice(own) });
  return extractWWWAuthenticateParams(new Response(null, { headers }));
}

async function resourceMetadata(
  url: URL,
  metadataUrl: URL | undefined,
  fetch: FetchLike,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  let found: OAuthProtectedResourceMetadata;
  try {
    found = await discoverOAuthProtectedResourceMetadata(url, metadataUrl === undefined ? {} : { resourceMetadataUrl: metadataUrl }, fetch);
  } catch (cause) {
    if (cause instanceof SignInError) throw cause;
    // Servers of 2025-03-26 have none: they are their own authorization server.
    if (metadataUrl === undefined) return undefined;
    throw new SignInError(`The metadata for its sign-in at ${metadataUrl.host} cannot be used.`);
  }
  if (!checkResourceAllowed({ requestedResource: url, configuredResource: found.resource }))
    throw new SignInError(`Its metadata is for another server (${echo(found.resource)}), so a token would not be meant for this one.`);
  return found;
}

/** `isOwn`: the server says nothing of its authorization server, so it is its own, as in 2025-03-26. */
async function serverMetadata(issuerUrl: string, fetch: FetchLike, isOwn: boolean): Promise<AuthorizationServerMetadata> {
  const host = URL.canParse(issuerUrl) ? new URL(issuerUrl).host : 'an invalid address';
  let metadata: AuthorizationServerMetadata | undefined;
  try {
    metadata = await discoverAuthorizationServerMetadata(issuerUrl, { fetchFn: fetch });
  } catch (cause) {
    if (cause instanceof SignInError) throw cause;
    if (cause instanceof IssuerMismatchError)
      throw new SignInError(`The authorization server at ${host} names another issuer in its metadata, so it was refused.`);
    throw new SignInError(`The metadata of the authorization server at ${host} cannot be used.`);
  }
  if (metadata === undefined && isOwn) return defaultMetadata(new URL(issuerUrl));
  if (metadata === undefined)
    throw new SignInError(`The authorization server at ${host} publishes no metadata, so Footbridge cannot sign in.`);
  // The specification requires clients to refuse. The SDK continues.
  if (!metadata.code_challenge_methods_supported?.includes('S256') && metadata.response_types_supported.includes('code'))
    throw new SignInError(`The authorization server at ${host} does not support PKCE with S256, which MCP requires.`);
  return metadata;
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
function withOfflineAccess(scope: string | undefined, metadata: AuthorizationServerMetadata, { grant }: OAuthSettings): string | undefined {
  if (grant === 'client_credentials' || grant === 'token_exchange' || !metadata.scopes_supported?.includes('offline_access')) return scope;
  return scopeUnion(scope, 'offline_access');
}

export interface ClientOptions {
  readonly settings: OAuthSettings;
  readonly environment: NodeJS.ProcessEnv;
  /** Undefined where nobody signs in. */
  readonly redirectUrl: string | undefined;
}

/** The configured client, else a new registration. */
export async function clientOf(server: AuthorizationServer, options: ClientOptions): Promise<OAuthClientInformationMixed> {
  const configured = configuredClient(server, options);
  if (configured !== undefined) return configured;
  const { fetch, issuer, metadata, scope } = server;
  const { host } = new URL(issuer);
  const own = `Register Footbridge there yourself, and set "oauth": { "clientId": "…" } for this server.`;
  if (metadata.registration_endpoint === undefined || options.redirectUrl === undefined)
    throw new SignInError(`The authorization server at ${host} does not allow Footbridge to register itself. ${own}`);
  const clientMetadata = {
    client_name: 'Footbridge',
    redirect_uris: [options.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: isLoopbackName(new URL(options.redirectUrl).hostname) ? 'native' : 'web',
  };
  const register = (scopes: { readonly scope?: string }) => registerClient(issuer, { metadata, clientMetadata, fetchFn: fetch, ...scopes });
  try {
    if (scope === undefined) return await register({});
    // Some refuse scopes that they do not know yet, others grant only registered ones.
    return await register({ scope }).catch((cause) => (cause instanceof RegistrationRejectedError ? register({}) : Promise.reject(cause)));
  } catch (cause) {
    if (cause instanceof SignInError) throw cause;
    const status = cause instanceof RegistrationRejectedError ? ` (HTTP ${cause.status})` : '';
    throw new SignInError(`The authorization server at ${host} refused to register Footbridge${status}. ${own}`);
  }
}

function configuredClient({ issuer, metadata }: AuthorizationServer, { environment, settings }: ClientOptions) {
  const { clientId, clientSecretEnv } = settings;
  if (clientId === undefined) return undefined;
  if (/^https:/i.test(clientId) && metadata.client_id_metadata_document_supported !== true)
    throw new SignInError(
      `The authorization server at ${new URL(issuer).host} does not accept the URL of a metadata document as "clientId". Register Footbridge there, and use the id that it gives.`,
    );
  if (clientSecretEnv === undefined) return { client_id: clientId };
  const secret = environment[clientSecretEnv];
  if (secret === undefined || secret === '')
    throw new SignInError(`The environment variable ${clientSecretEnv}, which "clientSecretEnv" names, is not set.`);
  return { client_id: clientId, client_secret: secret };
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
