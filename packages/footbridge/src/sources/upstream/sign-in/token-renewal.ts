/** Renews a stored login. Loaded only when a token expires. */
import type { OAuthTokens } from '@modelcontextprotocol/client';
import type { OAuthSettings } from '../options.js';
import type { HttpChallenge } from '../transports/http-headers.js';
import { type AuthorizationServer, discover } from './authorization-server.js';
import { CLIENT_REFUSED, clientOf, withoutSecret, withSecret } from './client-registration.js';
import type { SubjectToken } from './login-options.js';
import type { LoginRecord, LoginStorage } from './login-storage.js';
import { scopeUnion } from './protected-resource.js';
import { refreshed } from './refresh.js';
import { SignInError } from './sign-in-error.js';
import { checkExchange, exchanged } from './token-exchange.js';
import { clientCredentials } from './token-requests.js';

/** Others may be renewing the same login; each takes no longer than its requests. */
const LOCK_TIMEOUT_MS = 60_000;

export function recordOf(fixed: Omit<LoginRecord, 'tokens' | 'expiresAt'>, tokens: OAuthTokens | undefined): LoginRecord {
  const seconds = tokens?.expires_in ?? 0;
  // Some return 0 if it does not expire.
  return { ...fixed, tokens, expiresAt: seconds > 0 ? Date.now() + seconds * 1000 : undefined };
}

/**
 * Renews a login while its access token is the one that was used: another process may have renewed it. One process at a time, since a
 * refresh token that is used twice may revoke the whole login. The old token is kept until the new one is on disk. Throws a
 * `SignInError` if a later attempt may succeed.
 */
export async function renewLogin(
  store: LoginStorage,
  id: string,
  isCurrent: (token: string) => boolean,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  await store.locked(id, LOCK_TIMEOUT_MS, async () => {
    await store.update?.(id);
    const record = store.read(id);
    if (record?.tokens === undefined || !isCurrent(record.tokens.access_token)) return;
    const { expiresAt: _, tokens: __, ...fixed } = record;
    const renewed = await refreshed(record, withSecret(record.client, record.settings, environment));
    if (renewed.tokens !== undefined)
      return store.write(id, recordOf({ ...fixed, metadata: renewed.metadata, problem: undefined }, renewed.tokens));
    const isClientInDoubt = record.isClientInDoubt === true || CLIENT_REFUSED.has(renewed.code ?? '');
    await store.write(id, recordOf({ ...fixed, isClientInDoubt, problem: renewed.problem }, undefined));
  });
}

export interface UnattendedSignIn {
  readonly id: string;
  readonly url: URL;
  readonly settings: OAuthSettings;
  readonly store: LoginStorage;
  readonly environment: NodeJS.ProcessEnv;
  readonly used: string | undefined;
  /** For a token exchange. */
  readonly subject: SubjectToken | undefined;
  /** Scopes besides those that the server usually asks for. */
  readonly additionalScope: string | undefined;
}

/** Signs in without a user: as the configured client, or with a caller's token. */
export async function signInUnattended(
  { additionalScope, environment, id, settings, store, subject, url, used }: UnattendedSignIn,
  challenge: HttpChallenge | undefined,
): Promise<void> {
  await store.locked(id, LOCK_TIMEOUT_MS, async () => {
    await store.update?.(id);
    const earlier = store.read(id);
    const current = earlier?.tokens?.access_token;
    if (current !== undefined && current !== used) return;
    const found = await discover(url, settings, challenge, subject?.issuer ?? earlier?.issuer);
    if (subject !== undefined) checkExchange(found, subject);
    const client = await clientOf(found, { settings, environment, redirectUrl: undefined });
    const tokensFor = async (scope: string | undefined) => {
      const server: AuthorizationServer = { ...found, scope };
      return { scope, ...(await (subject === undefined ? clientCredentials(server, client) : exchanged(server, client, subject))) };
    };
    const scope = scopeUnion(found.scope, earlier?.tokens?.scope, additionalScope);
    const tokens = await tokensFor(scope).catch((cause: unknown) => {
      // A scope that was granted before may no longer be.
      const isOutdated = cause instanceof SignInError && cause.code === 'invalid_scope' && additionalScope === undefined;
      if (isOutdated && scope !== found.scope) return tokensFor(found.scope);
      throw cause;
    });
    const { isInside, issuer, metadata, resource } = found;
    const fixed = {
      server: url.href,
      settings,
      issuer,
      metadata,
      resource,
      isInside,
      client: withoutSecret(client, settings),
      redirectPort: undefined,
    };
    await store.write(id, recordOf({ ...fixed, signedInAt: Date.now() }, tokens));
  });
}
