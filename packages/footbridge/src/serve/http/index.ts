/** The HTTP server: MCP of every revision at `/mcp`, and the catalog page. */
import { createServer as createNodeServer, type IncomingMessage } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { getOAuthProtectedResourceMetadataUrl } from '@modelcontextprotocol/server';
import type { SearchCache } from '../../catalog/search/cache.js';
import type { Source } from '../../sources/source.js';
import { withoutPaths } from '../../sources/transforms/without-paths.js';
import type { HostViews } from '../../surfaces/hosts/view.js';
import type { ToolChoice } from '../../surfaces/tools/index.js';
import { CallerViews } from '../caller-views.js';
import type { PackRoute } from '../packs/pack.js';
import { pagesOf, routerOf } from '../packs/routes.js';
import { SubscriptionQuota } from '../session/subscription-quota.js';
import { warnOfTakenNames } from '../taken-names.js';
import { type Tap, tapped } from '../tap.js';
import { createMetrics } from '../telemetry/metrics.js';
import { combineObservers, type Observer, observed } from '../telemetry/observer.js';
import type { RequestLog } from '../telemetry/request-log.js';
import type { SkillUses } from '../telemetry/skill-uses.js';
import { observeUses } from '../telemetry/use-observer.js';
import { addressesOf, isLocalOnly, listenOn } from './addresses.js';
import { Admission, concurrencyLimited, rateLimited } from './admission.js';
import { challengeHeader, createAuthenticator, isProtected } from './auth/index.js';
import { Changes } from './changes.js';
import { createLimiter } from './limiter.js';
import { McpEndpoint } from './mcp.js';
import { OpenResponses } from './open-responses.js';
import { DEFAULT_HTTP_LIMITS, type HttpAccess } from './options.js';
import type { Inspection } from './page/insight.js';
import { RequestHandler } from './request-handler.js';
import { HttpResponse } from './response.js';
import { createRoutes } from './routes.js';
import { Sessions } from './sessions.js';
import { inProcess } from './shared/session-table.js';
import type { SharedState } from './shared/shared-state.js';
import { CallerTokens } from './sign-in/caller-tokens.js';
import { type CallerServers, openSignIns } from './sign-in/index.js';
import { SseEndpoint } from './sse.js';

export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  /** Closed with the server. */
  readonly sources: readonly Source[];
  readonly access?: HttpAccess;
  readonly tools?: ToolChoice;
  /** How the catalog is shown to each host. Default: as measured. */
  readonly hosts?: HostViews;
  readonly prompts?: boolean;
  readonly routes?: readonly PackRoute[];
  /** Servers that each caller signs in to. */
  readonly callerServers?: CallerServers;
  /** Default: in memory. */
  readonly searchCache?: SearchCache;
  /** Default: a single replica. */
  readonly shared?: SharedState;
  /** Counts uses of skills. Default: they are not counted. */
  readonly uses?: SkillUses | undefined;
  /** What skills cost and what is wrong with them, for administrators. */
  readonly inspect?: (() => Promise<Inspection>) | undefined;
  /** Observes requests besides the metrics. */
  readonly observer?: Observer;
  /** Receives the content of all requests and answers. */
  readonly tap?: Tap;
  readonly log: RequestLog;
}

export interface HttpServer {
  /** The URL of the MCP endpoint. */
  readonly endpoint: string;
  /** The URL listened on; `endpoint` may have a public one. */
  readonly listening: string;
  /** The public URL without a trailing slash. */
  readonly base: string;
  readonly page: string;
  /** Pages of packs, by title. */
  readonly packPages: readonly { readonly title: string; readonly url: string }[];
  readonly skills: number;
  /** Waits up to ten seconds for running calls, and until their answers are read. */
  close(): Promise<void>;
}

/** Proxies close streams that are silent for longer. */
const KEEP_ALIVE_MS = 25_000;
/** How long running calls, and readers of their answers, may take after `close`. */
const GRACE_MS = 7000;

/** Resolves when hosts can connect. Rejects when the address is in use. */
export async function serveHttp(options: HttpOptions): Promise<HttpServer> {
  const {
    access = {},
    host,
    hosts,
    log,
    port,
    prompts = false,
    routes = [],
    shared = inProcess(),
    sources,
    tools = {},
    searchCache,
  } = options;
  const { oauth, roles } = access;
  const { callerServers } = options;
  const limits = { ...DEFAULT_HTTP_LIMITS, ...access.limits };
  const tokens = new CallerTokens(oauth?.issuer);
  const checked = isProtected(access) ? createAuthenticator(access, log) : undefined;
  const authenticator = callerServers?.uses.exchange === true ? checked && tokens.seenBy(checked) : checked;
  // Paths of skill files are of use on this machine only.
  const isLocal = isLocalOnly({ ...access, host });
  const publicBase = access.publicUrl && baseOf(access.publicUrl);
  const signIns = callerServers && openSignIns(callerServers, access, publicBase, tokens, shared, options.shared !== undefined);
  const views = await CallerViews.open(isLocal ? sources : sources.map(withoutPaths), {
    roles,
    tools,
    hosts,
    prompts,
    own: signIns && ((caller) => callerServers.source(signIns.loginsOf(caller))),
    remembered: true,
    log,
    searchCache,
  });
  const { catalog } = views.whole;
  warnOfTakenNames(catalog, tools, log);
  let isSettled = false;
  catalog.settled().then(
    () => {
      isSettled = true;
    },
    (cause: unknown) => log.error(`Cannot read the skill folders: ${String(cause)}`),
  );
  const changes = new Changes(views, shared, prompts);
  const metrics = createMetrics();
  const uses = observeUses(
    () => catalog.snapshot,
    prompts,
    (skill) => {
      metrics.used(skill);
      options.uses?.add(skill);
    },
  );
  const observer = combineObservers([metrics.observer, uses, ...(options.observer === undefined ? [] : [options.observer])]);
  const limiter = createLimiter(limits, shared.usage);
  const responses = new OpenResponses(limits.subscriptions);
  const admission = new Admission(limiter);
  const middleware = [observed(observer), ...(options.tap === undefined ? [] : [tapped(options.tap)])];
  const quota = new SubscriptionQuota();
  const common = { admission, views, changes, keepAliveMs: KEEP_ALIVE_MS, limits, log, responses, prompts, quota };
  const limited = { ...common, middleware: [...middleware, rateLimited(admission)] };
  const sessions = new Sessions({ ...limited, records: shared.sessions });
  const mcp = new McpEndpoint({ ...limited, sessions });
  const sse = new SseEndpoint({
    ...common,
    // `/messages` applies the rate limit.
    middleware: [...middleware, concurrencyLimited(admission)],
    post: shared.post,
    messagesPath: new URL(endpointAt(access.publicUrl ?? 'http://localhost')).pathname.replace(/mcp$/, 'messages'),
    isAlone: () => options.shared !== undefined && !shared.connected,
  });
  metrics.watch({
    skills: () => catalog.snapshot.skills.length,
    resources: () => catalog.snapshot.resources.length + catalog.snapshot.templates.length,
    sessions: () => sessions.size + sse.size,
    streams: () => responses.streams,
    sharedUp: () => (options.shared === undefined ? undefined : shared.connected),
    upstreams: () => catalog.snapshot.upstreams,
    counters: () => catalog.counters,
  });

  const endpointOf = ({ headers }: IncomingMessage) => endpointAt(access.publicUrl ?? `http://${headers.host ?? 'localhost'}`);
  const handler = new RequestHandler({
    addresses: addressesOf({ host, ...access }),
    authenticator,
    challenge: (refused, request) => challengeHeader(refused, oauth && getOAuthProtectedResourceMetadataUrl(new URL(endpointOf(request)))),
    mcp,
    sse,
    admission,
    responses,
    limiter,
    packs: routerOf(routes),
    isEncrypted: access.publicUrl?.startsWith('https:') ?? false,
    hasSignIn: signIns !== undefined,
    mayCall: async (caller, tool) => (await views.of(caller)).catalog.snapshot.findTool(tool) !== undefined,
    routes: createRoutes({
      views,
      prompts,
      signIns,
      insight: { catalog, uses: options.uses, inspect: options.inspect, log },
      isOwnersAlone: isLocal && authenticator === undefined,
      pages: pagesOf(routes),
      endpointOf,
      isProtected: authenticator !== undefined,
      log,
      metrics,
      oauth,
      readiness: () => ({
        ready: isSettled && !handler.closing,
        details: options.shared === undefined ? {} : { shared: shared.connected ? 'connected' : 'lost' },
      }),
    }),
    onServed({ id, method, path, status, milliseconds, call, refusal, remote }) {
      metrics.http(status);
      const reason = refusal?.options.reason;
      if (reason !== undefined) metrics.refused(reason);
      log.request({
        id,
        method,
        path,
        status,
        milliseconds,
        caller: call?.caller.name,
        remote: refusal === undefined ? undefined : remote,
        mcpMethod: call?.asked?.method,
        target: call?.asked?.target,
        subject: call?.asked?.subject,
        refused: refusal?.message,
      });
    },
    log,
  });

  const server = createNodeServer(
    {
      ServerResponse: HttpResponse,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 75_000,
      connectionsCheckingInterval: 2000,
    },
    handler.receive,
  );
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const address = await listenOn(server, host, port).catch(async (cause: unknown) => {
    await sessions.close();
    responses.closeAll();
    views.close();
    throw cause;
  });
  const listening = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
  log.info(`listening on ${listening}`);
  const reached = access.publicUrl ?? listening;
  const base = baseOf(reached);
  return {
    endpoint: endpointAt(reached),
    listening,
    base,
    page: `${base}/`,
    packPages: pagesOf(routes).map(({ title, path }) => ({ title, url: `${base}/${path}` })),
    get skills() {
      return views.whole.catalog.snapshot.skills.length;
    },
    async close() {
      log.info('stopping');
      const deadline = performance.now() + GRACE_MS;
      handler.close();
      changes.close();
      // `close` of the HTTP server would end connections whose answer is written, but not sent.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      const closeIdle = () => {
        for (const socket of connections) if (handler.isIdle(socket)) socket.destroy();
      };
      closeIdle();
      while (admission.answering > 0 && performance.now() < deadline) await setTimeout(20);
      await Promise.race([sessions.sent(), setTimeout(Math.max(0, deadline - performance.now()), undefined, { ref: false })]);
      await Promise.all([mcp.close(), sessions.close(), sse.close()]);
      responses.closeAll();
      // Answers that a slow reader has not taken yet.
      while (isSending(connections) && performance.now() < deadline) await setTimeout(20);
      closeIdle();
      await Promise.race([closed, setTimeout(200)]);
      server.closeAllConnections();
      server.close();
      await closed;
      await options.uses?.save();
      await shared.close();
      authenticator?.close();
      views.close();
    },
  };
}

function isSending(connections: Iterable<Socket>): boolean {
  for (const { destroyed, writableLength } of connections) if (!destroyed && writableLength > 0) return true;
  return false;
}

function baseOf(url: string): string {
  return endpointAt(url).slice(0, -'/mcp'.length);
}

/** The URL of the MCP endpoint of a server. */
function endpointAt(url: string): string {
  const base = url.replace(/(?<!\/)\/+$/, '');
  return base.endsWith('/mcp') ? base : `${base}/mcp`;
}
