/** A real authorization server (oidc-provider, with rotation and reuse detection) and an MCP server that it protects. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Adapter, type Configuration, errors } from 'oidc-provider';
import { onTestFinished } from 'vitest';
import { resourceServer, type Sdk } from './resource-servers.js';
import { type CallerKeys, offerExchange } from './token-exchange-grant.js';

const METADATA_PATH = '/.well-known/oauth-protected-resource';

export interface ProtectedOptions {
  /** Seconds that an access token is valid. */
  readonly lifetime?: number;
  readonly registration?: boolean;
  /** Whether logins can be renewed. */
  readonly refresh?: boolean;
  /** Registered by hand. */
  readonly clients?: Configuration['clients'];
  /** What clients with a key may sign with. */
  readonly clientAlgorithms?: readonly ('RS256' | 'PS256' | 'ES256' | 'EdDSA')[];
  /** Client ID metadata documents that the authorization server finds on the web, by URL; it accepts them only where there are some. */
  readonly documents?: Readonly<Record<string, object>>;
  /** Resolves them in another way. */
  readonly findDocument?: (url: string) => Promise<Response>;
  /** Exchanges tokens of callers. */
  readonly callers?: CallerKeys;
  /** The SDK of the MCP server. */
  readonly sdk?: Sdk | 'sse';
  /** The address of the MCP server, if it is not its own. */
  readonly origin?: string;
  /** The URL of its metadata that its challenge names, if not its own. */
  readonly metadataUrl?: string;
  /** Changes what the authorization server publishes about itself. */
  readonly metadata?: (metadata: Record<string, unknown>) => Record<string, unknown>;
  /** Changes what the MCP server publishes. */
  readonly resource?: (metadata: Record<string, unknown>) => Record<string, unknown>;
  /** The audience of tokens, if it is not the MCP server. */
  readonly audience?: string;
  /** The scope that the tool `write` requires. */
  readonly writeScope?: string;
  /** Changes the challenges of the MCP server. */
  readonly challenge?: (header: string) => string;
  /** Rejects standalone streams (GET), with any token. */
  readonly refusesStreams?: boolean;
  /** The scopes that the authorization server knows, with which clients are registered. */
  readonly scopes?: readonly string[];
  /** What requires a token. Default: everything. */
  readonly protects?: 'everything' | 'calls' | 'lists';
}

export interface ProtectedWorld {
  /** Of the MCP server. */
  readonly url: string;
  /** Another MCP server, with the same authorization server. */
  readonly otherUrl: string;
  /** The local port that they listen on. */
  readonly port: number;
  readonly issuer: string;
  /** Requests for tokens, by grant. */
  readonly grants: string[];
  /** Secrets that must not appear anywhere else. */
  readonly secrets: Set<string>;
  /** Calls that reached the MCP server with a valid token. */
  calls: number;
  refusedStreams: number;
  /** The tokens of these calls. */
  readonly used: Set<string>;
  /** Every token that reached the MCP server, valid or not. */
  readonly received: Set<string>;
  /** The tokens that reached the other server. */
  readonly receivedByOther: Set<string>;
  /** The caller of each exchanged token. */
  readonly exchanged: Map<string, string>;
  /** Called before a token request is answered; it may answer instead. */
  beforeToken: (response: ServerResponse) => Promise<void>;
  /** The token endpoint in its metadata, if it has moved. */
  tokenPath: string;
  /** Clients that registered themselves, oldest first. */
  readonly registrations: { readonly client_id: string; readonly scope?: string; readonly token_endpoint_auth_method?: string }[];
  /** Removes all registered clients. */
  forgetClients(): Promise<void>;
  /** Signs in as a person with a browser would; returns the last answer. */
  browse(url: string, options?: { readonly deny?: boolean }): Promise<Response>;
  /** The same, but returns the URL that the browser would be redirected to. */
  returned(url: string): Promise<URL>;
  /** Invalidates all access tokens. */
  expire(): void;
  /** Invalidates all refresh tokens as well. */
  revokeAll(): Promise<void>;
}

export async function startProtected(options: ProtectedOptions = {}): Promise<ProtectedWorld> {
  const { lifetime = 3600, refresh = true, registration = true, writeScope = 'write', documents, findDocument, sdk = 'v2' } = options;
  const authorization = createServer();
  const resource = createServer();
  const [issuer, own] = await Promise.all([listen(authorization), listen(resource)]);
  const { origin = own } = options;
  const url = `${origin}/mcp`;
  const otherUrl = `${origin}/other`;
  const expired = new Set<string>();
  const issued = new Set<string>();
  let denies = false;

  const provider = new Provider(issuer, {
    clients: options.clients,
    ...(options.clientAlgorithms !== undefined && { enabledJWA: { clientAuthSigningAlgValues: [...options.clientAlgorithms] } }),
    ...(options.callers !== undefined && { jwks: options.callers.jwks }),
    clientDefaults: { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none' },
    pkce: { required: () => true },
    scopes: ['openid', 'offline_access', ...(options.scopes ?? [])],
    rotateRefreshToken: true,
    issueRefreshToken: async () => refresh,
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    cookies: { keys: ['test'] },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    ttl: { AccessToken: lifetime, RefreshToken: 86_400, ClientCredentials: lifetime, Grant: 86_400, Session: 3600, Interaction: 600 },
    fetch: async (address) => {
      if (findDocument !== undefined) return findDocument(String(address));
      const document = documents?.[String(address)];
      return document === undefined ? new Response(null, { status: 404 }) : Response.json(document);
    },
    features: {
      clientIdMetadataDocument: { enabled: documents !== undefined || findDocument !== undefined, ack: 'draft-02' },
      devInteractions: { enabled: false },
      registration: { enabled: registration },
      revocation: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => url,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, asked) => {
          if (asked !== url && asked !== otherUrl) throw new errors.InvalidTarget();
          return {
            scope: `read ${writeScope}`,
            audience: options.audience ?? asked,
            accessTokenTTL: lifetime,
            accessTokenFormat: 'opaque',
          };
        },
      },
    },
  });
  if (options.callers !== undefined)
    offerExchange(provider, options.callers, {
      issuer,
      resource: url,
      lifetime,
      exchanged: (token, name) => world.exchanged.set(token, name),
    });
  provider.on('server_error', (_context, error) => console.error(error));

  const world: ProtectedWorld = {
    url,
    otherUrl,
    port: Number(new URL(own).port),
    issuer,
    grants: [],
    secrets: new Set(),
    calls: 0,
    refusedStreams: 0,
    used: new Set(),
    received: new Set(),
    receivedByOther: new Set(),
    exchanged: new Map(),
    beforeToken: async () => {},
    tokenPath: '/token',
    registrations: [],
    async forgetClients() {
      const adapter: Adapter = Reflect.get(provider.Client, 'adapter');
      for (const { client_id } of world.registrations) await adapter.destroy(client_id);
    },
    browse: (start, { deny = false } = {}) => {
      denies = deny;
      return browse(start, world.secrets);
    },
    async returned(start) {
      const { url: last } = await browse(start, world.secrets, '/callback');
      return new URL(last);
    },
    expire: () => {
      for (const token of issued) expired.add(token);
    },
    async revokeAll() {
      world.expire();
      for (const grant of grants) await provider.RefreshToken.revokeByGrantId(grant);
    },
  };
  provider.on('registration_create.success', (_context, client) => {
    world.registrations.push(client.metadata());
  });
  const grants = new Set<string>();
  const remember = (token: { jti?: string; grantId?: string | undefined }) => {
    if (token.grantId !== undefined) grants.add(token.grantId);
  };
  provider.on('access_token.saved', remember).on('refresh_token.saved', remember);

  const finish = async (request: IncomingMessage, response: ServerResponse) => {
    const { prompt, params, grantId, session } = await provider.interactionDetails(request, response);
    if (denies) return provider.interactionFinished(request, response, { error: 'access_denied' });
    if (prompt.name === 'login') return provider.interactionFinished(request, response, { login: { accountId: 'ada' } });
    const grant =
      (grantId === undefined ? undefined : await provider.Grant.find(grantId)) ??
      new provider.Grant({ accountId: session?.accountId ?? 'ada', clientId: String(params['client_id']) });
    const scope = String(params['scope'] ?? 'read');
    grant.addOIDCScope(scope);
    grant.addResourceScope(String(params['resource'] ?? url), scope);
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  };
  provider.use(async (context, next) => {
    await next();
    const { body } = context.oidc ?? {};
    if (context.path === '/token' && body !== undefined) world.grants.push(String(body['grant_type']));
    for (const name of ['code', 'code_verifier', 'client_secret', 'client_assertion'])
      if (typeof body?.[name] === 'string') world.secrets.add(body[name]);
  });

  const answer = provider.callback();
  authorization.on('request', async (request, response) => {
    if (request.url?.startsWith('/interaction/')) return void finish(request, response).catch((error) => response.destroy(error));
    if (request.url === '/token' && world.tokenPath !== '/token')
      return void response.writeHead(404, { 'content-type': 'text/html' }).end('<p>Not here.</p>');
    if (request.url === world.tokenPath) {
      request.url = '/token';
      try {
        await world.beforeToken(response);
      } catch {
        return void response.writeHead(503).end();
      }
      if (response.headersSent) return;
      capture(response, (body) => {
        const { access_token: access, refresh_token: refresh } = JSON.parse(body);
        if (typeof access === 'string') issued.add(access);
        for (const secret of [access, refresh]) if (typeof secret === 'string') world.secrets.add(secret);
      });
    }
    if (request.url?.startsWith('/.well-known/')) {
      const { metadata: change = (found: Record<string, unknown>) => found } = options;
      const moved = (found: Record<string, unknown>) => ({ ...found, token_endpoint: `${issuer}${world.tokenPath}` });
      return rewrite(
        response,
        (found) => change(moved(found)),
        () => answer(request, response),
      );
    }
    await answer(request, response);
  });
  /** The MCP server at this URL. */
  const answering = (at: string, received: Set<string>) =>
    resourceServer(sdk, {
      origin,
      metadataUrl: options.metadataUrl ?? metadataUrlOf(at),
      writeScope,
      protects: options.protects ?? 'everything',
      async verify(token) {
        received.add(token);
        const found = (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token));
        if (found?.isValid !== true || found.aud !== at || expired.has(token)) return undefined;
        const scopes = found.scope?.split(' ') ?? [];
        return { token, clientId: found.clientId ?? '', scopes, expiresAt: Math.floor(Date.now() / 1000) + found.remainingTTL };
      },
      passed(token) {
        world.calls++;
        world.used.add(token);
      },
    });
  const [mcp, other] = [answering(url, world.received), answering(otherUrl, world.receivedByOther)];
  resource.on('request', (request, response) => {
    const isOther = request.url?.endsWith('/other');
    if (options.refusesStreams === true && request.method === 'GET' && request.url === '/mcp') {
      world.refusedStreams++;
      return response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    }
    if (options.challenge !== undefined) changeChallenges(response, options.challenge);
    if (!request.url?.startsWith(METADATA_PATH)) return (isOther ? other : mcp)(request, response);
    const at = isOther ? otherUrl : url;
    const metadata = { resource: at, authorization_servers: [issuer], scopes_supported: ['read'], bearer_methods_supported: ['header'] };
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(options.resource?.(metadata) ?? metadata));
  });
  return world;
}

function metadataUrlOf(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${METADATA_PATH}${pathname}`;
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Intercepts the header, however the server sets it. */
function changeChallenges(response: ServerResponse, change: (header: string) => string): void {
  const writeHead = response.writeHead.bind(response);
  response.writeHead = ((status: number, ...others: [Record<string, string>?]) => {
    const [given = {}] = others;
    const header = given['www-authenticate'] ?? response.getHeader('www-authenticate');
    if (typeof header !== 'string') return writeHead(status, ...others);
    response.removeHeader('www-authenticate');
    return writeHead(status, { ...given, 'www-authenticate': change(header) });
  }) as typeof response.writeHead;
}

function capture(response: ServerResponse, seen: (body: string) => void): void {
  const end = response.end.bind(response);
  response.end = ((chunk?: unknown, ...others: []) => {
    if (chunk !== undefined && response.statusCode === 200) seen(String(chunk));
    return end(chunk, ...others);
  }) as typeof response.end;
}

function rewrite(
  response: ServerResponse,
  change: (metadata: Record<string, unknown>) => Record<string, unknown>,
  answer: () => unknown,
): void {
  const end = response.end.bind(response);
  response.end = ((chunk?: unknown) => {
    const text = response.statusCode === 200 ? JSON.stringify(change(JSON.parse(String(chunk)))) : String(chunk ?? '');
    response.setHeader('content-length', Buffer.byteLength(text));
    return end(text);
  }) as typeof response.end;
  void answer();
}

/** Follows redirects with cookies, like a browser. */
async function browse(start: string, secrets: Set<string>, stopAt?: string): Promise<Response> {
  const cookies = new Map<string, string>();
  let url = new URL(start);
  for (let step = 0; step < 20; step++) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) return response;
    url = new URL(location, url);
    const code = url.searchParams.get('code');
    if (code !== null) secrets.add(code);
    if (stopAt !== undefined && url.pathname.endsWith(stopAt)) return Object.defineProperty(new Response(), 'url', { value: url.href });
  }
  throw new Error('too many redirects');
}
