/** Renews a stored login. Loaded only when a token expires. */
import type { OAuthTokens } from '@modelcontextprotocol/client';
import type { OAuthSettings } from '../options.js';
import type { HttpChallenge } from '../transports/http-headers.js';
import { type AuthorizationServer, clientOf, discover } from './authorization-server.js';
import type { SubjectToken } from './login-options.js';
import type { LoginRecord, LoginStorage } from './login-storage.js';
import { checkExchange, exchanged } from './token-exchange.js';
import { clientCredentials, refreshed } from './token-requests.js';

/** Others may be renewing the same login; each takes no longer than its requests. */
const PATIENCE_MS = 60_000;

export function recordOf(fixed: Omit<LoginRecord, 'tokens' | 'expiresAt'>, tokens: OAuthTokens | undefined): LoginRecord {
  const seconds = tokens?.expires_in;
  return { ...fixed, tokens, expiresAt: seconds === undefined ? undefined : Date.now() + seconds * 1000 };
}

/**
 * Renews a login while its access token is the one that was used: another process may have renewed it. One process at a time: a refresh token that is used twice
 * may revoke the whole login. The old token is kept until the new one is on disk.
 */
export async function renewLogin(store: LoginStorage, id: string, isCurrent: (token: string) => boolean): Promise<void> {
  await store.locked(id, PATIENCE_MS, async () => {
    await store.update?.(id);
    const record = store.read(id);
    if (record?.tokens === undefined || !isCurrent(record.tokens.access_token)) return;
    const { expiresAt: _, tokens: __, ...fixed } = record;
    await store.write(id, recordOf(fixed, await refreshed(record)));
  });
}

/** Signs in without a person: as the configured client, or with a caller's token. */
export async function signInUnattended(
  {
    environment,
    id,
    settings,
    store,
    subject,
    url,
    used,
  }: {
    readonly id: string;
    readonly url: URL;
    readonly settings: OAuthSettings;
    readonly store: LoginStorage;
    readonly environment: NodeJS.ProcessEnv;
    readonly used: string | undefined;
    /** For a token exchange. */
    readonly subject: SubjectToken | undefined;
  },
  challenge: HttpChallenge | undefined,
): Promise<void> {
  await store.locked(id, PATIENCE_MS, async () => {
    await store.update?.(id);
    const current = store.read(id)?.tokens?.access_token;
    if (current !== undefined && current !== used) return;
    const server: AuthorizationServer = await discover(url, settings, challenge);
    if (subject !== undefined) checkExchange(server, subject);
    const client = await clientOf(server, { settings, environment, redirectUrl: undefined });
    const tokens = await (subject === undefined ? clientCredentials(server, client) : exchanged(server, client, subject));
    const { isInside, issuer, metadata, resource } = server;
    // The secret stays in the environment.
    const { client_id } = client;
    const fixed = { server: url.href, settings, issuer, metadata, resource, isInside, client: { client_id }, redirectPort: undefined };
    await store.write(id, recordOf({ ...fixed, signedInAt: Date.now() }, tokens));
  });
}
