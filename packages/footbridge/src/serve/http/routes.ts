/** What is not MCP: health, metrics, whom to sign in with, and the page. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import type { Log } from '../../log.js';
import type { CallerViews } from '../caller-views.js';
import type { Metrics } from '../telemetry/metrics.js';
import { metadataPath, protectedResourceMetadata } from './auth/challenge.js';
import type { NodeEnvironment } from './environment.js';
import type { IncomingCall } from './incoming-call.js';
import type { OAuthOptions } from './options.js';
import { pageRoutes } from './page/routes.js';

export interface RoutesOptions {
  /** Whether requests should come here, and what to say of it. */
  readiness(): { readonly ready: boolean; readonly details: Readonly<Record<string, unknown>> };
  readonly metrics: Metrics;
  /** Whether metrics are for those only who may see them. */
  readonly isProtected: boolean;
  readonly oauth: OAuthOptions | undefined;
  /** Where MCP is spoken, as whoever sent this request reaches it. */
  endpointOf(request: IncomingMessage): string;
  readonly views: CallerViews;
  readonly prompts: boolean;
  readonly log: Log;
}

export type Routes = (request: IncomingMessage, response: ServerResponse, call: IncomingCall | undefined) => Promise<void>;

/** Roles that may look at the metrics of a protected server. */
const MAY_SEE_METRICS: ReadonlySet<string> = new Set(['admin', 'metrics']);

export function createRoutes({ views, endpointOf, isProtected, log, metrics, oauth, prompts, readiness }: RoutesOptions): Routes {
  const visits = new WeakMap<IncomingMessage, IncomingCall>();
  const app = new Hono<NodeEnvironment>();
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  app.get('/readyz', (context) => {
    const { ready, details } = readiness();
    return context.json({ status: ready ? 'ready' : 'not ready', ...details }, ready ? 200 : 503);
  });
  app.get('/metrics', async (context) => {
    const roles = visits.get(context.env.incoming)?.caller.roles ?? [];
    if (isProtected && !roles.some((role) => MAY_SEE_METRICS.has(role)))
      return context.json({ error: 'forbidden', message: 'Metrics are for the roles admin and metrics.' }, 403);
    return context.body(await metrics.text(), 200, { 'content-type': metrics.contentType });
  });
  if (oauth !== undefined)
    app.get('/.well-known/oauth-protected-resource/*', (context) => {
      const resource = endpointOf(context.env.incoming);
      const { path } = context.req;
      if (![metadataPath('/'), metadataPath('/mcp'), metadataPath(new URL(resource).pathname)].includes(path)) return context.notFound();
      return context.json(protectedResourceMetadata({ resource, oauth }), 200, { 'access-control-allow-origin': '*' });
    });
  app.route(
    '/',
    pageRoutes({
      async viewOf(request) {
        const call = visits.get(request);
        if (call === undefined) throw new Error('nobody may ask without coming through the handler');
        const { catalog, tools } = await views.of(call.caller);
        return { caller: call.caller, catalog, tools, endpoint: endpointOf(request) };
      },
      protected: isProtected,
      prompts,
      seenBy: (uri) => views.rolesThatSee(uri),
    }),
  );
  app.onError((error, context) => {
    log.error(`${context.req.method} ${context.req.path}: ${error.message}`);
    return context.json({ error: 'failed', message: 'Internal error. The log has details.' }, 500);
  });
  app.notFound((context) => context.text('Not here. MCP is spoken at /mcp.\n', 404));
  const listener = getRequestListener(app.fetch);
  return async (request, response, call) => {
    if (call !== undefined) visits.set(request, call);
    await listener(request, response);
  };
}
