/** Tells the authorization server that a login is no longer used (RFC 7009). */
import { fetchFor, isOnPrivateNetwork } from './guarded-fetch.js';
import type { LoginRecord } from './login-storage.js';

/** Never rejects: the login is removed here in any case. */
export async function revoke({ client, isInside, metadata, server, tokens }: LoginRecord): Promise<void> {
  const endpoint = 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined;
  const token = tokens?.refresh_token ?? tokens?.access_token;
  if (typeof endpoint !== 'string' || token === undefined) return;
  try {
    const fetch = fetchFor(isInside ?? (await isOnPrivateNetwork(new URL(server))));
    const body = new URLSearchParams({ token, token_type_hint: tokens?.refresh_token === undefined ? 'access_token' : 'refresh_token' });
    body.set('client_id', client.client_id);
    if (client.client_secret !== undefined) body.set('client_secret', client.client_secret);
    await fetch(new URL(endpoint), { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body });
  } catch {
    // The server may be gone.
  }
}
