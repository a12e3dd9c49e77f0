/** Authentication of a client at an authorization server. */
import type { KeyObject } from 'node:crypto';
import {
  type AddClientAuthentication,
  type AuthorizationServerMetadata,
  type OAuthClientInformationMixed,
  selectClientAuthMethod,
} from '@modelcontextprotocol/client';
import { keyAuthentication } from './client-key.js';

/** A client with its credentials. */
export type KnownClient = OAuthClientInformationMixed & { readonly key?: KeyObject };

interface Endpoint {
  readonly url: URL | string;
  readonly metadata: AuthorizationServerMetadata | undefined;
  /** The methods that it supports. */
  readonly supported: readonly string[] | undefined;
}

/** The id and the secret are encoded as RFC 6749 requires; the SDK sends them as they are. */
export async function authenticateClient(
  { key, ...client }: KnownClient,
  { metadata, supported, url }: Endpoint,
  headers: Headers,
  body: URLSearchParams,
): Promise<void> {
  const { client_id: id, client_secret: secret = '' } = client;
  if (key !== undefined) {
    const algorithms = metadata?.token_endpoint_auth_signing_alg_values_supported;
    body.set('client_id', id);
    return keyAuthentication(id, key, algorithms)(headers, body, url, metadata);
  }
  const method = selectClientAuthMethod(client, [...(supported ?? [])]);
  if (method === 'client_secret_basic') {
    const credentials = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
    return;
  }
  body.set('client_id', id);
  if (method === 'client_secret_post' && secret !== '') body.set('client_secret', secret);
}

/** For requests of the SDK to a token endpoint. */
export function clientAuthentication(client: KnownClient): AddClientAuthentication {
  return (headers, body, url, metadata) => {
    const supported = metadata?.token_endpoint_auth_methods_supported;
    return authenticateClient(client, { url, metadata, supported }, headers, body);
  };
}
