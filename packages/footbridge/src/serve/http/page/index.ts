/** The routes of the catalog page: its files, which hold no data, and four JSON endpoints. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import type { Catalog } from '../../../catalog/catalog.js';
import { callName, type Snapshot } from '../../../catalog/snapshot.js';
import { findSkillFile } from '../../../catalog/target.js';
import { FootbridgeError } from '../../../errors.js';
import { jsonInTurns } from '../../../json-pieces.js';
import type { Caller, StaticResource, TemplateResource } from '../../../sources/resource.js';
import { skillRoot, skillUri } from '../../../sources/skill-uri.js';
import type { Skill } from '../../../sources/source.js';
import { UNLIMITED_VIEW } from '../../../surfaces/hosts/view.js';
import { whenListed } from '../../../surfaces/passthrough.js';
import { listTools, type ToolChoice } from '../../../surfaces/tools/index.js';
import { unavailableField, unavailableOf } from '../../../surfaces/unavailable.js';
import { inTurns, stepsOver } from '../../../turns.js';
import { VERSION } from '../../../version.js';
import type {
  PageData,
  PageFile,
  PageFiles,
  PageInsight,
  PageLink,
  PageProblem,
  PageResource,
  PageSearch,
  PageSkill,
  PageTemplate,
} from './shapes.js';

/** The part of the options that depends on the request. */
export type PageView = Pick<PageDataOptions, 'caller' | 'catalog' | 'endpoint' | 'tools' | 'insight'>;

export interface PageOptions extends Omit<PageDataOptions, keyof PageView> {
  /** Called for requests to `/api/*`, which are authenticated already. */
  viewOf(request: IncomingMessage): PageView | Promise<PageView>;
  /** For callers whose view includes it. */
  insight(): Promise<PageInsight>;
}

/** By path: the file and its content type. */
const ASSETS = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
} as const;
/** Skills and resources that a search returns. */
const MAX_FOUND = 50;
/** Callers whose data is cached, per snapshot. */
const MAX_CACHED = 20;

/** To be mounted at `/`, after the checks of Host, Origin and, for `/api/*`, the token. */
export function pageRoutes({ viewOf, insight, ...options }: PageOptions): Hono<NodeEnvironment> {
  const app = new Hono<NodeEnvironment>();
  // Not for the other paths of the parent application.
  for (const path of [...Object.keys(ASSETS), '/api/catalog', '/api/search', '/api/skill', '/api/insight']) app.use(path, addHeaders);
  for (const [path, [name, type]] of Object.entries(ASSETS))
    app.get(
      path,
      async (context) =>
        (await asset(name, type)?.respond(context)) ?? context.text('The catalog page is not built. Run npm run build.\n', 503),
    );

  /** The page polls, so its data is serialized once per snapshot and caller. */
  const cache = new WeakMap<Snapshot, Map<string, Promise<StaticBody>>>();
  const catalogBody = (view: PageView): Promise<StaticBody> => {
    const { caller, catalog, endpoint } = view;
    const bodies = cache.get(catalog.snapshot) ?? new Map<string, Promise<StaticBody>>();
    cache.set(catalog.snapshot, bodies);
    // Failures of upstreams change without a new snapshot.
    const key = JSON.stringify([caller.name, caller.roles, caller.admin, endpoint, unavailableOf(catalog.snapshot)]);
    const known = bodies.get(key);
    if (known !== undefined) return known;
    const body = inTurns(pageDataSteps({ ...options, ...view }), 'call').then(jsonBody);
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
    return (await catalogBody(view)).respond(context);
  });

  app.get('/api/search', async (context) => {
    const { catalog } = await viewOf(context.env.incoming);
    await catalog.settled();
    const { searchAll } = await import('../../../catalog/search/index.js');
    const matches = await searchAll(catalog, context.req.query('words') ?? '');
    const found: PageSearch = { uris: matches.slice(0, MAX_FOUND).map((each) => ('uri' in each ? each.uri : skillUri(each))) };
    return context.json(found, 200, { 'Cache-Control': 'no-store' });
  });

  app.get('/api/skill', async (context) => {
    const { catalog } = await viewOf(context.env.incoming);
    await catalog.settled();
    const files = await skillFiles(catalog, context.req.query('uri') ?? '');
    if (files === undefined) return problem(context, 404, { error: 'NotFound', message: 'Skill not found.' });
    return context.json(files, 200, { 'Cache-Control': 'no-store' });
  });

  app.get('/api/insight', async (context) => {
    const view = await viewOf(context.env.incoming);
    if (!view.insight) return problem(context, 403, { error: 'forbidden', message: 'Insight is for the role admin.' });
    return context.json(await insight(), 200, { 'Cache-Control': 'no-store' });
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

function problem(context: Context, status: 403 | 404 | 502, body: PageProblem): Response {
  return context.json(body, status, { 'Cache-Control': 'no-store' });
}

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Images of skills are read through MCP.
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=(), clipboard-write=(self)',
};

/** A response body with its ETag, compressed once. */
class StaticBody {
  readonly etag: string;
  #gzipped: Promise<Uint8Array<ArrayBuffer>> | undefined;

  constructor(
    readonly bytes: Uint8Array<ArrayBuffer>,
    readonly type: string,
    readonly cacheControl: 'no-cache' | 'no-store',
    hash = createHash('sha256').update(bytes),
  ) {
    this.etag = `"${hash.digest('base64url')}"`;
  }

  async respond(context: Context): Promise<Response> {
    const headers = { 'Cache-Control': this.cacheControl, ETag: this.etag, Vary: 'Accept-Encoding, Authorization' };
    if (context.req.header('if-none-match') === this.etag) return context.body(null, 304, headers);
    const typed = { ...headers, 'Content-Type': this.type };
    if (context.req.header('accept-encoding')?.includes('gzip') !== true) return context.body(this.bytes, 200, typed);
    this.#gzipped ??= compressed(this.bytes).then((bytes) => new Uint8Array(bytes));
    return context.body(await this.#gzipped, 200, { ...typed, 'Content-Encoding': 'gzip' });
  }
}

/** On another thread: the catalog may have megabytes. */
const compressed = promisify<Uint8Array, Buffer>(gzip);

/** Written and hashed piece by piece. */
async function jsonBody(data: PageData): Promise<StaticBody> {
  const hash = createHash('sha256');
  const pieces: Uint8Array[] = [];
  for await (const text of jsonInTurns(data)) {
    const piece = Buffer.from(text);
    hash.update(piece);
    pieces.push(piece);
  }
  return new StaticBody(new Uint8Array(Buffer.concat(pieces)), 'application/json; charset=utf-8', 'no-store', hash);
}

const assets = new Map<string, StaticBody>();

/** Undefined when the page is not built. */
function asset(name: string, type: string): StaticBody | undefined {
  const file = join(folder, name);
  const body = assets.get(name) ?? (existsSync(file) ? new StaticBody(new Uint8Array(readFileSync(file)), type, 'no-cache') : undefined);
  if (body !== undefined) assets.set(name, body);
  return body;
}

/** `page` next to the bundled program; for an unbundled module, in the bundle of its package. */
const folder = locate(dirname(fileURLToPath(import.meta.url)));

function locate(start: string): string {
  const beside = join(start, 'page');
  if (existsSync(join(beside, 'index.html'))) return beside;
  for (let at = start; dirname(at) !== at; at = dirname(at)) if (existsSync(join(at, 'package.json'))) return join(at, 'bundle', 'page');
  return beside;
}

const MAX_FILES = 512;

interface PageDataOptions {
  /** Restricted to what this caller may see. */
  readonly catalog: Catalog;
  readonly caller: Caller;
  readonly endpoint: string;
  readonly protected: boolean;
  /** Whether the caller may see who uses what. */
  readonly insight: boolean;
  readonly pages: readonly PageLink[];
  readonly tools?: ToolChoice;
  readonly prompts?: boolean;
  /** The roles that see a URI or some URI of a template, as far as the caller may know; undefined when no roles are configured. */
  readonly seenBy: (uri: string, caller: Caller) => readonly string[] | undefined;
}

/** In steps: the catalog may have very many things. */
function* pageDataSteps(options: PageDataOptions): Generator<void, PageData> {
  const { catalog, caller, endpoint, tools = {}, prompts = false } = options;
  const { snapshot } = catalog;
  const skills: PageSkill[] = [];
  yield* stepsOver(snapshot.skills, (skill) => skills.push(describeSkill(skill, snapshot, options)));
  const resources: PageResource[] = [];
  yield* stepsOver(snapshot.resources, (resource) => resources.push(describe(resource.entry.uri, resource, options)));
  const templates: PageTemplate[] = [];
  yield* stepsOver(snapshot.templates, (template) => templates.push(describeTemplate(template, options)));
  return {
    server: { name: 'Footbridge', version: VERSION, endpoint, protected: options.protected, prompts },
    caller: { name: caller.name, roles: caller.roles, admin: caller.admin },
    tools: listTools(snapshot, UNLIMITED_VIEW, tools).map(({ name, title }) => ({ name, title })),
    skills,
    resources,
    templates,
    insight: options.insight,
    pages: options.pages,
    ...unavailableField(unavailableOf(snapshot)),
  };
}

function describeSkill(skill: Skill, snapshot: Snapshot, { caller, seenBy }: PageDataOptions): PageSkill {
  const uri = skillUri(skill);
  const { conforms, description, group, location, modified, name, origin, provenance, size } = skill;
  return {
    name,
    callName: callName(snapshot, skill),
    uri,
    description,
    category: group.length === 0 ? undefined : group.join('/'),
    origin,
    location,
    conforms,
    size,
    ...(provenance === undefined ? {} : { version: provenance.version, signer: provenance.signer ?? 'unsigned' }),
    ...(modified === undefined ? {} : { modified: new Date(modified).toISOString() }),
    seenBy: seenBy(uri, caller) ?? 'everybody',
  };
}

function describeTemplate(resource: TemplateResource, options: PageDataOptions): PageTemplate {
  return {
    ...describe(resource.entry.uriTemplate, resource, options),
    variables: resource.template.variables.map(({ name, required }) => ({
      name,
      required,
      examples: Object.hasOwn(resource.examples, name) ? (resource.examples[name] ?? []) : [],
    })),
  };
}

function describe(uri: string, resource: StaticResource | TemplateResource, { caller, catalog, seenBy }: PageDataOptions): PageResource {
  const { entry, category, requiresAdmin } = resource;
  return {
    uri,
    name: textOf(entry.name) ?? uri,
    title: textOf(entry.title),
    description: textOf(entry.description) ?? '',
    mimeType: textOf(entry.mimeType),
    category,
    origin: catalog.originOf(resource),
    requiresAdmin,
    seenBy: seenBy(uri, caller) ?? (requiresAdmin ? 'admins' : 'everybody'),
  };
}

/** Entries of upstreams are not validated: a field may have any type. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The files of the skill that contains `uri`; undefined when no skill does. */
async function skillFiles(catalog: Catalog, uri: string): Promise<PageFiles | undefined> {
  const found = findSkillFile(catalog.snapshot, uri);
  if (found === undefined) return undefined;
  const files: PageFile[] = [];
  const folders = [skillRoot(found.skill)];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const { path, uri, kind, size, mimeType } of (await catalog.list(folder)) ?? []) {
      if (files.length === MAX_FILES) return { files, more: true };
      if (kind === 'directory') folders.push(uri);
      files.push({ path, uri, kind, size, mimeType });
    }
  }
  return { files: files.sort((one, other) => (one.path < other.path ? -1 : 1)), more: false };
}

export type NodeEnvironment = { Bindings: HttpBindings };
