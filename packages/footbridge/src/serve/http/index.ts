/** Serving hosts over HTTP on this machine. */

import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { listChanges } from '../../surfaces/changes.js';
import { createServer, type ServerOptions } from '../server.js';

export interface HttpOptions extends ServerOptions {
  readonly host: string;
  readonly port: number;
}

/** A running HTTP server. */
export interface HttpServer {
  /** Where MCP is spoken. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/** Listens and resolves when hosts can connect. Rejects when the address is taken. */
export async function serveHttp(options: HttpOptions): Promise<HttpServer> {
  const { catalog, log, host, port } = options;
  const handler = createMcpHandler(() => createServer({ ...options, announce: false }), {
    onerror: (error) => log?.debug(`protocol: ${error.message}`),
  });
  const stop = catalog.onChange((change) => {
    const changed = listChanges(change);
    if (changed.tools) handler.notify.toolsChanged();
    if (changed.resources) handler.notify.resourcesChanged();
    if (changed.prompts && options.prompts === true) handler.notify.promptsChanged();
  });

  const stopUpdates = catalog.onUpdate((uri) => handler.notify.resourceUpdated(uri));

  const app = new Hono();
  app.use(async (context, next) => {
    const { raw } = context.req;
    return (
      hostHeaderValidationResponse(raw, localhostAllowedHostnames()) ??
      originValidationResponse(raw, localhostAllowedOrigins()) ??
      (await next())
    );
  });
  app.all('/mcp', (context) => handler.fetch(context.req.raw));
  app.notFound((context) => context.text('Not here. MCP is spoken at /mcp.\n', 404));

  const { server, address } = await listen(app, host, port);
  return {
    endpoint: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}/mcp`,
    async close() {
      stop();
      stopUpdates();
      await handler.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      });
    },
  };
}

function listen(app: Hono, hostname: string, port: number): Promise<{ server: ServerType; address: AddressInfo }> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname, port }, (address) => resolve({ server, address }));
    server.once('error', reject);
  });
}
