/** Exchanges a caller's token for one for an upstream server (RFC 8693). */
import type { OAuthTokens } from '@modelcontextprotocol/client';
import type { AuthorizationServer } from './authorization-server.js';
import type { KnownClient } from './client-authentication.js';
import type { SubjectToken } from './login-options.js';
import { SignInError } from './sign-in-error.js';
import { requestTokens } from './token-requests.js';

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const OTHERWISE = 'Use "signIn": "caller" for this server.';

/** Throws a `SignInError` unless the token may be sent to this authorization server, and that exchanges tokens. */
export function checkExchange({ issuer, metadata }: AuthorizationServer, subject: SubjectToken): void {
  const { host } = new URL(issuer);
  // The upstream names the server: any other could keep the token and use it here.
  if (issuer !== subject.issuer)
    throw new SignInError(
      `Its authorization server at ${host} is not the one in http.oauth, and tokens of callers are sent to no other. ${OTHERWISE}`,
    );
  if (metadata.grant_types_supported?.includes(GRANT) !== true)
    throw new SignInError(
      `The authorization server at ${host} does not offer token exchange. Enable it there for Footbridge, or: ${OTHERWISE}`,
    );
  if (subject.token === undefined)
    throw new SignInError(
      'Only callers with a current token of the authorization server in http.oauth can use it. Sign in again in your host.',
    );
}

/** After `checkExchange`. */
export async function exchanged(server: AuthorizationServer, client: KnownClient, { token = '' }: SubjectToken): Promise<OAuthTokens> {
  const { host } = new URL(server.issuer);
  const tokens = await requestTokens({ ...server, resource: server.resource ?? server.url.href }, client, {
    grant_type: GRANT,
    subject_token: token,
    subject_token_type: ACCESS_TOKEN,
    requested_token_type: ACCESS_TOKEN,
  });
  if (tokens.access_token === token)
    throw new SignInError(`The authorization server at ${host} returned the token of the caller, which must not be passed on.`);
  // The next exchange uses the token that the caller has then.
  const { refresh_token: _, ...others } = tokens;
  return others;
}
