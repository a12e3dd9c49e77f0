/** MCP servers that require a token, each protected with the helpers of its SDK. */
import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth as requireBearerAuthV1 } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  type AuthInfo,
  createMcpHandler,
  McpServer,
  OAuthError,
  OAuthErrorCode,
  requireBearerAuth,
  requireScopes,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

export const SDKS = ['v1', 'v2'] as const;
/** The SDK of an MCP server: `@modelcontextprotocol/sdk` or `@modelcontextprotocol/server`. */
export type Sdk = (typeof SDKS)[number];

export interface Guard {
  /** The public URL of the server, without its path. */
  readonly origin: string;
  readonly metadataUrl: string;
  /** The scope that the tool `write` requires. */
  readonly writeScope: string;
  readonly protects: 'everything' | 'calls' | 'lists';
  /** Undefined for a token that is not valid here. */
  verify(token: string): Promise<AuthInfo | undefined>;
  /** Called for each request with a valid token. */
  passed(token: string): void;
}

const INFO = { name: 'protected', version: '1' };
const text = (words: string) => () => ({ content: [{ type: 'text' as const, text: words }] });

/** `sse`: the transport of 2024 alone. */
export function resourceServer(sdk: Sdk | 'sse', guard: Guard): RequestListener {
  if (sdk === 'sse') return onSse(guard);
  return sdk === 'v1' ? onFirst(guard) : onSecond(guard);
}

/** Stateless: a server for each request, as its documentation shows. */
function onFirst({ metadataUrl, origin, passed, protects, verify, writeScope }: Guard): RequestListener {
  const verifier = {
    async verifyAccessToken(token: string) {
      const found = await verify(token);
      if (found === undefined) throw new InvalidTokenError('unknown');
      return found;
    },
  };
  const guarded = (scope: string) => requireBearerAuthV1({ verifier, requiredScopes: [scope], resourceMetadataUrl: metadataUrl });
  const writing = guarded(writeScope);
  const app = createMcpExpressApp({ allowedHosts: ['127.0.0.1', 'localhost', new URL(origin).hostname] });
  const reading = guarded('read');
  app.use((request, response, next) => {
    if (protects === 'everything' || request.body?.method === (protects === 'calls' ? 'tools/call' : 'tools/list'))
      void reading(request, response, next);
    else next();
  });
  app.use((request, response, next) => {
    if (request.body?.params?.name === 'write') void writing(request, response, next);
    else next();
  });
  app.use(async (request, response) => {
    passed(request.auth?.token ?? '');
    const server = new McpServerV1(INFO);
    server.registerTool('whoami', {}, text('ada'));
    server.registerTool('write', {}, text('written'));
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    response.on('close', () => void server.close());
    await server.connect(transport as TransportV1);
    await transport.handleRequest(request, response, request.body);
  });
  return app;
}

/** Each request needs a token: that of the stream, and each message. */
function onSse({ metadataUrl, origin, passed, verify }: Guard): RequestListener {
  const streams = new Map<string, SSEServerTransport>();
  return async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', origin);
    const stream = streams.get(searchParams.get('sessionId') ?? '');
    if (request.method !== 'GET' && stream === undefined) return response.writeHead(405).end();
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    if ((await verify(token)) === undefined)
      return response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadataUrl}"` }).end();
    passed(token);
    if (stream !== undefined) return stream.handlePostMessage(request, response);
    const transport = new SSEServerTransport(pathname, response);
    streams.set(transport.sessionId, transport);
    const server = new McpServerV1(INFO);
    server.registerTool('whoami', {}, text('ada'));
    server.registerTool('write', {}, text('written'));
    await server.connect(transport);
  };
}

function onSecond({ metadataUrl, passed, protects, verify, writeScope }: Guard): RequestListener {
  const verifier = {
    async verifyAccessToken(token: string) {
      const found = await verify(token);
      if (found === undefined) throw new OAuthError(OAuthErrorCode.InvalidToken, 'unknown');
      return found;
    },
  };
  const gate = requireBearerAuth({ verifier, requiredScopes: ['read'], resourceMetadataUrl: metadataUrl });
  const inputSchema = z.object({});
  const handler = createMcpHandler(() => {
    const server = new McpServer(INFO);
    server.registerTool('whoami', { inputSchema }, text('ada'));
    server.registerTool('write', { inputSchema, scopeChallenge: requireScopes(writeScope) }, text('written'));
    return server;
  });
  return getRequestListener(async (request) => {
    if (protects !== 'everything' && !(await request.clone().text()).includes(protects === 'calls' ? '"tools/call"' : '"tools/list"'))
      return handler.fetch(request);
    const auth = await gate(request);
    if (auth instanceof Response) return auth;
    passed(auth.token);
    return handler.fetch(request, { authInfo: auth });
  });
}
