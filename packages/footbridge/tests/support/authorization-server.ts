/** An authorization server on this machine: real HTTP, real keys, and tokens of every kind, good and bad. */
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { onTestFinished } from 'vitest';

type SignedWith = 'RS256' | 'ES256';

/** A claim given as undefined is left out. */
export type Claims = { readonly [Name in keyof JWTPayload]?: JWTPayload[Name] | undefined };

export interface IssueOptions {
  /** `HS256` uses the published public key as its secret; `other` is a key that was never published. */
  readonly signedWith?: SignedWith | 'none' | 'HS256' | 'other';
  /** Null leaves it out. */
  readonly kid?: string | null;
  readonly typ?: string | null;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly tampered?: 'payload' | 'signature';
}

export interface AuthorizationServerOptions {
  readonly audience: string;
  /** The path of the issuer, for several issuers on one host. */
  readonly path?: string;
  /** Which of the two metadata documents it publishes. */
  readonly metadata?: 'oauth' | 'openid';
}

interface KeyPair {
  readonly kid: string;
  readonly algorithm: SignedWith;
  readonly publicKey: CryptoKey;
  readonly privateKey: CryptoKey;
  readonly published: JWK;
}

interface Grant {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly scope: string;
  readonly resource: string | null;
}

type Answer = (response: ServerResponse) => void;

export class AuthorizationServer {
  /** The requested paths, in order. */
  readonly requests: string[] = [];
  /** Replaces responses, by path. */
  readonly instead = new Map<string, Answer>();
  readonly #options: AuthorizationServerOptions;
  readonly #clients = new Map<string, readonly string[]>();
  readonly #grants = new Map<string, Grant>();
  #keys: readonly KeyPair[] = [];
  #server: Server | undefined;
  #port = 0;

  private constructor(options: AuthorizationServerOptions) {
    this.#options = options;
  }

  /** Listens on a free port until the test is over. */
  static async start(options: AuthorizationServerOptions): Promise<AuthorizationServer> {
    const server = new AuthorizationServer(options);
    server.#keys = await firstKeys();
    await server.restart();
    onTestFinished(() => server.stop());
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get issuer(): string {
    return `${this.origin}${this.#options.path ?? ''}`;
  }

  get jwksUri(): string {
    return `${this.issuer}/jwks`;
  }

  /** New keys in place of the old ones; `keep` leaves the old ones published beside them. */
  async rotate({ keep = false } = {}): Promise<void> {
    const made = await Promise.all([makeKey('RS256'), makeKey('ES256')]);
    this.#keys = [...made, ...(keep ? this.#keys : [])];
  }

  /** Stops listening and closes open connections. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  }

  /** Listens again at the same address. */
  async restart(): Promise<void> {
    const server = createServer((request, response) => {
      this.#answer(request, response).catch((error: Error) =>
        send(response, 400, { error: 'invalid_request', error_description: error.message }),
      );
    });
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    this.#port = address.port;
    this.#server = server;
  }

  /** A token that is valid unless the options say otherwise. */
  async issue(claims: Claims = {}, options: IssueOptions = {}): Promise<string> {
    const { signedWith = 'RS256', tampered } = options;
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: this.issuer, aud: this.#options.audience, sub: 'ada', iat: now, exp: now + 300 };
    const payload: JWTPayload = JSON.parse(JSON.stringify({ ...usual, ...claims }));
    const algorithm = signedWith === 'other' ? 'RS256' : signedWith;
    const published = this.#key(signedWith === 'ES256' ? 'ES256' : 'RS256');
    const header = {
      alg: algorithm,
      ...(options.kid === null ? {} : { kid: options.kid ?? published.kid }),
      ...(options.typ === null ? {} : { typ: options.typ ?? 'at+jwt' }),
      ...options.header,
    };
    const token = await sign(header, payload, signedWith, published);
    return tampered === undefined ? token : tamper(token, tampered);
  }

  #key(algorithm: SignedWith): KeyPair {
    const found = this.#keys.find((key) => key.algorithm === algorithm);
    if (found === undefined) throw new Error(`there is no key for ${algorithm}`);
    return found;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.origin);
    this.requests.push(url.pathname);
    const instead = this.instead.get(url.pathname);
    if (instead !== undefined) return instead(response);
    const { path = '', metadata = 'oauth' } = this.#options;
    const wellKnown = metadata === 'oauth' ? `/.well-known/oauth-authorization-server${path}` : `${path}/.well-known/openid-configuration`;
    switch (url.pathname) {
      case wellKnown:
        return send(response, 200, this.#metadata());
      case `${path}/jwks`:
        return send(response, 200, { keys: this.#keys.map((key) => key.published) });
      case `${path}/register`:
        return this.#register(JSON.parse(await bodyOf(request)), response);
      case `${path}/authorize`:
        return this.#authorize(url.searchParams, response);
      case `${path}/token`:
        return this.#exchange(new URLSearchParams(await bodyOf(request)), response);
      default:
        return send(response, 404, { error: 'not_found' });
    }
  }

  #metadata() {
    return {
      issuer: this.issuer,
      jwks_uri: this.jwksUri,
      registration_endpoint: `${this.issuer}/register`,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code'],
      authorization_response_iss_parameter_supported: true,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    };
  }

  #register(client: { redirect_uris: readonly string[] }, response: ServerResponse): void {
    const clientId = randomUUID();
    this.#clients.set(clientId, client.redirect_uris);
    send(response, 201, { ...client, client_id: clientId, token_endpoint_auth_method: 'none' });
  }

  /** The user consents at once. */
  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const clientId = required(query, 'client_id');
    const redirectUri = required(query, 'redirect_uri');
    if (this.#clients.get(clientId)?.includes(redirectUri) !== true) throw new Error('unknown client, or not its address');
    if (query.get('response_type') !== 'code' || query.get('code_challenge_method') !== 'S256') throw new Error('only a code with PKCE');
    const code = randomUUID();
    this.#grants.set(code, {
      clientId,
      redirectUri,
      challenge: required(query, 'code_challenge'),
      scope: query.get('scope') ?? '',
      resource: query.get('resource'),
    });
    const target = new URL(redirectUri);
    target.searchParams.set('code', code);
    target.searchParams.set('iss', this.issuer);
    const state = query.get('state');
    if (state !== null) target.searchParams.set('state', state);
    response.writeHead(302, { location: target.href }).end();
  }

  async #exchange(form: URLSearchParams, response: ServerResponse): Promise<void> {
    const code = required(form, 'code');
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    const challenge = createHash('sha256').update(required(form, 'code_verifier')).digest('base64url');
    const fits =
      grant?.challenge === challenge && grant.clientId === form.get('client_id') && grant.redirectUri === form.get('redirect_uri');
    if (grant === undefined || !fits || form.get('grant_type') !== 'authorization_code')
      return send(response, 400, { error: 'invalid_grant' });
    const audience = [this.#options.audience, ...(grant.resource === null ? [] : [grant.resource])];
    const token = await this.issue({ aud: audience, scope: grant.scope, preferred_username: 'ada', client_id: grant.clientId });
    send(response, 200, { access_token: token, token_type: 'Bearer', expires_in: 300, scope: grant.scope });
  }
}

/** Created on first use and reused, because it is slow. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const firstKeys = once(() => Promise.all([makeKey('RS256'), makeKey('ES256')]));
const unpublishedKey = once(() => makeKey('RS256'));

async function makeKey(algorithm: SignedWith): Promise<KeyPair> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const kid = randomUUID();
  return { kid, algorithm, publicKey, privateKey, published: { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' } };
}

async function sign(
  header: { readonly alg: string },
  payload: JWTPayload,
  signedWith: NonNullable<IssueOptions['signedWith']>,
  published: KeyPair,
): Promise<string> {
  if (signedWith === 'none' || signedWith === 'HS256') {
    const content = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    if (signedWith === 'none') return `${content}.`;
    const secret = await exportSPKI(published.publicKey);
    return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
  }
  const { privateKey } = signedWith === 'other' ? await unpublishedKey() : published;
  return new SignJWT(payload).setProtectedHeader(header).sign(privateKey, { crit: { x: true } });
}

function tamper(token: string, part: 'payload' | 'signature'): string {
  const [header = '', payload = '', signature = ''] = token.split('.');
  if (part === 'signature') return [header, payload, Buffer.from(signature, 'base64url').reverse().toString('base64url')].join('.');
  const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), roles: ['admin'] };
  return [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
}

function required(parameters: URLSearchParams, name: string): string {
  const value = parameters.get(name);
  if (value === null) throw new Error(`${name} is missing`);
  return value;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
