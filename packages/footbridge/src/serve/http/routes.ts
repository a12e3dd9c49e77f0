/** The routes besides MCP: health, metrics, OAuth metadata and the catalog page. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import type { Log } from '../../log.js';
import type { CallerViews } from '../caller-views.js';
import type { Metrics } from '../telemetry/metrics.js';
import { metadataPath, protectedResourceMetadata } from './auth/index.js';
import type { IncomingCall } from './incoming-call.js';
import type { OAuthOptions } from './options.js';
import { type NodeEnvironment, pageRoutes } from './page/index.js';
import { type InsightOptions, insightInto } from './page/insight.js';
import type { PageLink } from './page/shapes.js';
import type { CallerSignIns } from './sign-in/caller-sign-ins.js';
import { signInPages } from './sign-in/pages.js';

export interface RoutesOptions {
  readiness(): { readonly ready: boolean; readonly details: Readonly<Record<string, unknown>> };
  readonly metrics: Metrics;
  readonly isProtected: boolean;
  readonly oauth: OAuthOptions | undefined;
  /** The URL of the MCP endpoint, as the client reaches it. */
  endpointOf(request: IncomingMessage): string;
  readonly views: CallerViews;
  readonly prompts: boolean;
  readonly signIns: CallerSignIns | undefined;
  readonly insight: InsightOptions;
  /** Whether callers without authentication are administrators: they are all on this machine. */
  readonly isOwnersAlone: boolean;
  /** Pages of packs. */
  readonly pages: readonly PageLink[];
  readonly log: Log;
}

export type Routes = (request: IncomingMessage, response: ServerResponse, call: IncomingCall | undefined) => Promise<void>;

/** On a protected server. */
const METRICS_ROLES: ReadonlySet<string> = new Set(['admin', 'metrics']);

export function createRoutes(options: RoutesOptions): Routes {
  const { views, endpointOf, insight, isOwnersAlone, isProtected, log, metrics, oauth, pages, prompts, readiness, signIns } = options;
  const calls = new WeakMap<IncomingMessage, IncomingCall>();
  const app = new Hono<NodeEnvironment>();
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  app.get('/readyz', (context) => {
    const { ready, details } = readiness();
    return context.json({ status: ready ? 'ready' : 'not ready', ...details }, ready ? 200 : 503);
  });
  app.get('/metrics', async (context) => {
    const roles = calls.get(context.env.incoming)?.caller.roles ?? [];
    if (isProtected && !roles.some((role) => METRICS_ROLES.has(role)))
      return context.json({ error: 'forbidden', message: 'Metrics are for the roles admin and metrics.' }, 403);
    return context.body(await metrics.text(), 200, { 'content-type': metrics.contentType });
  });
  if (oauth !== undefined)
    app.get('/.well-known/oauth-protected-resource/*', (context) => {
      const resource = endpointOf(context.env.incoming);
      const { path } = context.req;
      if (![metadataPath('/'), metadataPath('/mcp'), metadataPath(new URL(resource).pathname)].includes(path)) return context.notFound();
      return context.json(protectedResourceMetadata(resource, oauth), 200, { 'access-control-allow-origin': '*' });
    });
  if (signIns !== undefined) app.route('/sign-in', signInPages(signIns));
  app.route(
    '/',
    pageRoutes({
      async viewOf(request) {
        const call = calls.get(request);
        if (call === undefined) throw new Error('The request has no caller.');
        const { catalog, tools } = await views.of(call.caller);
        const insight = call.caller.admin || isOwnersAlone;
        return { caller: call.caller, catalog, tools, endpoint: endpointOf(request), insight };
      },
      insight: insightInto(insight),
      pages,
      protected: isProtected,
      prompts,
      // Administrators see all roles; others see only their own.
      seenBy: (uri, { admin, roles }) => views.rolesThatSee(uri)?.filter((role) => admin || roles.includes(role)),
    }),
  );
  app.onError((error, context) => {
    log.error(`${context.req.method} ${context.req.path}: ${error.message}`);
    return context.json({ error: 'failed', message: 'Internal error. The log has details.' }, 500);
  });
  app.notFound((context) => context.text('Not found. The MCP endpoint is /mcp.\n', 404));
  const listener = getRequestListener(app.fetch);
  return async (request, response, call) => {
    if (call !== undefined) calls.set(request, call);
    await listener(request, response);
  };
}
