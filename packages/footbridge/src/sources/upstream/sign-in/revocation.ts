/** Revokes the tokens of a login at its authorization server (RFC 7009). */
import { authenticateClient } from './client-authentication.js';
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
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
    const supported = methodsOf(metadata);
    await authenticateClient(withSecret(client, settings, environment), { url: endpoint, metadata, supported }, headers, body);
    await fetch(new URL(endpoint), { method: 'POST', headers, body });
  } catch {
    // The server may be gone.
  }
}

function methodsOf(metadata: LoginRecord['metadata']): readonly string[] | undefined {
  const own = 'revocation_endpoint_auth_methods_supported' in metadata ? metadata.revocation_endpoint_auth_methods_supported : undefined;
  return (Array.isArray(own) ? own : undefined) ?? metadata.token_endpoint_auth_methods_supported;
}
