/** Selects the client for an authorization server: the configured one, an earlier registration, or a new one. */
import { type OAuthClientInformationMixed, RegistrationRejectedError, registerClient } from '@modelcontextprotocol/client';
import { isLoopbackName } from '../../../outgoing/loopback-name.js';
import type { OAuthSettings } from '../options.js';
import type { AuthorizationServer } from './authorization-server.js';
import type { KnownClient } from './client-authentication.js';
import { configuredKey } from './client-key.js';
import type { LoginRecord, LoginStorage } from './login-storage.js';
import { hasScope, scopeUnion } from './protected-resource.js';
import { SignInError } from './sign-in-error.js';

/** For optional notes in the store. */
const LOCK_TIMEOUT_MS = 5000;

const METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;

/** Error codes of authorization servers for an unknown client or an outdated registration. */
export const CLIENT_REFUSED: ReadonlySet<string> = new Set(['invalid_client', 'unauthorized_client', 'invalid_scope']);

export interface ClientOptions {
  readonly settings: OAuthSettings;
  readonly environment: NodeJS.ProcessEnv;
  /** Undefined without a user. */
  readonly redirectUrl: string | undefined;
  /** A client ID metadata document that the authorization server accepts. */
  readonly documentUrl?: string | undefined;
}

/** The configured client, else that of the document, else a new registration. Throws a `SignInError`. */
export async function clientOf(server: AuthorizationServer, options: ClientOptions): Promise<KnownClient> {
  const configured = configuredClient(server, options);
  if (configured !== undefined) return configured;
  if (options.documentUrl !== undefined) return { client_id: options.documentUrl };
  const { fetch, issuer, metadata, scope } = server;
  const { host } = new URL(issuer);
  const byDocument = metadata.client_id_metadata_document_supported === true ? ', or publish a client ID metadata document for it' : '';
  // Servers that only take a key publish nothing.
  const orKey = server.resource === undefined ? ' If the server takes a key instead, set that under "headers".' : '';
  const own = `Register Footbridge there yourself${byDocument}, and set "oauth": { "clientId": "…" } for this server.${orKey}`;
  if (metadata.registration_endpoint === undefined || options.redirectUrl === undefined)
    throw new SignInError(`The authorization server at ${host} does not allow Footbridge to register itself. ${own}`);
  const clientMetadata = {
    client_name: 'Footbridge',
    redirect_uris: [options.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: authMethodFor(metadata.token_endpoint_auth_methods_supported),
    application_type: isOnThisMachine(new URL(options.redirectUrl)) ? 'native' : 'web',
  };
  const register = (scopes: { readonly scope?: string }) => registerClient(issuer, { metadata, clientMetadata, fetchFn: fetch, ...scopes });
  try {
    if (scope === undefined) return await register({});
    try {
      const registered = await register({ scope });
      // Requested scopes count too: requesting them again would not grant more.
      return { ...registered, scope: scopeUnion(scope, registered.scope) };
    } catch (cause) {
      // Some reject unknown scopes, others grant only registered ones.
      if (cause instanceof RegistrationRejectedError) return await register({});
      throw cause;
    }
  } catch (cause) {
    if (cause instanceof SignInError) throw cause;
    const status = cause instanceof RegistrationRejectedError ? ` (HTTP ${cause.status})` : '';
    throw new SignInError(`The authorization server at ${host} refused to register Footbridge${status}. ${own}`);
  }
}

/** A port of this machine never has https; a server may, under a name such as localhost. */
function isOnThisMachine({ hostname, protocol }: URL): boolean {
  return protocol === 'http:' && isLoopbackName(hostname);
}

/** A program on the user's machine has no secret, except where the authorization server gives out nothing else. */
function authMethodFor(supported: readonly string[] | undefined): string {
  return METHODS.find((method) => supported?.includes(method)) ?? 'none';
}

/** Whether an earlier registration will do for these scopes. */
export function isReusable({ client, isClientInDoubt }: LoginRecord, scope: string | undefined): boolean {
  const secretEnds = 'client_secret_expires_at' in client ? (client.client_secret_expires_at ?? 0) : 0;
  if (isClientInDoubt === true || (secretEnds > 0 && secretEnds * 1000 <= Date.now())) return false;
  const registered = 'scope' in client ? client.scope : undefined;
  return registered === undefined || hasScope(registered, scope);
}

/**
 * Notes that a sign-in began with an earlier registration, or that the browser returned from it. An authorization server that
 * forgot the client shows an error to the user instead, so after a sign-in that never returned, the next one registers again.
 */
export async function noteDoubt(store: LoginStorage, id: string, clientId: string, isClientInDoubt: boolean): Promise<void> {
  const note = async () => {
    await store.update?.(id);
    const record = store.read(id);
    if (record?.client.client_id === clientId) await store.write(id, { ...record, isClientInDoubt });
  };
  await store.locked(id, LOCK_TIMEOUT_MS, note).catch(() => {});
}

function configuredClient({ issuer, metadata }: AuthorizationServer, { environment, settings }: ClientOptions) {
  const { clientId } = settings;
  if (clientId === undefined) return undefined;
  if (/^https:/i.test(clientId) && metadata.client_id_metadata_document_supported !== true)
    throw new SignInError(
      `The authorization server at ${new URL(issuer).host} does not accept the URL of a metadata document as "clientId". Register Footbridge there, and use the id that it gives.`,
    );
  return withSecret({ client_id: clientId }, settings, environment);
}

/** The client with its configured secret or key, which is never stored. Throws a `SignInError` where it is not set. */
export function withSecret(client: OAuthClientInformationMixed, settings: OAuthSettings, environment: NodeJS.ProcessEnv): KnownClient {
  const { clientId, clientSecretEnv } = settings;
  if (clientId === undefined) return client;
  const key = configuredKey(settings, environment);
  if (key !== undefined) return { ...client, key };
  if (clientSecretEnv === undefined) return client;
  const secret = environment[clientSecretEnv];
  if (secret === undefined || secret === '')
    throw new SignInError(`The environment variable ${clientSecretEnv}, which "clientSecretEnv" names, is not set.`, { retryable: true });
  return { ...client, client_secret: secret };
}

/** What may be stored: the secret of a configured client stays in the environment. */
export function withoutSecret(client: OAuthClientInformationMixed, { clientId }: OAuthSettings): OAuthClientInformationMixed {
  return clientId === undefined ? client : { client_id: client.client_id };
}
