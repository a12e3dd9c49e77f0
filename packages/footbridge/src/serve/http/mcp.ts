/** `/mcp`: both protocol eras on one path, with sessions for older clients that keep one. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createMcpHandler,
  isInitializeRequest,
  isJSONRPCRequest,
  type McpHttpHandler,
  type ServerEventBus,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';
import type { Log } from '../../log.js';
import { Cancellation, Context } from '../../sources/context.js';
import type { Answers } from '../answers.js';
import { answersOf } from '../answers.js';
import type { Audience, Audiences } from '../audiences.js';
import { filterEvents } from '../events.js';
import type { Observer } from '../observer.js';
import { createServer } from '../server.js';
import { targetOf } from '../work.js';
import { admit } from './admission.js';
import { readJson } from './body.js';
import { isLegacy } from './classify.js';
import { answerDirectly, type DirectCall, legacyCall, modernCall } from './direct.js';
import type { Limiter } from './limiter.js';
import type { HttpLimits } from './options.js';
import { Refusal, sendJson, sendResponse } from './reply.js';
import { Session, type Sessions } from './sessions.js';
import type { OpenStreams } from './streams.js';
import type { Visit } from './visit.js';

export interface McpEndpointOptions {
  readonly audiences: Audiences;
  readonly sessions: Sessions;
  readonly streams: OpenStreams;
  readonly bus: ServerEventBus;
  readonly limits: HttpLimits;
  readonly limiter: Limiter;
  readonly observer: Observer;
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
  }

  /** Throws a refusal for what is not served. */
  async handle(request: IncomingMessage, response: ServerResponse, visit: Visit): Promise<void> {
    const { audiences, limits, sessions, streams } = this.#options;
    const body = request.method === 'POST' ? await readJson(request, limits.bodyBytes) : undefined;
    const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
    const [first] = messages;
    if (isFields(first) && typeof first['method'] === 'string') visit.asked = { method: first['method'], target: targetOf(first) };
    const release = admit(this.#options.limiter, visit, messages);
    let leave: (() => void) | undefined;
    try {
      const found = await sessions.find(sessionIdOf(request), visit);
      if (found instanceof Session) leave = found.enter();
      const audience = await audiences.of(visit.caller);
      const call = modernCall(request.headers, body) ?? legacyCall(request.headers, body, LEGACY_VERSIONS);
      if (call?.modern === true) await this.#answer(call, response, visit, audience);
      else if (call !== undefined && found !== 'gone') await this.#answer(call, response, visit, audience, found);
      else await sendResponse(response, await this.#pass(request, response, body, visit, audience, found), streams, visit);
    } finally {
      leave?.();
      release();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#handlers].map((handler) => handler.close()));
  }

  async #answer(call: DirectCall, response: ServerResponse, visit: Visit, audience: Audience, session?: Session): Promise<void> {
    const { answers } = this.#deskOf(audience);
    const cancellation = new Cancellation();
    const cancel = () => cancellation.abort();
    response.once('close', cancel);
    const finished = session?.begin(call.id, cancellation);
    const end = this.#options.observer.begin({
      transport: 'http',
      method: call.method,
      target: visit.asked?.target,
      requestId: call.id,
      sessionId: session?.id,
      protocolVersion: response.req.headers['mcp-protocol-version']?.toString(),
      caller: visit.caller.name,
      meta: isFields(call.params['_meta']) ? call.params['_meta'] : undefined,
    });
    const road = call.method === 'tools/call' ? 'tool' : 'resource';
    const { body, errorType } = await answerDirectly(
      call,
      answers,
      new Context({ caller: visit.caller, authInfo: visit.authInfo, road }, cancellation),
    );
    end({ errorType });
    finished?.();
    response.off('close', cancel);
    sendJson(response, 200, body, session === undefined ? undefined : { 'mcp-session-id': session.id });
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
    const end = this.#begin(body, visit);
    const answer = await this.#deskOf(audience).handler.fetch(forwarded, {
      ...(authInfo === undefined ? {} : { authInfo }),
      ...(body === undefined ? {} : { parsedBody: body }),
    });
    end({ errorType: answer.status < 400 ? undefined : String(answer.status) });
    return answer;
  }

  #begin(body: unknown, visit: Visit) {
    const { method, target } = visit.asked ?? { method: 'none', target: undefined };
    const message: Fields = isFields(body) ? body : {};
    const params = isFields(message['params']) ? message['params'] : {};
    const meta = isFields(params['_meta']) ? params['_meta'] : undefined;
    return this.#options.observer.begin({ transport: 'http', method, target, caller: visit.caller.name, meta });
  }

  #deskOf(audience: Audience): Desk {
    let desk = this.#desks.get(audience);
    if (desk === undefined) {
      const { bus, limits, log, prompts } = this.#options;
      const { catalog, tools } = audience;
      const handler = createMcpHandler(
        ({ era, requestInfo }) => {
          const visit = requestInfo === undefined ? undefined : this.#visits.get(requestInfo);
          return createServer({
            catalog,
            tools,
            prompts,
            era,
            log,
            announce: false,
            ...(visit === undefined ? {} : { caller: visit.caller }),
          });
        },
        {
          bus: { publish: (event) => bus.publish(event), ...filterEvents(bus, audience.sees) },
          maxSubscriptions: limits.subscriptions,
          maxRequestBodySize: limits.bodyBytes,
          keepAliveMs: KEEP_ALIVE_MS,
          onerror: (error) => log.debug(`protocol: ${error.message}`),
        },
      );
      this.#handlers.add(handler);
      desk = { answers: answersOf(catalog, tools), handler };
      this.#desks.set(audience, desk);
    }
    return desk;
  }
}

function sessionIdOf({ headers }: IncomingMessage): string | undefined {
  const id = headers['mcp-session-id'];
  return typeof id === 'string' ? id : undefined;
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
