/** The requests for tokens to an authorization server. */
import {
  exchangeAuthorization,
  fetchToken,
  OAuthError,
  type OAuthTokens,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import type { AuthorizationServer } from './authorization-server.js';
import { clientAuthentication, type KnownClient } from './client-authentication.js';
import { SignInError } from './sign-in-error.js';

/** Redeems the code that the browser returned. `iss` is checked before anything else is read. */
export async function redeem(
  server: AuthorizationServer,
  client: KnownClient,
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
  if (code === null) throw refusalOf(answer.get('error'), host);
  const tokens = await orSignInError(host, () =>
    exchangeAuthorization(issuer, {
      metadata,
      clientInformation: client,
      addClientAuthentication: clientAuthentication(client),
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

export function clientCredentials(server: AuthorizationServer, client: KnownClient): Promise<OAuthTokens> {
  return requestTokens(server, client, { grant_type: 'client_credentials' });
}

/** Tokens that require no user. Throws a `SignInError`. */
export async function requestTokens(
  server: AuthorizationServer,
  client: KnownClient,
  parameters: Readonly<Record<string, string>>,
): Promise<OAuthTokens> {
  const { fetch, issuer, metadata, resource, scope } = server;
  const { host } = new URL(issuer);
  const provider = {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [] },
    clientInformation: () => client,
    addClientAuthentication: clientAuthentication(client),
    tokens: () => undefined,
    saveTokens() {},
    redirectToAuthorization() {},
    saveCodeVerifier() {},
    codeVerifier: () => '',
    prepareTokenRequest: () => new URLSearchParams({ ...parameters, ...(scope !== undefined && { scope }) }),
  };
  const tokens = await orSignInError(host, () =>
    fetchToken(provider, issuer, { metadata, fetchFn: fetch, ...(resource !== undefined && { resource }) }),
  );
  return checked(tokens, host);
}

/** Throws a `SignInError` if they cannot be sent. */
export function checked(tokens: OAuthTokens, host: string): OAuthTokens {
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
    if (cause instanceof OAuthError) throw refusalOf(cause.code, host);
    throw new SignInError(`The answer of the authorization server at ${host} cannot be used.`);
  }
}

/** Only the code: the server's own text may be meant to deceive. */
function refusalOf(error: string | null, host: string): SignInError {
  if (error === 'access_denied') return new SignInError(`Access was denied at ${host}.`);
  const code = shownCode(error);
  return new SignInError(`The authorization server at ${host} refused the sign-in${code === undefined ? '' : ` (${code})`}.`, { code });
}

/** An error code that may be shown. */
export function shownCode(error: unknown): string | undefined {
  return typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? error : undefined;
}
