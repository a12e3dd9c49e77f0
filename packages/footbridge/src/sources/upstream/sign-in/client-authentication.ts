/** How a client shows an authorization server that it is the one that was registered there. */
import { type AddClientAuthentication, type OAuthClientInformationMixed, selectClientAuthMethod } from '@modelcontextprotocol/client';

/** `supported`: the methods of the endpoint. Its id and secret are encoded as RFC 6749 requires; the SDK sends them as they are. */
export function authenticateClient(
  client: OAuthClientInformationMixed,
  supported: readonly string[] | undefined,
  headers: Headers,
  body: URLSearchParams,
): void {
  const { client_id: id, client_secret: secret = '' } = client;
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
export function clientAuthentication(client: OAuthClientInformationMixed): AddClientAuthentication {
  return (headers, body, _url, metadata) => authenticateClient(client, metadata?.token_endpoint_auth_methods_supported, headers, body);
}
