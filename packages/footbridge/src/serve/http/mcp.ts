/** `/mcp`: both protocol eras on one path, with sessions for older clients that keep one. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createMcpHandler,
  isInitializeRequest,
  isJSONRPCRequest,
  type McpHttpHandler,
  type McpServer,
  type ProtocolEra,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { reasonOf } from '../../errors.js';
import { isFields } from '../../json.js';
import type { Log } from '../../log.js';
import { Cancellation, Context } from '../../sources/context.js';
import { type Answers, answersOf } from '../answers.js';
import type { Audience, Audiences } from '../audiences.js';
import { looseExchange } from '../gateway/exchanges.js';
import type { Gateway } from '../gateway/gateway.js';
import { watchListened } from '../gateway/listening.js';
import type { Observer, Operation } from '../observer.js';
import { createServer, gatewayOf } from '../server.js';
import { errorTypeOf, observe } from '../telemetry/observed.js';
import { targetOf } from '../work.js';
import { type Admission, opensStream } from './admission.js';
import { readJson } from './body.js';
import { isPlain, soon, withStatus } from './carried.js';
import type { Changes } from './changes.js';
import { isLegacy } from './classify.js';
import { answerDirectly, type DirectCall, legacyCall, modernCall } from './direct.js';
import type { HttpLimits } from './options.js';
import type { Outgoing } from './outgoing.js';
import { Refusal, sendJson, sendResponse } from './reply.js';
import { Session } from './session.js';
import type { Sessions } from './sessions.js';
import { type Tap, tapped } from './tap.js';
import type { Visit } from './visit.js';

export interface McpEndpointOptions {
  readonly audiences: Audiences;
  readonly admission: Admission;
  readonly changes: Changes;
  readonly sessions: Sessions;
  readonly outgoing: Outgoing;
  readonly limits: HttpLimits;
  readonly observer: Observer;
  readonly tap: Tap | undefined;
  readonly prompts: boolean;
  readonly log: Log;
}

/** The older revisions, any of which may be named in a header. */
const LEGACY_VERSIONS: ReadonlySet<string> = new Set(SUPPORTED_PROTOCOL_VERSIONS);
/** A sign of life on streams, so that nobody between takes them for dead. */
export const KEEP_ALIVE_MS = 25_000;

/** What one audience is served by. */
interface Desk {
  readonly answers: Answers;
  readonly handler: McpHttpHandler;
}

export class McpEndpoint {
  readonly #options: McpEndpointOptions;
  readonly #desks = new WeakMap<Audience, Desk>();
  readonly #handlers = new Set<McpHttpHandler>();
  /** Which visit a request of the SDK's belongs to. */
  readonly #visits = new WeakMap<Request, Visit>();

  constructor(options: McpEndpointOptions) {
    this.#options = options;
    options.audiences.onForgotten((audience) => {
      const desk = this.#desks.get(audience);
      if (desk === undefined) return;
      this.#handlers.delete(desk.handler);
      desk.handler.close().catch(() => {});
    });
  }

  /** Throws a refusal for what is not served. */
  async handle(request: IncomingMessage, response: ServerResponse, visit: Visit): Promise<void> {
    const { admission, audiences, limits, outgoing } = this.#options;
    const body = request.method === 'POST' ? await readJson(request, limits.bodyBytes) : undefined;
    const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
    const [first] = messages;
    if (isFields(first) && typeof first['method'] === 'string') visit.asked = { method: first['method'], target: targetOf(first) };
    admission.take(visit, messages);
    if (request.method === 'GET' || opensStream(body)) {
      outgoing.checkRoom(visit);
      // From here on it is no call but a stream.
      visit.ticket?.release();
    } else visit.ticket?.begin();
    const audience = await audiences.of(visit.caller);
    const modern = modernCall(request.headers, body);
    if (modern !== undefined && isPlain(modern, audience)) return this.#answer(modern, response, visit, audience);
    const id = request.headers['mcp-session-id'];
    const session = typeof id === 'string' ? await this.#options.sessions.find(id, visit, audience) : undefined;
    const leave = session instanceof Session ? session.enter() : undefined;
    try {
      const call = session === 'gone' ? undefined : legacyCall(request.headers, body, LEGACY_VERSIONS);
      if (call !== undefined && session !== 'gone') {
        const gateway = session === undefined ? undefined : gatewayOf(session.parts.server);
        if (gateway === undefined) {
          if (isPlain(call, audience)) return await this.#answer(call, response, visit, audience, session);
        } else if (session !== undefined && (await this.#answerApart(call, gateway, response, visit, session))) return;
      }
      await sendResponse(response, await this.#pass(request, response, body, visit, audience, session), outgoing, visit);
    } finally {
      leave?.();
    }
  }

  /** Answers a call of a session by itself where it has only an answer; false where the session's transport is to go on with it. */
  async #answerApart(call: DirectCall, gateway: Gateway, response: ServerResponse, visit: Visit, session: Session): Promise<boolean> {
    const { admission, observer, outgoing, tap } = this.#options;
    const cancellation = new Cancellation();
    const cancel = () => cancellation.abort();
    response.once('close', cancel);
    const finished = session.begin(call.id, cancellation);
    const { authInfo } = visit;
    const apart = gateway.apart({ jsonrpc: '2.0', ...call }, authInfo === undefined ? undefined : { authInfo }, cancellation);
    const end = observer.begin(this.#operationOf(call, response, visit, session));
    const answered = tap?.({ ...call, sessionId: session.id });
    const answering = apart.answer.then((answer) => {
      finished();
      end({ errorType: errorTypeOf(answer) });
      return answer;
    });
    const answer = await soon(answering, apart.more);
    response.off('close', cancel);
    if (answer === undefined) {
      gateway.handOver(call.id, apart);
      return false;
    }
    answered?.(answer);
    admission.checkUnread(visit);
    sendJson(response, 200, JSON.stringify(answer), { 'mcp-session-id': session.id });
    outgoing.follow(response, visit);
    return true;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#handlers].map((handler) => handler.close()));
  }

  async #answer(call: DirectCall, response: ServerResponse, visit: Visit, audience: Audience, session?: Session): Promise<void> {
    const { admission, log, observer, outgoing, tap } = this.#options;
    const { answers } = this.#deskOf(audience);
    const cancellation = new Cancellation();
    const cancel = () => cancellation.abort();
    response.once('close', cancel);
    const finished = session?.begin(call.id, cancellation);
    const end = observer.begin(this.#operationOf(call, response, visit, session));
    const answered = tap?.({ ...call, sessionId: session?.id });
    const route = call.method === 'tools/call' ? 'tool' : 'resource';
    const exchange = audience.catalog.carries ? looseExchange({ jsonrpc: '2.0', ...call }, visit.caller.id) : undefined;
    const alone = exchange !== undefined && Object.keys(exchange.input).length > 0;
    const { body, errorType, status } = await answerDirectly(
      call,
      answers,
      new Context({ caller: visit.caller, authInfo: visit.authInfo, route, alone, request: exchange }, cancellation),
      (cause) => {
        // Whoever called it off is not waiting for it.
        if (!cancellation.aborted) log.error(`request ${visit.id}: ${reasonOf(cause)}`);
      },
    );
    end({ errorType });
    answered?.(JSON.parse(body));
    finished?.();
    response.off('close', cancel);
    admission.checkUnread(visit);
    sendJson(response, status, body, session === undefined ? undefined : { 'mcp-session-id': session.id });
    outgoing.follow(response, visit);
  }

  #operationOf(call: DirectCall, response: ServerResponse, visit: Visit, session: Session | undefined): Operation {
    return {
      transport: 'http',
      method: call.method,
      target: visit.asked?.target,
      requestId: call.id,
      sessionId: session?.id,
      protocolVersion: response.req.headers['mcp-protocol-version']?.toString(),
      caller: visit.caller.name,
      meta: isFields(call.params['_meta']) ? call.params['_meta'] : undefined,
    };
  }

  /** To the SDK: to the session, where there is one or one begins, else to a server for this request alone. */
  async #pass(
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
    visit: Visit,
    audience: Audience,
    session: Session | 'gone' | undefined,
  ): Promise<Response> {
    const forwarded = requestOf(request, response);
    if (!isLegacy(request.method ?? '', request.headers, body)) return this.#passOn(forwarded, body, visit, audience);
    if (session === 'gone') throw new Refusal(404, 'There is no such session. Begin a new one with initialize.', { code: -32001 });
    if (session !== undefined) return session.handle(forwarded, body, visit);
    if (isJSONRPCRequest(body) && isInitializeRequest(body)) return this.#options.sessions.begin(forwarded, body, visit, audience);
    if (request.method === 'GET' || request.method === 'DELETE')
      throw new Refusal(
        request.method === 'GET' && wantsPage(request) ? 406 : 400,
        'This needs the header Mcp-Session-Id, which the answer to initialize has.',
      );
    return this.#passOn(forwarded, body, visit, audience);
  }

  async #passOn(forwarded: Request, body: unknown, visit: Visit, audience: Audience): Promise<Response> {
    this.#visits.set(forwarded, visit);
    const { authInfo } = visit;
    if (isJSONRPCRequest(body) && body.method === 'subscriptions/listen') {
      const release = watchListened(audience.catalog, body.params, visit.caller, looseExchange(body, visit.caller.id));
      forwarded.signal.addEventListener('abort', release, { once: true });
    }
    const answer = await this.#deskOf(audience).handler.fetch(forwarded, {
      authInfo,
      parsedBody: body,
    });
    return isFields(body) && audience.catalog.carries ? withStatus(answer, body['method']) : answer;
  }

  #deskOf(audience: Audience): Desk {
    let desk = this.#desks.get(audience);
    if (desk === undefined) {
      const { changes, limits, log, prompts } = this.#options;
      const handler = createMcpHandler(({ era, requestInfo }) => this.#serverFor(audience, era, requestInfo), {
        bus: { ...changes.feedFor(audience), publish() {} },
        maxSubscriptions: limits.subscriptions,
        maxRequestBodySize: limits.bodyBytes,
        keepAliveMs: KEEP_ALIVE_MS,
        onerror: (error) => log.debug(`protocol: ${error.message}`),
      });
      this.#handlers.add(handler);
      desk = { answers: answersOf(audience.catalog, audience.tools, prompts, log), handler };
      this.#desks.set(audience, desk);
    }
    return desk;
  }

  /** For one request that takes the longer way. */
  #serverFor({ catalog, tools }: Audience, era: ProtocolEra, request: Request | undefined): McpServer {
    const { log, observer, prompts, tap } = this.#options;
    const caller = request === undefined ? undefined : this.#visits.get(request)?.caller;
    const server = createServer({
      catalog,
      tools,
      prompts,
      era,
      log,
      announce: false,
      ...(caller === undefined ? {} : { caller, hostKey: caller.id }),
    });
    const protocolVersion = request?.headers.get('mcp-protocol-version') ?? undefined;
    const connect = server.connect.bind(server);
    const about = { transport: 'http', caller: caller?.name, protocolVersion } as const;
    server.connect = (transport) => connect(observe(tapped(transport, tap), observer, about));
    return server;
  }
}

function wantsPage({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('text/event-stream') !== true;
}

/** As the SDK takes it; called off when whoever asked is gone. The body is handed over beside it. */
function requestOf({ method = 'GET', headers, url = '/' }: IncomingMessage, response: ServerResponse): Request {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || name.startsWith(':') ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as [string, string]],
  );
  return new Request(new URL(url, 'http://localhost'), { method, headers: entries, signal: gone.signal });
}
