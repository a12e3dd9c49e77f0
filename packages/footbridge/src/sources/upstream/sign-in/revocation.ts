/** Tells the authorization server that a login is no longer used (RFC 7009). */
import { selectClientAuthMethod } from '@modelcontextprotocol/client';
import { withSecret } from './client-registration.js';
import { fetchFor, isOnPrivateNetwork } from './guarded-fetch.js';
import type { LoginRecord } from './login-storage.js';

/** Never rejects: the login is removed here in any case. */
export async function revoke(
  { client, isInside, metadata, server, settings, tokens }: LoginRecord,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const endpoint = 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined;
  const token = tokens?.refresh_token ?? tokens?.access_token;
  if (typeof endpoint !== 'string' || token === undefined) return;
  try {
    const fetch = fetchFor(isInside ?? (await isOnPrivateNetwork(new URL(server))));
    const body = new URLSearchParams({ token, token_type_hint: tokens?.refresh_token === undefined ? 'access_token' : 'refresh_token' });
    const known = withSecret(client, settings, environment);
    const { client_id: clientId, client_secret: secret = '' } = known;
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
    const method = selectClientAuthMethod(known, methodsOf(metadata));
    if (method === 'client_secret_basic') headers.set('authorization', `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`);
    else body.set('client_id', clientId);
    if (method === 'client_secret_post') body.set('client_secret', secret);
    await fetch(new URL(endpoint), { method: 'POST', headers, body });
  } catch {
    // The server may be gone.
  }
}

function methodsOf(metadata: LoginRecord['metadata']): string[] {
  const own = 'revocation_endpoint_auth_methods_supported' in metadata ? metadata.revocation_endpoint_auth_methods_supported : undefined;
  return (Array.isArray(own) ? own : undefined) ?? metadata.token_endpoint_auth_methods_supported ?? [];
}
