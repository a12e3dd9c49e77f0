/** What is not MCP: health, metrics, who to sign in with, and the page. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import type { Visit } from './visit.js';

type Environment = { Bindings: HttpBindings };

export interface RoutesOptions {
  /** Whether requests should come here, and what to say of it. */
  readiness(): { readonly ready: boolean; readonly details: Readonly<Record<string, unknown>> };
}

export type Routes = (request: IncomingMessage, response: ServerResponse, visit: Visit | undefined) => Promise<void>;

export function createRoutes({ readiness }: RoutesOptions): Routes {
  const visits = new WeakMap<IncomingMessage, Visit>();
  const app = new Hono<Environment>();
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  app.get('/readyz', (context) => {
    const { ready, details } = readiness();
    return context.json({ status: ready ? 'ready' : 'not ready', ...details }, ready ? 200 : 503);
  });
  app.notFound((context) => context.text('Not here. MCP is spoken at /mcp.\n', 404));
  const listener = getRequestListener(app.fetch);
  return async (request, response, visit) => {
    if (visit !== undefined) visits.set(request, visit);
    await listener(request, response);
  };
}
