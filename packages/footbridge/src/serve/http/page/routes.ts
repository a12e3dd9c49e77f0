/** The routes of the catalog page: its files, which hold no data, and two JSON endpoints. */
import type { IncomingMessage } from 'node:http';
import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Snapshot } from '../../../catalog/snapshot.js';
import { FootbridgeError } from '../../../errors.js';
import { whenListed } from '../../../surfaces/passthrough.js';
import { unavailableOf } from '../../../surfaces/unavailable.js';
import type { NodeEnvironment } from '../environment.js';
import { type AssetName, asset, PAGE_HEADERS, StaticBody } from './assets.js';
import { type PageDataOptions, pageData, skillFiles } from './data.js';
import type { PageProblem } from './shapes.js';

/** The part of the options that depends on the request. */
export type PageView = Pick<PageDataOptions, 'caller' | 'catalog' | 'endpoint' | 'tools'>;

export interface PageOptions extends Omit<PageDataOptions, keyof PageView> {
  /** Called for requests to `/api/*`, which are authenticated already. */
  viewOf(request: IncomingMessage): PageView | Promise<PageView>;
}

const ASSETS: Readonly<Record<string, AssetName>> = { '/': 'index.html', '/page.js': 'page.js', '/page.css': 'page.css' };
/** Callers whose data is cached, per snapshot. */
const MAX_CACHED = 20;

/** To be mounted at `/`, after the checks of Host, Origin and, for `/api/*`, the token. */
export function pageRoutes({ viewOf, ...options }: PageOptions): Hono<NodeEnvironment> {
  const app = new Hono<NodeEnvironment>();
  // Only for our paths: the parent application has others.
  for (const path of [...Object.keys(ASSETS), '/api/catalog', '/api/skill']) app.use(path, addHeaders);
  for (const [path, name] of Object.entries(ASSETS))
    app.get(path, (context) => asset(name)?.respond(context) ?? context.text('The catalog page is not built. Run npm run build.\n', 503));

  /** The page polls, so its data is serialized once per snapshot and caller. */
  const cache = new WeakMap<Snapshot, Map<string, StaticBody>>();
  const catalogBody = (view: PageView): StaticBody => {
    const { caller, catalog, endpoint } = view;
    const bodies = cache.get(catalog.snapshot) ?? new Map<string, StaticBody>();
    cache.set(catalog.snapshot, bodies);
    // Failures of upstreams change without a new snapshot.
    const key = JSON.stringify([caller.name, caller.roles, caller.admin, endpoint, unavailableOf(catalog.snapshot)]);
    const body =
      bodies.get(key) ?? new StaticBody(JSON.stringify(pageData({ ...options, ...view })), 'application/json; charset=utf-8', 'no-store');
    if (bodies.size < MAX_CACHED) bodies.set(key, body);
    return body;
  };
  app.get('/api/catalog', async (context) => {
    const view = await viewOf(context.env.incoming);
    const { caller, catalog } = view;
    await catalog.settled();
    await catalog.introspect({ caller, signal: context.req.raw.signal });
    // Upstreams start on their first list request; without it the first page would be empty.
    await whenListed(catalog.snapshot.upstreams);
    return catalogBody(view).respond(context);
  });

  app.get('/api/skill', async (context) => {
    const { catalog } = await viewOf(context.env.incoming);
    await catalog.settled();
    const files = await skillFiles(catalog, context.req.query('uri') ?? '');
    if (files === undefined) return problem(context, 404, { error: 'NotFound', message: 'Skill not found.' });
    return context.json(files, 200, { 'Cache-Control': 'no-store' });
  });

  app.onError((error, context) => {
    if (!(error instanceof FootbridgeError)) throw error;
    return problem(context, 502, { error: error.code, message: error.message });
  });
  return app;
}

async function addHeaders(context: Context, next: () => Promise<void>): Promise<void> {
  await next();
  for (const [name, value] of Object.entries(PAGE_HEADERS)) context.res.headers.set(name, value);
}

function problem(context: Context, status: ContentfulStatusCode, body: PageProblem): Response {
  return context.json(body, status, { 'Cache-Control': 'no-store' });
}
