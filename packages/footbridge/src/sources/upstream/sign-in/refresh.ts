/** Asks the authorization server for the next tokens of a login. */
import { type AuthorizationServerMetadata, type FetchLike, type OAuthTokens, refreshAuthorization } from '@modelcontextprotocol/client';
import { isFields, parseJson } from '../../../json.js';
import { rediscovered } from './authorization-server.js';
import { clientAuthentication, type KnownClient } from './client-authentication.js';
import { fetchFor, isOnPrivateNetwork } from './guarded-fetch.js';
import type { LoginRecord } from './login-storage.js';
import { SignInError } from './sign-in-error.js';
import { checked, shownCode } from './token-requests.js';

export type Refresh =
  | { readonly tokens: OAuthTokens; readonly metadata: AuthorizationServerMetadata }
  /** The login cannot be used again. */
  | { readonly tokens: undefined; readonly code: string | undefined; readonly problem: string | undefined };

/** A refusal that needs no explanation: the login has ended. */
const ENDED: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_scope', 'invalid_target']);
const MAY_PASS: ReadonlySet<string> = new Set(['temporarily_unavailable', 'server_error', 'slow_down']);
/** Timeout, too early, too many requests. */
const LATER: ReadonlySet<number> = new Set([408, 425, 429]);

/** Throws a `SignInError` where it may succeed later. */
export async function refreshed(record: LoginRecord, client: KnownClient): Promise<Refresh> {
  if (record.tokens?.refresh_token === undefined) return { tokens: undefined, code: undefined, problem: undefined };
  const isInside = record.isInside ?? (await isOnPrivateNetwork(new URL(record.server)));
  const fetch = fetchFor(isInside);
  const first = await attempt(record, client, record.metadata, fetch);
  if (first.tokens !== undefined || ENDED.has(first.code ?? '')) return first;
  // The token endpoint may have moved.
  const metadata = await rediscovered(record.issuer, record.metadata, fetch);
  return metadata === undefined ? first : attempt(record, client, metadata, fetch);
}

async function attempt(
  { issuer, resource, tokens }: LoginRecord,
  client: KnownClient,
  metadata: AuthorizationServerMetadata,
  fetch: FetchLike,
): Promise<Refresh> {
  const { host } = new URL(issuer);
  let answer: { readonly status: number; readonly error: unknown } | undefined;
  const observed: FetchLike = async (url, init) => {
    const response = await fetch(url, init);
    const body = parseJson(await response.clone().text());
    answer = { status: response.status, error: isFields(body) ? body['error'] : undefined };
    return response;
  };
  try {
    const renewed = await refreshAuthorization(issuer, {
      metadata,
      clientInformation: client,
      addClientAuthentication: clientAuthentication(client),
      refreshToken: tokens?.refresh_token ?? '',
      fetchFn: observed,
      ...(resource !== undefined && { resource }),
    });
    return { tokens: { ...(tokens?.scope !== undefined && { scope: tokens.scope }), ...checked(renewed, host) }, metadata };
  } catch (cause) {
    if (cause instanceof SignInError) throw cause;
    const { error, status = 0 } = answer ?? {};
    const code = shownCode(error);
    const isRefusal = (status >= 300 && status < 500 && !LATER.has(status)) || (status < 300 && code !== undefined);
    const what = code === undefined ? (status === 0 ? '' : ` (HTTP ${status})`) : ` (${code})`;
    const message = `The authorization server at ${host} did not renew it${what}.`;
    if (!isRefusal || MAY_PASS.has(code ?? '')) throw new SignInError(message, { retryable: true, code });
    return { tokens: undefined, code, problem: ENDED.has(code ?? '') ? undefined : message };
  }
}
