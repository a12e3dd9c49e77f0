/** Sessions of the older revisions: each with a server of its own, and the way to go on with it on another replica. */
import { randomUUID } from 'node:crypto';
import {
  type JSONRPCMessage,
  type McpServer,
  type ServerEventBus,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { isFields } from '../../json.js';
import type { Log } from '../../log.js';
import type { Cancellation } from '../../sources/context.js';
import type { Audience, Audiences } from '../audiences.js';
import { filterEvents } from '../events.js';
import type { Observer } from '../observer.js';
import { createServer } from '../server.js';
import { observe } from '../telemetry/observed.js';
import type { HttpLimits } from './options.js';
import { Refusal } from './reply.js';
import { SESSION_IDLE_MS, type SessionRecord, type SessionRecords } from './shared/shared-state.js';
import { ownerOf, type Visit } from './visit.js';

export interface SessionsOptions {
  readonly audiences: Audiences;
  readonly records: SessionRecords;
  readonly bus: ServerEventBus;
  readonly limits: HttpLimits;
  readonly prompts: boolean;
  readonly keepAliveMs: number;
  readonly observer: Observer;
  readonly log: Log;
}

/** How often sessions that nobody uses are looked for. */
const SWEEP_MS = 60_000;
/** When a client whose stream broke is asked to come back. */
const RETRY_MS = 1000;

export class Sessions {
  readonly #options: SessionsOptions;
  /** Least recently used first. */
  readonly #open = new Map<string, Session>();
  readonly #returning = new Map<string, Promise<Session | undefined>>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  get size(): number {
    return this.#open.size;
  }

  /** The caller's session of that id; `gone` when there is none any more, undefined when none was named. */
  async find(id: string | undefined, visit: Visit): Promise<Session | 'gone' | undefined> {
    if (id === undefined) return undefined;
    const session = this.#open.get(id) ?? (await this.#return(id, visit));
    if (session === undefined || session.owner !== ownerOf(visit)) return 'gone';
    this.#use(session);
    return session;
  }

  /** Answers `initialize` and keeps the session. */
  async begin(request: Request, message: JSONRPCMessage, visit: Visit, audience: Audience): Promise<Response> {
    this.#makeRoom();
    const id = randomUUID();
    const session = await this.#create(id, ownerOf(visit), message, [], visit, audience);
    const answer = await session.handle(request, message, visit);
    if (answer.ok) await this.#options.records.save(id, session.record);
    else await session.close();
    return answer;
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    await Promise.all([...this.#open.values()].map((session) => session.close()));
  }

  /** A session that began on another replica, or here before it was put away. */
  #return(id: string, visit: Visit): Promise<Session | undefined> {
    let returning = this.#returning.get(id);
    if (returning === undefined) {
      returning = this.#restore(id, visit).finally(() => this.#returning.delete(id));
      this.#returning.set(id, returning);
    }
    return returning;
  }

  async #restore(id: string, visit: Visit): Promise<Session | undefined> {
    const record = await this.#options.records.find(id);
    if (record === undefined || record.owner !== ownerOf(visit)) return undefined;
    this.#makeRoom();
    const audience = await this.#options.audiences.of(visit.caller);
    const session = await this.#create(id, record.owner, record.initialize, record.subscriptions, visit, audience);
    await session.resume(visit);
    return session;
  }

  async #create(
    id: string,
    owner: string,
    initialize: JSONRPCMessage,
    watched: readonly string[],
    visit: Visit,
    audience: Audience,
  ): Promise<Session> {
    const { bus, keepAliveMs, limits, log, observer, prompts, records } = this.#options;
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: records.events(id),
      retryInterval: RETRY_MS,
      keepAliveMs,
      maxRequestBodySize: limits.bodyBytes,
      onsessionclosed: async () => {
        this.#open.delete(id);
        await records.remove(id);
      },
    });
    transport.onerror = (error) => log.debug(`protocol: ${error.message}`);
    const watching = new Set(watched);
    const server = createServer({
      catalog: audience.catalog,
      tools: audience.tools,
      prompts,
      log,
      events: filterEvents(bus, audience.sees),
      watched: watching,
      mostWatched: limits.subscriptions,
      caller: visit.caller,
    });
    await server.connect(observe(transport, observer, { transport: 'http', sessionId: id, caller: visit.caller.name }));
    const session = new Session({ id, owner, initialize, watching, server, transport, save: (record) => records.save(id, record) });
    this.#open.set(id, session);
    return session;
  }

  #use(session: Session): void {
    session.usedAt = Date.now();
    this.#open.delete(session.id);
    this.#open.set(session.id, session);
    this.#options.records.touch(session.id);
  }

  /** Puts away the session that was not used longest, of those without a stream: it can return while its record is kept. */
  #makeRoom(): void {
    if (this.#open.size < this.#options.limits.sessions) return;
    for (const session of this.#open.values()) {
      if (session.busy) continue;
      this.#putAway(session);
      return;
    }
    throw new Refusal(503, `There are ${this.#open.size} sessions, the most that are kept. Try again later.`, {
      reason: 'sessions',
      headers: { 'retry-after': '30' },
    });
  }

  #sweep(): void {
    const oldest = Date.now() - SESSION_IDLE_MS;
    for (const session of this.#open.values()) if (session.usedAt < oldest && !session.busy) this.#putAway(session);
  }

  #putAway(session: Session): void {
    this.#open.delete(session.id);
    session.close().catch(() => {});
  }
}

interface SessionParts {
  readonly id: string;
  readonly owner: string;
  readonly initialize: JSONRPCMessage;
  readonly watching: ReadonlySet<string>;
  readonly server: McpServer;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly save: (record: SessionRecord) => Promise<void>;
}

export class Session {
  readonly #parts: SessionParts;
  readonly #running = new Map<string | number, Cancellation>();
  #present = 0;
  #missed = false;
  usedAt = Date.now();

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  get id(): string {
    return this.#parts.id;
  }

  get owner(): string {
    return this.#parts.owner;
  }

  /** Whether somebody listens or waits. */
  get busy(): boolean {
    return this.#present > 0;
  }

  /** Says that somebody listens or waits, until the returned function is called. */
  enter(): () => void {
    this.#present++;
    return () => {
      this.#present--;
      this.usedAt = Date.now();
    };
  }

  get record(): SessionRecord {
    const { owner, initialize, watching } = this.#parts;
    return { owner, initialize, subscriptions: [...watching] };
  }

  /** Takes note of a call that can be cancelled by its id; returns what to call when it is over. */
  begin(requestId: string | number, cancellation: Cancellation): () => void {
    this.#running.set(requestId, cancellation);
    return () => {
      if (this.#running.get(requestId) === cancellation) this.#running.delete(requestId);
    };
  }

  async handle(request: Request, body: unknown, { authInfo }: Visit): Promise<Response> {
    this.#cancel(body);
    const answer = await this.#parts.transport.handleRequest(request, {
      ...(authInfo === undefined ? {} : { authInfo }),
      ...(body === undefined ? {} : { parsedBody: body }),
    });
    if (isFields(body) && (body['method'] === 'resources/subscribe' || body['method'] === 'resources/unsubscribe'))
      return this.#savedAfter(answer);
    if (request.method === 'GET' && answer.ok && this.#missed) this.#tellAll();
    return answer;
  }

  /** Brings the server to where the session was; what was said meanwhile is told when the client listens again. */
  async resume(visit: Visit): Promise<void> {
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    });
    const answer = await this.handle(request, this.#parts.initialize, visit);
    await answer.text();
    this.#missed = true;
  }

  async close(): Promise<void> {
    await this.#parts.server.close();
  }

  #cancel(body: unknown): void {
    if (!isFields(body) || body['method'] !== 'notifications/cancelled' || !isFields(body['params'])) return;
    const { requestId } = body['params'];
    if (typeof requestId === 'string' || typeof requestId === 'number') this.#running.get(requestId)?.abort();
  }

  /** The answer is read to its end first, since only then is it known what is watched. */
  async #savedAfter(answer: Response): Promise<Response> {
    const text = await answer.text();
    await this.#parts.save(this.record);
    return new Response(text, { status: answer.status, headers: answer.headers });
  }

  /** Each list may have changed while nobody here knew of the session. */
  #tellAll(): void {
    this.#missed = false;
    const { server, watching } = this.#parts;
    server.sendToolListChanged();
    server.sendResourceListChanged();
    for (const uri of watching) server.server.sendResourceUpdated({ uri }).catch(() => {});
  }
}
