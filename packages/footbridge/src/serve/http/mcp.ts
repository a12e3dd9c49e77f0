/** `/mcp`: both protocol eras on one path, with sessions for legacy clients that keep one. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { isInitializeRequest, type JSONRPCRequest, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { asText, isFields } from '../../json.js';
import type { Log } from '../../log.js';
import { MODERN } from '../../sources/upstream/eras.js';
import type { CallerView, CallerViews } from '../caller-views.js';
import type { RequestParts } from '../connection.js';
import { compose, type Dispatch, type Middleware } from '../dispatch/compose.js';
import { type HostDispatcher, hostDispatcher } from '../dispatch/host-methods.js';
import { RequestScope, type ScopeParts } from '../dispatch/scope.js';
import { postedEra } from '../eras.js';
import { type Answer, isMessage, isRequest } from '../messages.js';
import { SdkPeers } from '../sdk/server.js';
import { type HostSession, statelessSession } from '../session/host-session.js';
import type { SubscriptionQuota } from '../session/subscription-quota.js';
import type { Admission } from './admission.js';
import { readJson } from './body.js';
import type { Changes } from './changes.js';
import { EventStream } from './event-stream.js';
import { askedIn, type IncomingCall } from './incoming-call.js';
import { ModernGate } from './modern-gate.js';
import type { OpenResponses } from './open-responses.js';
import type { HttpLimits } from './options.js';
import { invalidMessage, messagesIn, versionIn } from './posted.js';
import { Replies } from './replies.js';
import { HttpRefusal, sendJson } from './reply.js';
import type { Session } from './session.js';
import type { Sessions } from './sessions.js';

export interface McpEndpointOptions {
  readonly views: CallerViews;
  readonly admission: Admission;
  readonly changes: Changes;
  readonly sessions: Sessions;
  readonly responses: OpenResponses;
  readonly limits: HttpLimits;
  /** Around each request. */
  readonly middleware: readonly Middleware[];
  readonly prompts: boolean;
  readonly quota: SubscriptionQuota;
  readonly keepAliveMs: number;
  readonly log: Log;
}

/** The revision that the SDK assumes for a legacy client that names none. */
const UNNAMED_VERSION = '2025-03-26';

/** Everything that answers the requests of one view. */
interface Service {
  readonly dispatcher: HostDispatcher;
  readonly dispatch: Dispatch;
  /** For requests without a session. */
  readonly stateless: HostSession;
  readonly gate: ModernGate;
  readonly peers: SdkPeers;
}

export class McpEndpoint {
  readonly #options: McpEndpointOptions;
  readonly #replies: Replies;
  readonly #services = new WeakMap<CallerView, Service>();
  readonly #peers = new Set<SdkPeers>();

  constructor(options: McpEndpointOptions) {
    this.#options = options;
    this.#replies = new Replies(options);
    options.views.onForgotten((view) => {
      const service = this.#services.get(view);
      if (service === undefined) return;
      this.#peers.delete(service.peers);
      service.peers.close().catch(() => {});
    });
  }

  /** Throws a refusal for an unsupported request. */
  async handle(request: IncomingMessage, response: ServerResponse, call: IncomingCall): Promise<void> {
    if (request.method !== 'POST') return this.#handleSession(request, response, call);
    const body = await readJson(request, this.#options.limits.bodyBytes, call.memory);
    const first: unknown = Array.isArray(body) ? body[0] : body;
    if (isFields(first) && typeof first['method'] === 'string') call.asked = askedIn(first, first['method']);
    const seen = this.#options.views.of(call.caller);
    const view = seen instanceof Promise ? await seen : seen;
    if (postedEra(request.headers, body) === 'modern') return this.#postModern(request, response, call, view, body);
    return this.#postLegacy(request, response, call, view, body);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#peers].map((peers) => peers.close()));
  }

  async #postModern(
    { headers }: IncomingMessage,
    response: ServerResponse,
    call: IncomingCall,
    view: CallerView,
    body: unknown,
  ): Promise<void> {
    const service = this.#serviceOf(view);
    const checking = service.gate.check(headers, body);
    const refused = checking === undefined ? undefined : await checking;
    if (refused !== undefined || !isMessage(body) || !isRequest(body)) {
      this.#options.admission.take(call.account, [body]);
      if (refused === undefined) throw invalidMessage();
      return sendJson(response, refused.status, refused.body, refused.headers);
    }
    if (body.method === 'subscriptions/listen') {
      this.#options.responses.checkRoom(call);
      // From here on it is a stream, not a call.
      call.ticket?.release();
    } else call.ticket?.begin();
    await this.#replies.answer({
      requests: [body],
      isBatch: false,
      response,
      call,
      answer: (request, parts) =>
        service.dispatch(request, new RequestScope(request, 'modern', this.#stateless(service, call, parts, MODERN))),
      statusOf: (answer) => statusOf(answer, body, service.dispatcher),
    });
  }

  async #postLegacy(
    { headers }: IncomingMessage,
    response: ServerResponse,
    call: IncomingCall,
    view: CallerView,
    body: unknown,
  ): Promise<void> {
    const version = versionIn(headers);
    const { accept } = headers;
    if (accept?.includes('application/json') !== true || !accept.includes('text/event-stream'))
      throw new HttpRefusal(406, 'Not Acceptable: the client must accept both application/json and text/event-stream.');
    const { requests, others } = messagesIn(body);
    if (others.length > 0) this.#options.admission.take(call.account, others);
    call.ticket?.begin();
    const initialize = requests.find((request) => request.method === 'initialize' && isInitializeRequest(request));
    if (initialize !== undefined && requests.length + others.length > 1)
      throw new HttpRefusal(400, 'Invalid Request: initialize must be sent on its own.', { code: ProtocolErrorCode.InvalidRequest });
    if (initialize !== undefined && headers['mcp-session-id'] === undefined) return this.#initialize(initialize, response, call, view);
    const session = headers['mcp-session-id'] === undefined ? undefined : await this.#sessionIn(headers, call, view);
    if (session !== undefined) enterUntilClosed(session, response);
    for (const message of others) session?.receive(message);
    if (requests.length === 0) return void response.writeHead(202).end();
    const service = this.#serviceOf(view);
    await this.#replies.answer({
      requests,
      isBatch: Array.isArray(body),
      response,
      call,
      session,
      version: version ?? UNNAMED_VERSION,
      answer: (request, parts) =>
        session === undefined
          ? service.dispatch(request, new RequestScope(request, 'legacy', this.#stateless(service, call, parts, version)))
          : session.request(request, inSession(parts, call, version)),
    });
  }

  /** Begins a session. */
  async #initialize(request: JSONRPCRequest, response: ServerResponse, call: IncomingCall, view: CallerView): Promise<void> {
    const { sessions } = this.#options;
    const session = sessions.begin(request, call, view);
    enterUntilClosed(session, response);
    await this.#replies.answer({
      requests: [request],
      isBatch: false,
      response,
      call,
      session,
      version: asText(request.params?.['protocolVersion']),
      answer: (_, parts) => sessions.initialize(session, inSession(parts, call, undefined)),
    });
  }

  /** GET opens or resumes the stream of a session; DELETE ends the session. */
  async #handleSession({ headers, method }: IncomingMessage, response: ServerResponse, call: IncomingCall): Promise<void> {
    const { admission, views, keepAliveMs, responses } = this.#options;
    admission.take(call.account, [undefined]);
    const isGet = method === 'GET';
    if (!isGet && method !== 'DELETE') throw new HttpRefusal(405, 'Method not allowed.', { headers: { allow: 'GET, POST, DELETE' } });
    const wantsStream = headers.accept?.includes('text/event-stream') === true;
    versionIn(headers);
    const session = await this.#sessionIn(headers, call, await views.of(call.caller));
    if (session === undefined)
      throw new HttpRefusal(
        isGet && !wantsStream ? 406 : 400,
        'The header Mcp-Session-Id is missing. It comes with the answer to initialize.',
      );
    if (!isGet) {
      await session.end();
      return void response.writeHead(200).end();
    }
    if (!wantsStream) throw new HttpRefusal(406, 'Not Acceptable: the client must accept text/event-stream.');
    const lastEventId = headers['last-event-id'];
    if (lastEventId === undefined && session.hasStream) throw new HttpRefusal(409, 'Conflict: the session has a stream already.');
    responses.checkRoom(call);
    // From here on it is a stream, not a call.
    call.ticket?.release();
    const leave = session.enter();
    const own = { 'mcp-session-id': session.id };
    const stream = new EventStream(response, { responses, call, keepAliveMs, headers: own, countsAnswers: true });
    stream.onClose(leave);
    await session.openStream(stream, typeof lastEventId === 'string' ? lastEventId : undefined);
  }

  async #sessionIn(headers: IncomingHttpHeaders, call: IncomingCall, view: CallerView): Promise<Session | undefined> {
    const id = headers['mcp-session-id'];
    if (typeof id !== 'string') return undefined;
    const session = await this.#options.sessions.find(id, call, view);
    if (session === undefined) throw new HttpRefusal(404, 'Session not found. Begin a new one with initialize.', { code: -32001 });
    return session;
  }

  #stateless(
    service: Service,
    call: IncomingCall,
    { cancellation, memory, send }: RequestParts,
    protocolVersion: string | undefined,
  ): ScopeParts {
    const { account, authInfo, caller } = call;
    const { stateless: session } = service;
    return { caller, authInfo, account, cancellation, session, memory, send, transport: 'http', protocolVersion };
  }

  #serviceOf(view: CallerView): Service {
    let service = this.#services.get(view);
    if (service === undefined) {
      const { changes, limits, log, middleware, prompts, quota } = this.#options;
      const { catalog, hosts, tools } = view;
      const dispatcher = hostDispatcher({ catalog, tools, hosts, prompts, log });
      const peers = new SdkPeers({
        catalog,
        prompts,
        events: changes.feedFor(view),
        maxSubscriptions: limits.subscriptions,
        // Without a session, notifications that belong to no request are dropped.
        notify: async () => {},
        log,
      });
      this.#peers.add(peers);
      service = {
        dispatcher,
        dispatch: compose(middleware, dispatcher.dispatch),
        stateless: statelessSession(peers.of, limits.subscriptions, quota),
        gate: new ModernGate(catalog, log),
        peers,
      };
      this.#services.set(view, service);
    }
    return service;
  }
}

/** A session is in use as long as a client waits, not as long as an abandoned call runs. */
function enterUntilClosed(session: Session, response: ServerResponse): void {
  if (!response.destroyed) response.once('close', session.enter());
}

function inSession({ cancellation, memory, send }: RequestParts, call: IncomingCall, protocolVersion: string | undefined): RequestParts {
  const { authInfo } = call;
  return { cancellation, send, authInfo, extra: undefined, era: 'legacy', memory, protocolVersion };
}

/** 2026-07-28 defines a status for an unknown method, and for a missing client capability. */
function statusOf(answer: Answer, { method }: JSONRPCRequest, dispatcher: HostDispatcher): number {
  if (!('error' in answer)) return 200;
  if (answer.error.code === ProtocolErrorCode.MissingRequiredClientCapability) return 400;
  return answer.error.code === ProtocolErrorCode.MethodNotFound && !dispatcher.has(method, 'modern') ? 404 : 200;
}
