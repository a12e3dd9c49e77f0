/** From a server's challenge to its authorization server: discovery, registration and the token requests. */
import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  computeScopeUnion,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  type FetchLike,
  fetchToken,
  IssuerMismatchError,
  type OAuthClientInformationMixed,
  OAuthError,
  type OAuthProtectedResourceMetadata,
  type OAuthTokens,
  RegistrationRejectedError,
  refreshAuthorization,
  registerClient,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import { echo } from '../../../errors.js';
import type { OAuthSettings } from '../options.js';
import { fetchFor, isLoopbackName } from './guarded-fetch.js';
import type { LoginRecord } from './login-storage.js';
import { SignInError } from './sign-in-error.js';

/** What a server asked for. */
export interface Challenge {
  readonly status: number;
  /** The header WWW-Authenticate. */
  readonly header: string | undefined;
}

export interface AuthorizationServer {
  readonly url: URL;
  readonly fetch: FetchLike;
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** The resource that tokens are for. */
  readonly resource: string | undefined;
  /** The scopes to ask for. */
  readonly scope: string | undefined;
}

/** Throws a `SignInError` that says what is wrong with the server or its authorization server. */
export async function discover(url: URL, settings: OAuthSettings, challenge: Challenge | undefined): Promise<AuthorizationServer> {
  const fetch = await fetchFor(url);
  const { resourceMetadataUrl, scope: challenged } = paramsOf(challenge);
  const resource = await resourceMetadata(url, resourceMetadataUrl, fetch);
  const issuerUrl = resource?.authorization_servers?.[0] ?? new URL('/', url).href;
  const metadata = await serverMetadata(issuerUrl, fetch, resource === undefined);
  const scope = settings.scopes?.join(' ') || challenged || resource?.scopes_supported?.join(' ') || undefined;
  return {
    url,
    fetch,
    issuer: metadata.issuer,
    metadata,
    resource: resource?.resource,
    scope: withOfflineAccess(scope, metadata, settings),
  };
}

/** The scopes that a server asked for in addition. */
export function challengedScope(challenge: Challenge): string | undefined {
  const { error, scope } = paramsOf(challenge);
  return challenge.status === 403 && error === 'insufficient_scope' ? scope : undefined;
}

export function scopeUnion(...scopes: (string | undefined)[]): string | undefined {
  return computeScopeUnion(...scopes);
}

function paramsOf(challenge: Challenge | undefined) {
  const headers = new Headers(challenge?.header === undefined ? {} : { 'www-authenticate': challenge.header.slice(0, 8192) });
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
  if (grant === 'client_credentials' || !metadata.scopes_supported?.includes('offline_access')) return scope;
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
  if (authorizationUrl.protocol !== 'https:' && authorizationUrl.protocol !== 'http:')
    throw new SignInError('Its sign-in page is not a web page, so it was refused.');
  return { url: authorizationUrl.href, codeVerifier };
}

/** The tokens for what the browser brought back. `iss` is checked before anything else is read. */
export async function redeem(
  server: AuthorizationServer,
  client: OAuthClientInformationMixed,
  redirectUrl: string,
  codeVerifier: string,
  answer: URLSearchParams,
): Promise<OAuthTokens> {
  const { fetch, issuer, metadata, resource } = server;
  const { host } = new URL(issuer);
  const iss = answer.get('iss') ?? undefined;
  try {
    validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: issuer,
      issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
    });
  } catch {
    throw new SignInError(`The answer did not come from the authorization server at ${host}, so it was refused.`);
  }
  const code = answer.get('code');
  if (code === null) throw new SignInError(refusalOf(answer.get('error'), host));
  const tokens = await orSignInError(host, () =>
    exchangeAuthorization(issuer, {
      metadata,
      clientInformation: client,
      authorizationCode: code,
      codeVerifier,
      redirectUri: redirectUrl,
      fetchFn: fetch,
      ...(iss !== undefined && { iss }),
      ...(resource !== undefined && { resource }),
    }),
  );
  return checked(tokens, host);
}

export async function clientCredentials(server: AuthorizationServer, client: OAuthClientInformationMixed): Promise<OAuthTokens> {
  const { fetch, issuer, metadata, resource, scope } = server;
  const { host } = new URL(issuer);
  const provider = {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [] },
    clientInformation: () => client,
    tokens: () => undefined,
    saveTokens() {},
    redirectToAuthorization() {},
    saveCodeVerifier() {},
    codeVerifier: () => '',
    prepareTokenRequest: () => new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) }),
  };
  const tokens = await orSignInError(host, () =>
    fetchToken(provider, issuer, { metadata, fetchFn: fetch, ...(resource !== undefined && { resource }) }),
  );
  return checked(tokens, host);
}

/** Undefined when the authorization server no longer accepts the login. Throws when it may later. */
export async function refreshed({ client, issuer, metadata, resource, server, tokens }: LoginRecord): Promise<OAuthTokens | undefined> {
  const refreshToken = tokens?.refresh_token;
  if (refreshToken === undefined) return undefined;
  const { host } = new URL(issuer);
  const fetch = await fetchFor(new URL(server));
  try {
    const renewed = await refreshAuthorization(issuer, {
      metadata,
      clientInformation: client,
      refreshToken,
      fetchFn: fetch,
      ...(resource !== undefined && { resource }),
    });
    return { ...(tokens?.scope !== undefined && { scope: tokens.scope }), ...checked(renewed, host) };
  } catch (cause) {
    if (cause instanceof OAuthError && FINAL.has(cause.code)) return undefined;
    if (cause instanceof SignInError) throw cause;
    throw new SignInError(`The authorization server at ${host} could not renew the login.`, true);
  }
}

/** The login cannot be used again. Any other error may pass. */
const FINAL: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_scope', 'invalid_target']);

function checked(tokens: OAuthTokens, host: string): OAuthTokens {
  if (!/^(?:bearer)$/i.test(tokens.token_type))
    throw new SignInError(`The authorization server at ${host} issued a token of a type that Footbridge does not support.`);
  // It becomes a header.
  if (!/^[\x21-\x7e]{1,16384}$/.test(tokens.access_token))
    throw new SignInError(`The authorization server at ${host} issued a token that cannot be sent.`);
  return tokens;
}

async function orSignInError<T>(host: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof SignInError) throw cause;
    if (cause instanceof OAuthError) throw new SignInError(refusalOf(cause.code, host));
    throw new SignInError(`The answer of the authorization server at ${host} cannot be used.`);
  }
}

/** Only the code: what a server writes besides may be meant to deceive. */
function refusalOf(error: string | null, host: string): string {
  if (error === 'access_denied') return `Access was denied at ${host}.`;
  const code = error !== null && /^[a-z_]{1,40}$/.test(error) ? ` (${error})` : '';
  return `The authorization server at ${host} refused the sign-in${code}.`;
}
