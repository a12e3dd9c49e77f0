/** Sessions of the older revisions: found again here or on another replica, and not too many. */
import { randomUUID } from 'node:crypto';
import { type JSONRPCMessage, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Log } from '../../log.js';
import type { Audience } from '../audiences.js';
import type { Observer } from '../observer.js';
import { createServer, gatewayOf } from '../server.js';
import { observe } from '../telemetry/observed.js';
import type { Changes } from './changes.js';
import type { HttpLimits } from './options.js';
import { Refusal } from './reply.js';
import { Session } from './session.js';
import { SESSION_IDLE_MS, type SessionRecord, type SessionRecords } from './shared/shared-state.js';
import { type Tap, tapped } from './tap.js';
import { ownerOf, type Visit } from './visit.js';

export interface SessionsOptions {
  readonly records: SessionRecords;
  readonly changes: Changes;
  readonly limits: HttpLimits;
  readonly prompts: boolean;
  readonly keepAliveMs: number;
  readonly observer: Observer;
  readonly tap: Tap | undefined;
  readonly log: Log;
}

/** How often sessions that nobody uses are looked for. */
const SWEEP_MS = 60_000;
/** When a client whose stream broke is asked to come back. */
const RETRY_MS = 1000;
/** A greeting is kept as long as its session, so it is not to be long. */
const LONGEST_GREETING = 64 * 1024;

export class Sessions {
  readonly #options: SessionsOptions;
  /** Least recently used first. */
  readonly #open = new Map<string, Session>();
  readonly #returning = new Map<string, Promise<Session | undefined>>();
  readonly #sweeper: NodeJS.Timeout;
  readonly #stopFollowing: () => void;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS).unref();
    this.#stopFollowing = options.records.onChanged((id) => void this.#follow(id));
  }

  get size(): number {
    return this.#open.size;
  }

  /** The caller's session of that id; `gone` when there is none any more. Throws a refusal when that cannot be known. */
  async find(id: string, visit: Visit, audience: Audience): Promise<Session | 'gone'> {
    const open = this.#open.get(id);
    if (open !== undefined && open.parts.callerId !== visit.caller.id) return 'gone';
    // One whose audience was put together anew is not told of changes any more.
    if (open !== undefined && open.parts.audience !== audience) this.#putAway(open);
    const session = this.#open.get(id) ?? (await this.#return(id, visit, audience));
    if (session === undefined) return 'gone';
    session.usedAt = Date.now();
    this.#open.delete(id);
    this.#open.set(id, session);
    this.#options.records.touch(id);
    return session;
  }

  /** Answers `initialize` and keeps the session. */
  async begin(request: Request, message: JSONRPCMessage, visit: Visit, audience: Audience): Promise<Response> {
    if (JSON.stringify(message).length > LONGEST_GREETING)
      throw new Refusal(413, `This initialize is over ${LONGEST_GREETING} characters, the most that is taken.`, { reason: 'body' });
    this.#makeRoom(visit);
    const session = await this.#create(
      randomUUID(),
      { owner: ownerOf(visit.caller), initialize: message, subscriptions: [] },
      visit,
      audience,
    );
    try {
      const answer = await session.handle(request, message, visit);
      if (answer.ok) await this.#options.records.save(session.id, session.record);
      else this.#putAway(session);
      return answer;
    } catch (cause) {
      this.#putAway(session);
      throw cause;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    this.#stopFollowing();
    await Promise.all([...this.#open.values()].map((session) => session.close()));
  }

  /** A session that began on another replica, or here before it was put away. */
  #return(id: string, visit: Visit, audience: Audience): Promise<Session | undefined> {
    const key = `${id} ${visit.caller.id}`;
    let returning = this.#returning.get(key);
    if (returning === undefined) {
      returning = this.#restore(id, visit, audience).finally(() => this.#returning.delete(key));
      this.#returning.set(key, returning);
    }
    return returning;
  }

  async #restore(id: string, visit: Visit, audience: Audience): Promise<Session | undefined> {
    const record = await this.#options.records.find(id);
    if (record === 'unknown')
      throw new Refusal(503, 'Whether there is such a session cannot be known at the moment. Try again.', {
        headers: { 'retry-after': '2' },
      });
    if (record === undefined || record.owner !== ownerOf(visit.caller)) return undefined;
    this.#makeRoom(visit);
    const session = await this.#create(id, record, visit, audience);
    await session.resume(visit);
    // What changed elsewhere until now found nobody to tell.
    await this.#follow(id);
    return this.#open.get(id);
  }

  async #create(id: string, record: SessionRecord, { account, caller }: Visit, audience: Audience): Promise<Session> {
    const { changes, keepAliveMs, limits, log, observer, prompts, records, tap } = this.#options;
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
    const watching = new Set(record.subscriptions);
    const { catalog, tools } = audience;
    const events = changes.feedFor(audience);
    const server = createServer({ catalog, tools, prompts, log, events, caller, watched: watching, mostWatched: limits.subscriptions });
    const isKnown = (requestId: string | number) => gatewayOf(server)?.isApart(requestId) === true;
    await server.connect(observe(tapped(transport, tap, id), observer, { transport: 'http', sessionId: id, caller: caller.name }, isKnown));
    const { initialize, owner } = record;
    const save = (next: SessionRecord) => records.save(id, next);
    const session = new Session({ id, callerId: caller.id, account, audience, owner, initialize, watching, server, transport, save });
    this.#open.set(id, session);
    return session;
  }

  /** Another replica ended the session, or was told what else to watch. */
  async #follow(id: string): Promise<void> {
    const session = this.#open.get(id);
    if (session === undefined) return;
    const record = await this.#options.records.find(id);
    if (record === undefined) this.#putAway(session);
    else if (record !== 'unknown') session.watch(record.subscriptions);
  }

  /** One caller may have half of the sessions; what is not used can return while its record is kept. */
  #makeRoom({ account, limited }: Visit): void {
    const most = this.#options.limits.sessions;
    const own = [...this.#open.values()].filter((session) => session.parts.account === account);
    const refused = { reason: 'sessions', headers: { 'retry-after': '30' } } as const;
    if (limited && own.length >= Math.ceil(most / 2) && !this.#putAwayOneOf(own))
      throw new Refusal(429, `All of the ${own.length} sessions that you may have are in use. End one first.`, refused);
    if (this.#open.size >= most && !this.#putAwayOneOf(this.#open.values()))
      throw new Refusal(503, `There are ${most} sessions in use, the most that are kept. Try again later.`, refused);
  }

  #putAwayOneOf(sessions: Iterable<Session>): boolean {
    for (const session of sessions) {
      if (session.busy) continue;
      this.#putAway(session);
      return true;
    }
    return false;
  }

  #sweep(): void {
    const oldest = Date.now() - SESSION_IDLE_MS;
    for (const session of this.#open.values()) {
      if (session.busy) this.#options.records.touch(session.id);
      else if (session.usedAt < oldest) this.#putAway(session);
    }
  }

  #putAway(session: Session): void {
    if (this.#open.get(session.id) === session) this.#open.delete(session.id);
    session.close().catch(() => {});
  }
}
