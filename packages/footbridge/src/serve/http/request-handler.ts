/** The entry for every HTTP request: checks Host and Origin, authenticates, and routes. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { echo, reasonOf } from '../../errors.js';
import type { Log } from '../../log.js';
import type { Caller } from '../../sources/resource.js';
import { answerRoute, type Router } from '../packs/routes.js';
import { type Addresses, isLoopback } from './addresses.js';
import type { Admission } from './admission.js';
import type { Authenticator, AuthFailure } from './auth/index.js';
import { anonymous, type IncomingCall, withRoles } from './incoming-call.js';
import { type Limiter, Tarpit } from './limiter.js';
import type { McpEndpoint } from './mcp.js';
import { HttpRefusal, sendRefusal } from './reply.js';
import type { SseEndpoint } from './sse.js';

/** A request that has ended. */
export interface Served {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly caller: string | undefined;
  readonly asked: IncomingCall['asked'];
  /** Why it was refused, if it was. */
  readonly refusal: HttpRefusal | undefined;
  readonly remote: string;
}

export interface RequestHandlerOptions {
  readonly addresses: Addresses;
  /** Undefined when no authentication is configured. */
  readonly authenticator: Authenticator | undefined;
  /** The `WWW-Authenticate` header of a 401. */
  challenge(failure: AuthFailure, request: IncomingMessage): string;
  readonly mcp: McpEndpoint;
  readonly sse: SseEndpoint;
  readonly admission: Admission;
  readonly limiter: Limiter;
  /** The routes of packs. */
  readonly packs: Router;
  /** Whether a proxy in front of us terminates TLS. */
  readonly isEncrypted: boolean;
  /** Whether a caller may call a tool of a pack. */
  mayCall(caller: Caller, tool: string): Promise<boolean>;
  /** All other routes. */
  routes(request: IncomingMessage, response: ServerResponse, call: IncomingCall | undefined): void | Promise<void>;
  onServed(served: Served): void;
  readonly log: Log;
}

/** Paths without anyone's data: health checks and the empty page need no token. */
const OPEN: ReadonlySet<string> = new Set(['/', '/page.js', '/page.css', '/favicon.ico', '/healthz', '/readyz']);
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']);
const ALLOWED = [...METHODS].join(', ');
const DOTS = /\/(\.|%2e){1,2}(\/|$)/i;
/** Protected resource metadata (RFC 9728). */
const METADATA = '/.well-known/oauth-protected-resource';
/** Pipelined requests that one connection may have. */
const MOST_UNANSWERED = 8;

export class RequestHandler {
  readonly #options: RequestHandlerOptions;
  readonly #patience = new Tarpit();
  readonly #unanswered = new WeakMap<Socket, number>();
  #closing = false;

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
  }

  /** Whether the server is shutting down. */
  get closing(): boolean {
    return this.#closing;
  }

  /** Lets connections end with their next response. */
  close(): void {
    this.#closing = true;
    this.#patience.end();
  }

  readonly receive = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    const unanswered = (this.#unanswered.get(socket) ?? 0) + 1;
    if (unanswered > MOST_UNANSWERED) return void socket.destroy();
    this.#unanswered.set(socket, unanswered);
    const began = performance.now();
    const id = requestIdOf(request);
    const path = pathOf(request);
    let call: IncomingCall | undefined;
    let refusal: HttpRefusal | undefined;
    const remote = addressOf(request);
    response.once('close', () => {
      this.#unanswered.set(socket, (this.#unanswered.get(socket) ?? 1) - 1);
      call?.ticket?.release();
      this.#options.onServed({
        id,
        method: request.method ?? '',
        // The path of a pack may contain a secret.
        path: this.#options.packs.patternOf(path) ?? path,
        status: response.headersSent ? response.statusCode : 499,
        milliseconds: performance.now() - began,
        caller: call?.caller.name,
        asked: call?.asked,
        refusal,
        remote,
      });
    });
    response.setHeader('x-request-id', id);
    if (this.#closing) response.setHeader('connection', 'close');
    this.#serve(request, response, path, id, (known) => {
      call = known;
    }).catch(async (cause: unknown) => {
      refusal = cause instanceof HttpRefusal ? cause : this.#unexpected(cause, id);
      const key = this.#heldFor(refusal, request, call);
      if (key !== undefined && !(await this.#patience.hold(key))) response.setHeader('connection', 'close');
      if (response.headersSent) response.destroy();
      else sendRefusal(response, refusal);
    });
  };

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    id: string,
    known: (call: IncomingCall) => void,
  ): Promise<void> {
    const { addresses, admission, mcp, packs, routes, sse } = this.#options;
    if (this.#greet(request, response)) return;
    if (DOTS.test(path)) throw new HttpRefusal(404, 'Nothing found at this path.');
    const match = packs.find(request.method ?? '', path);
    // Pages of other origins may speak MCP where http.origins allows it, but not use the pages of packs.
    if (match !== undefined && !addresses.isOwnPage(request.headers.origin, request.headers.host))
      throw new HttpRefusal(403, 'Only pages of this server may use this path.', { reason: 'origin' });
    if (OPEN.has(path) || match?.route.access === 'open' || path === METADATA || path.startsWith(`${METADATA}/`)) {
      const address = addressOf(request);
      if (this.#options.authenticator !== undefined || !isLoopback(address)) admission.takeOne(`address ${address}`, 'list');
      if (match === undefined) return routes(request, response, undefined);
      return answerRoute(match, { caller: undefined, isPrivate: this.#isPrivate(request) }, request, response);
    }
    const call = await this.#recognise(request, id);
    known(call);
    call.ticket = admission.enter(call.account);
    // After 'close' nothing would release the slot.
    if (response.destroyed) return call.ticket.release();
    if (path === '/mcp') return mcp.handle(request, response, call);
    if (path === '/sse' && request.method === 'GET') return sse.open(response, call);
    if (path === '/messages' && request.method === 'POST') return sse.receive(request, response, call);
    admission.take(call.account, [undefined]);
    if (match === undefined) return routes(request, response, call);
    const { tool } = match.route;
    if (tool !== undefined && !(await this.#options.mayCall(call.caller, tool)))
      throw new HttpRefusal(403, `Access to the tool ${tool} is required.`);
    return answerRoute(match, { caller: call.caller, isPrivate: this.#isPrivate(request) }, request, response);
  }

  /** Whether the connection is encrypted or local. */
  #isPrivate(request: IncomingMessage): boolean {
    return this.#options.isEncrypted || isLoopback(addressOf(request));
  }

  /** The key under which a refusal is delayed: for rate limits, and for repeated invalid tokens. */
  #heldFor({ status }: HttpRefusal, request: IncomingMessage, call: IncomingCall | undefined): string | undefined {
    const address = addressOf(request);
    if (status === 429) return call?.account.id ?? `address ${address}`;
    if (status !== 401) return undefined;
    const key = `refused ${address}`;
    return this.#options.limiter.take(key, 'work') > 0 ? key : undefined;
  }

  /** Checks Host and Origin, and answers CORS preflight requests. True when the response is complete. */
  #greet(request: IncomingMessage, response: ServerResponse): boolean {
    const { addresses } = this.#options;
    const { headers, method = '' } = request;
    if (hasTwoHosts(request)) throw new HttpRefusal(400, 'The request has more than one Host header.', { reason: 'host', close: true });
    if (!addresses.allowsHost(headers.host))
      throw new HttpRefusal(403, `Host ${quoted(headers.host)} is not allowed. Add it to http.hosts.`, {
        reason: 'host',
      });
    const { origin } = headers;
    if (!addresses.allowsOrigin(origin, headers.host))
      throw new HttpRefusal(403, `Origin ${quoted(origin)} is not allowed. Add it to http.origins.`, {
        reason: 'origin',
      });
    if (origin !== undefined) {
      response.setHeader('access-control-allow-origin', origin);
      response.setHeader('access-control-expose-headers', 'mcp-session-id, www-authenticate, retry-after, x-request-id');
      response.setHeader('vary', 'origin');
    }
    if (!METHODS.has(method)) throw new HttpRefusal(405, 'Method not allowed. Use GET, POST or DELETE.', { headers: { allow: ALLOWED } });
    if (method !== 'OPTIONS') return false;
    response.writeHead(204, {
      allow: ALLOWED,
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers':
        'authorization, content-type, accept, last-event-id, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name',
      'access-control-max-age': '600',
    });
    response.end();
    return true;
  }

  async #recognise(request: IncomingMessage, id: string): Promise<IncomingCall> {
    const { authenticator, challenge } = this.#options;
    if (authenticator === undefined) {
      const address = addressOf(request);
      const caller = anonymous(address);
      return { id, caller, account: { id: caller.id, limited: !isLoopback(address) }, authInfo: undefined };
    }
    const answer = await authenticator.authenticate(request.headers.authorization);
    if (answer.ok)
      return { id, caller: withRoles(answer.caller), account: { id: answer.caller.id, limited: true }, authInfo: answer.authInfo };
    const headers: Record<string, string> =
      answer.status === 401 ? { 'www-authenticate': challenge(answer, request) } : { 'retry-after': '10' };
    throw new HttpRefusal(answer.status, answer.message, { reason: 'token', headers });
  }

  #unexpected(cause: unknown, id: string): HttpRefusal {
    this.#options.log.error(`request ${id}: ${reasonOf(cause)}`);
    return new HttpRefusal(500, `Internal error. The log has details under ${id}.`, { code: -32603 });
  }
}

/** Node uses the first and drops the other, which a proxy may have checked. */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}

/** The ID that a proxy set, so that both logs can be compared. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}

function quoted(text: string | undefined): string {
  return `'${echo(text ?? '')}'`;
}

function addressOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? 'unknown';
}

function pathOf({ url = '/' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}
