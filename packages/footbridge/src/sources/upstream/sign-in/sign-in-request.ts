/** A sign-in as data: from the request to the authorization server until the browser returns, in this process or another. */
import { randomBytes } from 'node:crypto';
import type { AuthorizationServerMetadata, OAuthClientInformationMixed } from '@modelcontextprotocol/client';
import type { OAuthSettings } from '../options.js';
import type { HttpChallenge } from '../transports/http-headers.js';
import { type AuthorizationServer, authorizationRequest, discover } from './authorization-server.js';
import { CLIENT_REFUSED, clientOf, isReusable, noteDoubt, withoutSecret, withSecret } from './client-registration.js';
import { fetchFor } from './guarded-fetch.js';
import type { LoginRecord, LoginStorage } from './login-storage.js';
import { hasScope, missingScope, scopeUnion } from './protected-resource.js';
import { SignInError } from './sign-in-error.js';
import { recordOf } from './token-renewal.js';
import { redeem } from './token-requests.js';

/** Longer than a renewal may take: the code cannot be redeemed again. */
const LOCK_TIMEOUT_MS = 60_000;

export interface SignInOptions {
  /** Of the login. */
  readonly id: string;
  readonly url: URL;
  readonly settings: OAuthSettings;
  readonly store: LoginStorage;
  readonly challenge: HttpChallenge | undefined;
  /** Scopes besides those that the server usually asks for. */
  readonly additionalScope: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  /** A client ID metadata document that the authorization server accepts in place of a registration. */
  readonly documentUrl?: string | undefined;
}

/** Where the browser returns to: a port of this machine, or a page of a server. */
export interface Redirect {
  readonly url: string;
  readonly port: number | undefined;
}

export interface SignInRequest {
  readonly id: string;
  /** The URL of the server. */
  readonly server: string;
  readonly settings: OAuthSettings;
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  readonly resource: string | undefined;
  /** Whether the server is on a private network. */
  readonly isInside: boolean;
  readonly scope: string | undefined;
  readonly client: OAuthClientInformationMixed;
  readonly redirect: Redirect;
  readonly codeVerifier: string;
  /** The parameters with which the browser returns. */
  readonly state: string;
  /** The page to open. */
  readonly page: string;
}

/** The authorization server, and an earlier login there, whose registration can be used again. */
export interface Discovered {
  readonly server: AuthorizationServer;
  readonly earlier: LoginRecord | undefined;
}

/** Throws a `SignInError`. */
export async function discoverFor({ additionalScope, challenge, id, settings, store, url }: SignInOptions): Promise<Discovered> {
  const record = store.read(id);
  const found = await discover(url, settings, challenge, record?.issuer);
  const server = { ...found, scope: scopeUnion(found.scope, additionalScope) };
  const missing = missingScope(challenge);
  const isUnnamed = missing !== undefined && missing.scope === undefined;
  // Not every authorization server repeats `offline_access`.
  const granted = scopeUnion(record?.tokens?.scope, 'offline_access');
  if (isUnnamed && record?.tokens !== undefined && hasScope(granted, server.scope))
    throw new SignInError(
      'It requires a scope that it does not name, and the login has all that it lists. Ask its operator for the scope, and use `footbridge login` with --scope.',
    );
  return { server, earlier: record?.issuer === server.issuer ? record : undefined };
}

/** The value that proves that the browser is the one sent to the authorization server. */
export function newState(): string {
  return randomBytes(32).toString('base64url');
}

/** Throws a `SignInError`. */
export async function requestSignIn(
  { earlier, server }: Discovered,
  options: SignInOptions,
  redirect: Redirect,
  state: string,
): Promise<SignInRequest> {
  const { documentUrl, environment, id, settings, store, url } = options;
  const isRegistered =
    settings.clientId === undefined && earlier !== undefined && isSame(earlier, redirect) && isReusable(earlier, server.scope);
  const client = isRegistered ? earlier.client : await clientOf(server, { settings, environment, redirectUrl: redirect.url, documentUrl });
  if (isRegistered) await noteDoubt(store, id, client.client_id, true);
  const { codeVerifier, url: page } = await authorizationRequest(server, client, redirect.url, state);
  const { isInside, issuer, metadata, resource, scope } = server;
  return {
    ...{ id, server: url.href, settings, issuer, metadata, resource, isInside, scope, redirect, codeVerifier, state, page },
    client: withoutSecret(client, settings),
  };
}

/** Redeems the code that the browser returned, and stores the login. Throws a `SignInError`. */
export async function completeSignIn(
  request: SignInRequest,
  answer: URLSearchParams,
  { environment, store }: Pick<SignInOptions, 'environment' | 'store'>,
): Promise<void> {
  const { client, codeVerifier, id, isInside, issuer, metadata, redirect, resource, scope, server, settings } = request;
  const url = new URL(server);
  const authorizationServer: AuthorizationServer = { url, fetch: fetchFor(isInside), isInside, issuer, metadata, resource, scope };
  const known = withSecret(client, settings, environment);
  const tokens = await redeem(authorizationServer, known, redirect.url, codeVerifier, answer).catch(async (cause: unknown) => {
    const isClientRefused = cause instanceof SignInError && CLIENT_REFUSED.has(cause.code ?? '');
    if (!isClientRefused) await noteDoubt(store, id, client.client_id, false);
    throw cause;
  });
  const redirectUrl = redirect.port === undefined ? { redirectUrl: redirect.url } : {};
  const fixed = {
    server,
    settings,
    issuer,
    metadata,
    resource,
    isInside,
    client,
    redirectPort: redirect.port,
    ...redirectUrl,
    signedInAt: Date.now(),
  };
  await store.locked(id, LOCK_TIMEOUT_MS, () => store.write(id, recordOf(fixed, { scope, ...tokens })));
}

function isSame({ redirectPort, redirectUrl }: LoginRecord, redirect: Redirect): boolean {
  return redirect.port === undefined ? redirectUrl === redirect.url : redirectPort === redirect.port;
}
