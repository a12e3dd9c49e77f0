/** A real authorization server (oidc-provider, with rotation and reuse detection) and an MCP server that it protects. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import Provider, { type Configuration } from 'oidc-provider';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { type CallerKeys, offerExchange } from './token-exchange-grant.js';

export interface ProtectedOptions {
  /** Seconds that an access token is valid. */
  readonly lifetime?: number;
  readonly registration?: boolean;
  /** Whether logins can be renewed. */
  readonly refresh?: boolean;
  /** Registered by hand. */
  readonly clients?: Configuration['clients'];
  /** Client ID metadata documents that the authorization server finds on the web, by URL; it accepts them only where there are some. */
  readonly documents?: Readonly<Record<string, object>>;
  /** Exchanges tokens of callers. */
  readonly callers?: CallerKeys;
  /** What the MCP server is written with. */
  readonly sdk?: 'v1' | 'v2';
  /** Changes what the authorization server publishes about itself. */
  readonly metadata?: (metadata: Record<string, unknown>) => Record<string, unknown>;
  /** Changes what the MCP server publishes. */
  readonly resource?: (metadata: Record<string, unknown>) => Record<string, unknown>;
  /** The scope that the tool `write` requires. */
  readonly writeScope?: string;
}

export interface ProtectedWorld {
  /** Of the MCP server. */
  readonly url: string;
  readonly issuer: string;
  /** Requests for tokens, by grant. */
  readonly grants: string[];
  /** Secrets that must not appear anywhere else. */
  readonly secrets: Set<string>;
  /** Calls that reached the MCP server with a valid token. */
  calls: number;
  /** The tokens that they came with. */
  readonly used: Set<string>;
  /** Every token that reached the MCP server, valid or not. */
  readonly received: Set<string>;
  /** The caller of each exchanged token. */
  readonly exchanged: Map<string, string>;
  /** What is done before a token request is answered. */
  beforeToken: () => Promise<void>;
  /** Signs in as a person with a browser would; returns the last answer. */
  browse(url: string, options?: { readonly deny?: boolean }): Promise<Response>;
  /** The same, up to where the browser would return to. */
  returned(url: string): Promise<URL>;
  /** Access tokens are no longer accepted. */
  expire(): void;
  /** Refresh tokens are no longer accepted, either. */
  revokeAll(): Promise<void>;
}

export async function startProtected(options: ProtectedOptions = {}): Promise<ProtectedWorld> {
  const { lifetime = 3600, refresh = true, registration = true, writeScope = 'write', documents, sdk = 'v2' } = options;
  const authorization = createServer();
  const resource = createServer();
  const [issuer, origin] = await Promise.all([listen(authorization), listen(resource)]);
  const url = `${origin}/mcp`;
  const expired = new Set<string>();
  const issued = new Set<string>();
  let denies = false;

  const provider = new Provider(issuer, {
    clients: options.clients,
    ...(options.callers !== undefined && { jwks: options.callers.jwks }),
    clientDefaults: { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none' },
    pkce: { required: () => true },
    scopes: ['openid', 'offline_access'],
    rotateRefreshToken: true,
    issueRefreshToken: async () => refresh,
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    cookies: { keys: ['test'] },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    ttl: { AccessToken: lifetime, RefreshToken: 86_400, ClientCredentials: lifetime, Grant: 86_400, Session: 3600, Interaction: 600 },
    fetch: async (address) => {
      const document = documents?.[String(address)];
      return document === undefined ? new Response(null, { status: 404 }) : Response.json(document);
    },
    features: {
      clientIdMetadataDocument: { enabled: documents !== undefined, ack: 'draft-02' },
      devInteractions: { enabled: false },
      registration: { enabled: registration },
      revocation: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => url,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, asked) => {
          if (asked !== url) throw new Error('unknown resource');
          return { scope: `read ${writeScope}`, audience: url, accessTokenTTL: lifetime, accessTokenFormat: 'opaque' };
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
    issuer,
    grants: [],
    secrets: new Set(),
    calls: 0,
    used: new Set(),
    received: new Set(),
    exchanged: new Map(),
    beforeToken: async () => {},
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
    grant.addResourceScope(url, scope);
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  };
  provider.use(async (context, next) => {
    await next();
    const { body } = context.oidc ?? {};
    if (context.path === '/token' && body !== undefined) world.grants.push(String(body['grant_type']));
    for (const name of ['code', 'code_verifier', 'client_secret']) if (typeof body?.[name] === 'string') world.secrets.add(body[name]);
  });

  const answer = provider.callback();
  authorization.on('request', async (request, response) => {
    if (request.url?.startsWith('/interaction/')) return void finish(request, response).catch((error) => response.destroy(error));
    if (request.url === '/token') {
      try {
        await world.beforeToken();
      } catch {
        return void response.writeHead(503).end();
      }
      capture(response, (body) => {
        const { access_token: access, refresh_token: refresh } = JSON.parse(body);
        if (typeof access === 'string') issued.add(access);
        for (const secret of [access, refresh]) if (typeof secret === 'string') world.secrets.add(secret);
      });
    }
    if (request.url?.startsWith('/.well-known/') && options.metadata !== undefined) {
      const change = options.metadata;
      return rewrite(response, change, () => answer(request, response));
    }
    await answer(request, response);
  });
  const mcp = sdk === 'v1' ? answerWithFirst : answerWithSecond();
  resource.on('request', async (request, response) => {
    if (request.url?.startsWith('/.well-known/oauth-protected-resource')) {
      const metadata = { resource: url, authorization_servers: [issuer], scopes_supported: ['read'], bearer_methods_supported: ['header'] };
      return void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(options.resource?.(metadata) ?? metadata));
    }
    const sent = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (sent !== undefined) world.received.add(sent);
    const valid =
      sent === undefined || expired.has(sent)
        ? undefined
        : ((await provider.AccessToken.find(sent)) ?? (await provider.ClientCredentials.find(sent)));
    const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    if (valid?.isValid !== true || valid.aud !== url)
      return void response.writeHead(401, { 'www-authenticate': `${challenge}, scope="read"` }).end();
    // Older revisions name the tool in the body alone.
    const body = sdk === 'v1' ? await readJson(request) : undefined;
    if ((request.headers['mcp-name'] ?? body?.params?.name) === 'write' && !valid.scope?.split(' ').includes(writeScope))
      return void response.writeHead(403, { 'www-authenticate': `${challenge}, error="insufficient_scope", scope="${writeScope}"` }).end();
    world.calls++;
    if (sent !== undefined) world.used.add(sent);
    return mcp(request, response, body);
  });
  return world;
}

/** What is looked at of a message to the MCP server. */
type Message = { readonly params?: { readonly name?: unknown } } | undefined;

async function readJson(request: IncomingMessage): Promise<Message> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

/** Stateless: a server for each request, as its documentation shows. */
async function answerWithFirst(request: IncomingMessage, response: ServerResponse, body: Message): Promise<void> {
  const server = new McpServerV1({ name: 'protected', version: '1' });
  server.registerTool('whoami', {}, () => ({ content: [{ type: 'text', text: 'ada' }] }));
  server.registerTool('write', {}, () => ({ content: [{ type: 'text', text: 'written' }] }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  response.on('close', () => void server.close());
  await server.connect(transport as TransportV1);
  await transport.handleRequest(request, response, body);
}

function answerWithSecond() {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'protected', version: '1' });
    server.registerTool('whoami', { inputSchema: z.object({}) }, () => ({ content: [{ type: 'text', text: 'ada' }] }));
    server.registerTool('write', { inputSchema: z.object({}) }, () => ({ content: [{ type: 'text', text: 'written' }] }));
    return server;
  });
  return getRequestListener((request) => handler.fetch(request));
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
    if (url.pathname === stopAt) return Object.defineProperty(new Response(), 'url', { value: url.href });
  }
  throw new Error('too many redirects');
}
