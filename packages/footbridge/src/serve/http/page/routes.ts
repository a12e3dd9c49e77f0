/** The catalog page: its files, which hold no data, and the two questions that it asks beside those of MCP. */
import type { IncomingMessage } from 'node:http';
import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Snapshot } from '../../../catalog/snapshot.js';
import { FootbridgeError } from '../../../errors.js';
import { listsOf } from '../../../surfaces/passthrough.js';
import type { NodeEnvironment } from '../environment.js';
import { type AssetName, asset } from './assets.js';
import { type PageDataOptions, pageData } from './data.js';
import { Document, send } from './document.js';
import { skillFiles } from './files.js';
import { PAGE_HEADERS } from './headers.js';
import type { PageProblem } from './shapes.js';

/** Who opened the page, what they may see, and where their hosts connect. */
export type PageVisit = Pick<PageDataOptions, 'caller' | 'catalog' | 'endpoint' | 'tools'>;

export interface PageOptions extends Omit<PageDataOptions, keyof PageVisit> {
  /** Of a request to `/api/*`, which whoever stands in front has let through already. */
  visit(request: IncomingMessage): PageVisit | Promise<PageVisit>;
}

const PATHS = ['/', '/page.js', '/page.css', '/api/catalog', '/api/skill'];

/** To be mounted at `/`, behind whatever checks Host, Origin and, for `/api/*`, the token. */
export function pageRoutes({ visit, ...options }: PageOptions): Hono<NodeEnvironment> {
  const app = new Hono<NodeEnvironment>();
  // By path: a parent's other paths are none of our business.
  for (const path of PATHS) app.use(path, withHeaders);
  app.get('/', (context) => sendAsset(context, 'index.html'));
  app.get('/page.js', (context) => sendAsset(context, 'page.js'));
  app.get('/page.css', (context) => sendAsset(context, 'page.css'));

  const catalogs = new Catalogs((seen) => JSON.stringify(pageData({ ...options, ...seen })));
  app.get('/api/catalog', async (context) => {
    const seen = await visit(context.env.incoming);
    const { caller, catalog } = seen;
    await catalog.settled();
    await catalog.introspect({ caller, signal: context.req.raw.signal });
    // Who opens the page first must not find it empty: servers start when somebody asks for lists.
    await listsOf(catalog.snapshot.upstreams);
    return send(context, catalogs.for(seen));
  });

  app.get('/api/skill', async (context) => {
    const { catalog } = await visit(context.env.incoming);
    await catalog.settled();
    const files = await skillFiles(catalog, context.req.query('uri') ?? '');
    if (files === undefined) return problem(context, 404, { error: 'NotFound', message: 'There is no such skill, or no longer.' });
    return context.json(files, 200, { 'Cache-Control': 'no-store' });
  });

  app.onError((error, context) => {
    if (!(error instanceof FootbridgeError)) throw error;
    return problem(context, 502, { error: error.code, message: error.message });
  });
  return app;
}

async function withHeaders(context: Context, next: () => Promise<void>): Promise<void> {
  await next();
  for (const [name, value] of Object.entries(PAGE_HEADERS)) context.res.headers.set(name, value);
}

function sendAsset(context: Context, name: AssetName): Response {
  const found = asset(name);
  return found === undefined ? context.text('The catalog page is not built. Run npm run build.\n', 503) : send(context, found);
}

function problem(context: Context, status: ContentfulStatusCode, body: PageProblem): Response {
  return context.json(body, status, { 'Cache-Control': 'no-store' });
}

/** Whoever comes under many names does not fill the memory. */
const MOST_CALLERS = 20;

/** What each caller may see, written down once for each snapshot: the page asks again whenever somebody looks at it. */
class Catalogs {
  readonly #documents = new WeakMap<Snapshot, Map<string, Document>>();

  constructor(readonly write: (visit: PageVisit) => string) {}

  for(visit: PageVisit): Document {
    const { snapshot } = visit.catalog;
    const documents = this.#documents.get(snapshot) ?? new Map<string, Document>();
    this.#documents.set(snapshot, documents);
    const { name, roles, admin } = visit.caller;
    const key = JSON.stringify([name, roles, admin, visit.endpoint]);
    const known = documents.get(key);
    if (known !== undefined) return known;
    // Kept by the tab, not by the browser.
    const made = new Document(this.write(visit), 'application/json; charset=utf-8', 'no-store');
    if (documents.size < MOST_CALLERS) documents.set(key, made);
    return made;
  }
}
