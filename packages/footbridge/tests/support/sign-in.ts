/** Clients that sign in to a running server as hosts do: they only know its address and follow its responses. */
import { Client, type OAuthDiscoveryState, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import {
  type OAuthDiscoveryState as OAuthDiscoveryStateV1,
  UnauthorizedError as UnauthorizedErrorV1,
} from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished } from 'vitest';

/** A server that requires tokens. */
export interface ProtectedServer {
  readonly origin: string;
  /** The URL of the MCP endpoint. */
  readonly endpoint: string;
}

/** Implements the interfaces of both SDKs. */
class Person<Discovered> {
  readonly redirectUrl = 'http://127.0.0.1/callback';
  readonly clientMetadata = {
    client_name: 'test',
    redirect_uris: [this.redirectUrl],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  /** The parameters that the browser returned with. */
  answer = new URLSearchParams();
  #client: { client_id: string } | undefined;
  #tokens: { access_token: string; token_type: string } | undefined;
  #verifier = '';
  #discovered: Discovered | undefined;

  clientInformation() {
    return this.#client;
  }
  saveClientInformation(client: { client_id: string }) {
    this.#client = client;
  }
  tokens() {
    return this.#tokens;
  }
  saveTokens(tokens: { access_token: string; token_type: string }) {
    this.#tokens = tokens;
  }
  codeVerifier() {
    return this.#verifier;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  discoveryState() {
    return this.#discovered;
  }
  saveDiscoveryState(discovered: Discovered) {
    this.#discovered = discovered;
  }
  async redirectToAuthorization(url: URL) {
    const response = await fetch(url, { redirect: 'manual' });
    this.answer = new URL(response.headers.get('location') ?? '').searchParams;
  }
}

/** Connects with SDK v2 in the era that the mode negotiates; without a token it is rejected. */
export async function signIn({ endpoint }: ProtectedServer, mode: 'auto' | 'legacy'): Promise<Client> {
  const person = new Person<OAuthDiscoveryState>();
  const client = () => new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const first = new StreamableHTTPClientTransport(new URL(endpoint), { authProvider: person });
  await expect(client().connect(first)).rejects.toThrow(UnauthorizedError);
  await first.finishAuth(person.answer);
  const signedIn = client();
  await signedIn.connect(new StreamableHTTPClientTransport(new URL(endpoint), { authProvider: person }));
  onTestFinished(() => signedIn.close());
  return signedIn;
}

/** The same with SDK v1. */
export async function signInV1({ endpoint }: ProtectedServer): Promise<ClientV1> {
  const person = new Person<OAuthDiscoveryStateV1>();
  const first = new TransportV1(new URL(endpoint), { authProvider: person });
  await expect(new ClientV1({ name: 'test', version: '1' }).connect(first)).rejects.toThrow(UnauthorizedErrorV1);
  await first.finishAuth(person.answer.get('code') ?? '');
  const signedIn = new ClientV1({ name: 'test', version: '1' });
  await signedIn.connect(new TransportV1(new URL(endpoint), { authProvider: person }));
  onTestFinished(() => signedIn.close());
  return signedIn;
}

/** The response to a request without a token, and the metadata that it leads to. */
export async function followChallenge({ origin, endpoint }: ProtectedServer) {
  const response = await fetch(endpoint, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  const challenge = response.headers.get('www-authenticate') ?? '';
  const address = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
  expect(new URL(address).origin).toBe(origin);
  const metadata: unknown = await (await fetch(address)).json();
  return { status: response.status, challenge, metadata };
}
