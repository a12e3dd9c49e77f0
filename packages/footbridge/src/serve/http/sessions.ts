/** Sessions of the legacy revisions, shared between replicas and limited in number. */
import { randomUUID } from 'node:crypto';
import type { JSONRPCRequest } from '@modelcontextprotocol/server';
import { weightOf } from '../../json.js';
import type { Log } from '../../log.js';
import type { CallerView } from '../caller-views.js';
import { Connection, type RequestParts } from '../connection.js';
import type { Middleware } from '../dispatch/compose.js';
import { MAX_HANDSHAKE } from '../dispatch/host-methods.js';
import { type Answer, isRequest } from '../messages.js';
import type { SubscriptionQuota } from '../session/subscription-quota.js';
import type { Changes } from './changes.js';
import { callerDigest, type IncomingCall } from './incoming-call.js';
import type { HttpLimits } from './options.js';
import { HttpRefusal } from './reply.js';
import { Session } from './session.js';
import { SessionStreams } from './session-streams.js';
import { SESSION_IDLE_MS, type SessionRecord, type SessionRecords } from './shared/shared-state.js';

export interface SessionsOptions {
  readonly records: SessionRecords;
  readonly changes: Changes;
  readonly limits: HttpLimits;
  readonly prompts: boolean;
  readonly quota: SubscriptionQuota;
  /** Around each request. */
  readonly middleware: readonly Middleware[];
  readonly log: Log;
}

/** How often idle sessions are closed. */
const SWEEP_MS = 60_000;

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
    this.#stopFollowing = options.records.onChanged((id, change) => {
      const session = this.#open.get(id);
      if (change === 'saved') void this.#follow(id);
      else if (session !== undefined) this.#closeSession(session);
    });
  }

  get size(): number {
    return this.#open.size;
  }

  /** The caller's session of that id; undefined when it has ended. Throws a refusal when Redis is unreachable. */
  async find(id: string, call: IncomingCall, view: CallerView): Promise<Session | undefined> {
    const open = this.#open.get(id);
    if (open !== undefined && open.parts.callerId !== call.caller.id) return undefined;
    // A view that was rebuilt gets the changes; the old one no longer does.
    if (open !== undefined && open.parts.view !== view) this.#closeSession(open);
    const session = this.#open.get(id) ?? (await this.#return(id, call, view));
    if (session === undefined) return undefined;
    session.usedAt = Date.now();
    this.#open.delete(id);
    this.#open.set(id, session);
    this.#options.records.touch(id);
    return session;
  }

  /** A new session, which is stored when its `initialize` is answered. */
  begin(initialize: JSONRPCRequest, call: IncomingCall, view: CallerView): Session {
    // The request is stored as long as its session.
    if (weightOf(initialize, MAX_HANDSHAKE) > MAX_HANDSHAKE)
      throw new HttpRefusal(413, `This initialize takes more than ${MAX_HANDSHAKE} bytes. Send less client information.`, {
        reason: 'body',
      });
    this.#makeRoom(call);
    return this.#create(randomUUID(), { owner: callerDigest(call.caller), initialize, subscriptions: [] }, call, view);
  }

  /** Answers `initialize`. The session is closed when that fails. */
  async initialize(session: Session, parts: RequestParts): Promise<Answer | undefined> {
    try {
      const answer = await session.request(session.parts.initialize, parts);
      if (answer !== undefined && 'result' in answer) await this.#options.records.save(session.id, session.record);
      else this.#closeSession(session);
      return answer;
    } catch (cause) {
      this.#closeSession(session);
      throw cause;
    }
  }

  /** Resolves when what was sent so far has reached the streams of all sessions. */
  async sent(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ parts }) => parts.streams.sent()));
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    this.#stopFollowing();
    for (const session of this.#open.values()) session.close();
  }

  /** A session of another replica, or one that was closed here to make room. */
  #return(id: string, call: IncomingCall, view: CallerView): Promise<Session | undefined> {
    const key = `${id} ${call.caller.id}`;
    let returning = this.#returning.get(key);
    if (returning === undefined) {
      returning = this.#restore(id, call, view).finally(() => this.#returning.delete(key));
      this.#returning.set(key, returning);
    }
    return returning;
  }

  async #restore(id: string, call: IncomingCall, view: CallerView): Promise<Session | undefined> {
    const record = await this.#options.records.find(id);
    if (record === 'unknown')
      throw new HttpRefusal(503, 'The session cannot be looked up at the moment. Try again.', {
        headers: { 'retry-after': '2' },
      });
    if (record === undefined || record.owner !== callerDigest(call.caller)) return undefined;
    this.#makeRoom(call);
    const session = this.#create(id, record, call, view);
    await session.resume();
    // Changes on other replicas until now were missed.
    await this.#follow(id);
    return this.#open.get(id);
  }

  #create(id: string, record: SessionRecord, { account, caller }: IncomingCall, view: CallerView): Session {
    const { changes, limits, log, middleware, prompts, quota, records } = this.#options;
    const { catalog, hosts, tools } = view;
    const { initialize, owner } = record;
    if (!isRequest(initialize)) throw new Error('a session begins with a request');
    const subscribed = new Set(record.subscriptions);
    const streams = new SessionStreams(records.events(id));
    const connection = new Connection({
      catalog,
      tools,
      hosts,
      prompts,
      log,
      middleware,
      callerOf: () => caller,
      account,
      subscribed,
      maxSubscriptions: limits.subscriptions,
      quota,
      events: changes.feedFor(view),
      transport: 'http',
      sessionId: id,
      send: (message) => streams.send(message),
    });
    const session = new Session({
      id,
      callerId: caller.id,
      accountId: account.id,
      view,
      owner,
      initialize,
      subscribed,
      connection,
      streams,
      save: (next) => records.save(id, next),
      remove: async () => {
        this.#open.delete(id);
        await records.remove(id);
      },
    });
    this.#open.set(id, session);
    return session;
  }

  /** Another replica ended the session or changed its subscriptions. */
  async #follow(id: string): Promise<void> {
    const session = this.#open.get(id);
    if (session === undefined) return;
    const record = await this.#options.records.find(id);
    if (record === undefined) this.#closeSession(session);
    else if (record !== 'unknown') session.subscribe(record.subscriptions);
  }

  /** One caller may have half of the sessions. An idle session is closed, and restored from its record when it is used again. */
  #makeRoom({ account }: IncomingCall): void {
    const most = this.#options.limits.sessions;
    const own = [...this.#open.values()].filter((session) => session.parts.accountId === account.id);
    const refused = { reason: 'sessions', headers: { 'retry-after': '30' } } as const;
    if (account.limited && own.length >= Math.ceil(most / 2) && !this.#closeOneOf(own))
      throw new HttpRefusal(429, `All ${own.length} sessions that one caller may have are in use. End one first.`, refused);
    if (this.#open.size >= most && !this.#closeOneOf(this.#open.values()))
      throw new HttpRefusal(503, `All ${most} sessions are in use. Try again later.`, refused);
  }

  #closeOneOf(sessions: Iterable<Session>): boolean {
    for (const session of sessions) {
      if (session.busy) continue;
      this.#closeSession(session);
      return true;
    }
    return false;
  }

  #sweep(): void {
    const oldest = Date.now() - SESSION_IDLE_MS;
    for (const session of this.#open.values()) {
      if (session.busy) this.#options.records.touch(session.id);
      else if (session.usedAt < oldest) this.#closeSession(session);
    }
  }

  #closeSession(session: Session): void {
    if (this.#open.get(session.id) === session) this.#open.delete(session.id);
    session.close();
  }
}
