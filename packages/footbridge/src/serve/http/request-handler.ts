/** The entry for every HTTP request: checks Host and Origin, authenticates, and routes. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { echo, reasonOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { processMemory } from '../../memory-budget.js';
import type { Caller } from '../../sources/resource.js';
import type { Account } from '../dispatch/scope.js';
import { answerRoute, type Router } from '../packs/routes.js';
import { type Addresses, isLoopback } from './addresses.js';
import type { Admission } from './admission.js';
import type { Authenticator, AuthFailure } from './auth/index.js';
import { anonymous, type IncomingCall, incomingCall, withRoles } from './incoming-call.js';
import { type Limiter, Tarpit } from './limiter.js';
import type { McpEndpoint } from './mcp.js';
import type { OpenResponses } from './open-responses.js';
import { HttpRefusal, sendRefusal } from './reply.js';
import type { HttpResponse } from './response.js';
import type { SseEndpoint } from './sse.js';

/** A request that has ended. */
export interface Served {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  /** Undefined when it was refused before its caller was known. */
  readonly call: IncomingCall | undefined;
  /** Why it was refused, if it was. */
  readonly refusal: HttpRefusal | undefined;
  readonly remote: string;
}

/** A request, its response, and what is known about it so far. */
interface Exchange {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: HttpResponse;
  readonly path: string;
  readonly client: Client;
  call: IncomingCall | undefined;
  refusal: HttpRefusal | undefined;
}

/** The other end of a connection. */
interface Client {
  readonly address: string;
  /** Whether it is on this machine. */
  readonly isLocal: boolean;
  /** The caller if no authentication is configured. */
  readonly caller: Caller;
  readonly account: Account;
  /** Requests without a complete response. */
  unanswered: number;
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
  readonly responses: OpenResponses;
  readonly limiter: Limiter;
  /** The routes of packs. */
  readonly packs: Router;
  /** Whether a proxy in front of us terminates TLS. */
  readonly isEncrypted: boolean;
  /** Whether a caller may call a tool of a pack. */
  mayCall(caller: Caller, tool: string): Promise<boolean>;
  /** Whether callers sign in to servers here. */
  readonly hasSignIn: boolean;
  /** All other routes. */
  routes(request: IncomingMessage, response: HttpResponse, call: IncomingCall | undefined): void | Promise<void>;
  onServed(served: Served): void;
  readonly log: Log;
}

/** Paths without private data: health checks and the empty page need no token. */
const OPEN: ReadonlySet<string> = new Set(['/', '/page.js', '/page.css', '/favicon.ico', '/healthz', '/readyz']);
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']);
const ALLOWED = [...METHODS].join(', ');
const DOTS = /\/(\.|%2e){1,2}(\/|$)/i;
/** Protected resource metadata (RFC 9728). */
const METADATA = '/.well-known/oauth-protected-resource';
/** A browser that opens a link there has no token. */
const SIGN_IN = '/sign-in/';
/** Pipelined requests that one connection may have. */
const MAX_UNANSWERED = 8;

export class RequestHandler {
  readonly #options: RequestHandlerOptions;
  readonly #tarpit = new Tarpit();
  readonly #clients = new WeakMap<Socket, Client>();
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
    this.#tarpit.end();
  }

  /** Whether all requests of a connection are answered, and the answers sent. */
  isIdle(socket: Socket): boolean {
    return (this.#clients.get(socket)?.unanswered ?? 0) === 0;
  }

  readonly receive = (request: IncomingMessage, response: HttpResponse): void => {
    const client = this.#clientOf(request.socket);
    if (client.unanswered === MAX_UNANSWERED) return void request.socket.destroy();
    client.unanswered++;
    const began = performance.now();
    const id = requestIdOf(request);
    const exchange: Exchange = { id, request, response, path: pathOf(request), client, call: undefined, refusal: undefined };
    response.on('close', () => this.#ended(exchange, performance.now() - began));
    response.addDefault('x-request-id', id);
    if (this.#closing) response.addDefault('connection', 'close');
    this.#serve(exchange).catch((cause: unknown) => this.#refuse(exchange, cause));
  };

  #ended({ id, request, response, path, client, call, refusal }: Exchange, milliseconds: number): void {
    client.unanswered--;
    call?.running?.abort();
    call?.ticket?.release();
    call?.memory.leave();
    this.#options.onServed({
      id,
      method: request.method ?? '',
      // The path of a pack may contain a secret.
      path: this.#options.packs.patternOf(path) ?? (path.startsWith(SIGN_IN) ? `${SIGN_IN}:ticket` : path),
      status: response.headersSent ? response.statusCode : 499,
      milliseconds,
      call,
      refusal,
      remote: client.address,
    });
  }

  async #refuse(exchange: Exchange, cause: unknown): Promise<void> {
    const { id, response } = exchange;
    const refusal = cause instanceof HttpRefusal ? cause : this.#unexpected(cause, id);
    exchange.refusal = refusal;
    const key = this.#heldFor(refusal, exchange);
    if (key !== undefined && !(await this.#tarpit.hold(key))) response.addDefault('connection', 'close');
    if (response.headersSent) response.destroy();
    else sendRefusal(response, refusal);
  }

  async #serve(exchange: Exchange): Promise<void> {
    const { addresses, admission, authenticator, mcp, packs, responses, routes, sse } = this.#options;
    const { client, path, request, response } = exchange;
    if (this.#checkOrigin(request, response)) return;
    if (DOTS.test(path)) throw new HttpRefusal(404, 'Nothing found at this path.');
    const match = packs.find(request.method ?? '', path);
    // Pages of other origins may speak MCP where http.origins allows it, but not use the pages of packs.
    if (match !== undefined && !addresses.isOwnPage(request.headers.origin, request.headers.host))
      throw new HttpRefusal(403, 'Only pages of this server may use this path.', { reason: 'origin' });
    if (this.#isOpen(path) || match?.route.access === 'open') {
      if (authenticator !== undefined || !client.isLocal) admission.takeOne(client.caller.id, 'list');
      const memory = processMemory.open(client.account.id);
      response.once('close', () => memory.leave());
      responses.pace(response, { account: client.account, authInfo: undefined, memory });
      if (match === undefined) return routes(request, response, undefined);
      return answerRoute(match, { caller: undefined, isPrivate: this.#isPrivate(client) }, request, response);
    }
    const call =
      authenticator === undefined
        ? incomingCall(exchange.id, client.caller, client.account)
        : await this.#authenticate(exchange, authenticator);
    exchange.call = call;
    call.ticket = admission.enter(call.account);
    // After 'close' nothing would release the slot.
    if (response.destroyed) return call.ticket.release();
    if (path === '/mcp') return mcp.handle(request, response, call);
    if (path === '/sse' && request.method === 'GET') return sse.open(response, call);
    if (path === '/messages' && request.method === 'POST') return sse.receive(request, response, call);
    admission.take(call.account, [undefined]);
    admission.checkUnread(call.account);
    responses.pace(response, call);
    if (match === undefined) return routes(request, response, call);
    const { tool } = match.route;
    if (tool !== undefined && !(await this.#options.mayCall(call.caller, tool)))
      throw new HttpRefusal(403, `Access to the tool ${tool} is required.`);
    return answerRoute(match, { caller: call.caller, isPrivate: this.#isPrivate(client) }, request, response);
  }

  #isOpen(path: string): boolean {
    if (OPEN.has(path) || path === METADATA || path.startsWith(`${METADATA}/`)) return true;
    return this.#options.hasSignIn && path.startsWith(SIGN_IN);
  }

  #clientOf(socket: Socket): Client {
    let client = this.#clients.get(socket);
    if (client === undefined) {
      const address = socket.remoteAddress ?? 'unknown';
      const isLocal = isLoopback(address);
      const caller = anonymous(address);
      client = { address, isLocal, caller, account: { id: caller.id, limited: !isLocal }, unanswered: 0 };
      this.#clients.set(socket, client);
    }
    return client;
  }

  /** Whether the connection is encrypted or local. */
  #isPrivate({ isLocal }: Client): boolean {
    return this.#options.isEncrypted || isLocal;
  }

  /** The key under which a refusal is delayed: for rate limits, and for repeated invalid tokens. */
  #heldFor({ status }: HttpRefusal, { call, client }: Exchange): string | undefined {
    if (status === 429) return call?.account.id ?? client.caller.id;
    if (status !== 401) return undefined;
    const key = `refused ${client.address}`;
    return this.#options.limiter.take(key, 'work') > 0 ? key : undefined;
  }

  /** Checks Host and Origin, and answers CORS preflight requests. True when the response is complete. */
  #checkOrigin(request: IncomingMessage, response: HttpResponse): boolean {
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
      response.addDefault('access-control-allow-origin', origin);
      response.addDefault('access-control-expose-headers', 'mcp-session-id, www-authenticate, retry-after, x-request-id');
      response.addDefault('vary', 'origin');
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

  async #authenticate({ id, request }: Exchange, authenticator: Authenticator): Promise<IncomingCall> {
    const answer = await authenticator.authenticate(request.headers.authorization);
    if (answer.ok) return incomingCall(id, withRoles(answer.caller), { id: answer.caller.id, limited: true }, answer.authInfo);
    const headers: Record<string, string> =
      answer.status === 401 ? { 'www-authenticate': this.#options.challenge(answer, request) } : { 'retry-after': '10' };
    throw new HttpRefusal(answer.status, answer.message, { reason: 'token', headers });
  }

  #unexpected(cause: unknown, id: string): HttpRefusal {
    this.#options.log.error(`request ${id}: ${reasonOf(cause)}`);
    return new HttpRefusal(500, `Internal error. The log has details under ${id}.`, { code: -32603 });
  }
}

/** Node uses the first and drops the second, which a proxy may have checked. */
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

function pathOf({ url = '/' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}
