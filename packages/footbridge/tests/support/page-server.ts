/** A server with the catalog page, as `footbridge serve --http` has it: the page, the endpoint, and a gate in front. */
import { serve } from '@hono/node-server';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { onTestFinished } from 'vitest';
import { Catalog } from '../../dist/catalog/catalog.js';
import { pageRoutes } from '../../dist/serve/http/page/routes.js';
import { createServer } from '../../dist/serve/server.js';
import type { Caller } from '../../dist/sources/resource.js';
import { skillFolders } from '../../dist/sources/skills/index.js';
import type { Source } from '../../dist/sources/source.js';
import type { World } from './folders.js';

export interface PageServerOptions {
  readonly sources?: readonly Source[];
  /** What has to be shown; anybody may come without it. */
  readonly token?: string;
  readonly seenBy?: (uri: string) => readonly string[] | undefined;
}

export interface PageServer {
  /** Where the page is, with a slash at the end. */
  readonly url: string;
  readonly endpoint: string;
  /** Looks at the folders again. */
  rescan(): Promise<void>;
  /** Answers every call from now on with 429. */
  limit(): void;
  close(): Promise<void>;
}

/** Serves a world's skills on a free port until the test is over. */
export async function startPageServer(world: World, options: PageServerOptions = {}): Promise<PageServer> {
  const { sources = [], token, seenBy = () => undefined } = options;
  const skills = skillFolders({ workingFolder: world.project, home: world.home, watch: false });
  const catalog = await Catalog.open([skills, ...sources]);
  const caller: Caller = {
    id: 'test',
    name: token === undefined ? 'anonymous' : 'build-agent',
    roles: token === undefined ? [] : ['reader'],
    admin: false,
  };
  const handler = createMcpHandler(() => createServer({ catalog, announce: false, identity: caller }));
  const app = new Hono();
  let limited = false;
  app.use(async (context, next) => {
    const open = ['/', '/page.js', '/page.css'].includes(context.req.path);
    if (open) return next();
    if (limited) return context.json({ error: 'TooManyRequests', message: 'Too many requests.' }, 429, { 'Retry-After': '7' });
    if (token !== undefined && context.req.header('authorization') !== `Bearer ${token}`)
      return context.json({ error: 'invalid_token', message: 'Send a token that this server knows.' }, 401, {
        'WWW-Authenticate': 'Bearer',
      });
    return next();
  });
  app.all('/mcp', (context) => handler.fetch(context.req.raw));
  let endpoint = '';
  app.route(
    '/',
    pageRoutes({
      visit: () => ({ caller, catalog }),
      endpoint: () => endpoint,
      protected: token !== undefined,
      seenBy,
      originOf: (uri) => (uri.startsWith('docs:') ? 'docs server' : undefined),
    }),
  );
  const server = await new Promise<ReturnType<typeof serve>>((resolve) => {
    const listening = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
      endpoint = `http://127.0.0.1:${port}/mcp`;
      resolve(listening);
    });
  });
  const limit = () => {
    limited = true;
  };
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await handler.close();
    catalog.close();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      if ('closeAllConnections' in server) server.closeAllConnections();
    });
  };
  onTestFinished(close);
  return { url: new URL('/', endpoint).href, endpoint, rescan: () => catalog.refresh(), limit, close };
}
