/** Sessions in Redis, with copies in memory of those that this replica uses, so that they survive an outage. */
import type { EventStore } from '@modelcontextprotocol/server';
import { reasonOf } from '../../../errors.js';
import type { Log } from '../../../log.js';
import { type EventLog, type LoggedEvent, MAX_EVENTS, replay } from './event-log.js';
import type { RedisChannels } from './redis-channels.js';
import type { LinkUser, RedisConnections, RedisLink } from './redis-link.js';
import { parseSession, type SessionEntry, SessionTable, serializeSession } from './session-table.js';
import { SESSION_IDLE_MS, type SessionRecord, type SessionRecords } from './shared-state.js';

/** Announces outdated copies. */
const CHANNEL = 'sessions';
const TOUCH_INTERVAL_MS = 60_000;
const MAX_UNREMOVED = 1000;
/** Sessions compared in parallel after an outage. */
const BATCH_SIZE = 100;
const EXPIRATION = { type: 'PX', value: SESSION_IDLE_MS } as const;
/** Replaces a record, so that a replica that was disconnected does not restore a session that has ended. */
const REMOVED = 'removed';

const keyOf = (id: string) => `footbridge:session:${id}`;
const eventsKeyOf = (id: string) => `footbridge:session-events:${id}`;

type Change = 'saved' | 'removed';
type ChangedListener = Parameters<SessionRecords['onChanged']>[0];

export class RedisSessions implements SessionRecords, LinkUser {
  readonly #link: RedisLink;
  readonly #channels: RedisChannels;
  readonly #replica: string;
  readonly #log: Log;
  readonly #copies = new SessionTable(Date.now);
  readonly #listeners = new Set<ChangedListener>();
  /** Sessions whose removal still has to be sent to Redis. */
  readonly #unremoved = new Set<string>();
  /** Counts the records replaced or removed, here or elsewhere. */
  #changes = 0;

  constructor(link: RedisLink, channels: RedisChannels, replica: string, log: Log) {
    this.#link = link;
    this.#channels = channels;
    this.#replica = replica;
    this.#log = log;
    void channels.listen(CHANNEL, (message) => this.#receive(message));
  }

  async save(id: string, record: SessionRecord): Promise<void> {
    const text = serializeSession(record);
    this.#changes++;
    this.#unremoved.delete(id);
    await this.#send(id, this.#copies.keep(id, text), text);
  }

  async find(id: string): Promise<SessionRecord | 'unknown' | undefined> {
    if (this.#unremoved.has(id)) return undefined;
    const changes = this.#changes;
    const copy = this.#copies.use(id)?.record;
    const text = copy ?? (await this.#link.ask((redis) => redis.get(keyOf(id))));
    if (text === undefined) return 'unknown';
    const record = parseSession(text);
    if (text === null || record === undefined) return undefined;
    // A reply overtaken by a change may be outdated, and would not be announced again.
    if (copy === undefined && changes === this.#changes) this.#copies.keep(id, text);
    this.touch(id);
    return record;
  }

  touch(id: string): void {
    // The copy of a session in use may have been evicted.
    const copy = this.#copies.open(id);
    if (Date.now() - copy.touchedAt < TOUCH_INTERVAL_MS) return;
    copy.touchedAt = Date.now();
    void this.#link.ask((redis) => Promise.all([keyOf(id), eventsKeyOf(id)].map((key) => redis.pExpire(key, SESSION_IDLE_MS))));
  }

  async remove(id: string): Promise<void> {
    this.#changes++;
    this.#copies.remove(id);
    const removed = await this.#link.ask((redis) =>
      redis.multi().set(keyOf(id), REMOVED, { expiration: EXPIRATION }).del(eventsKeyOf(id)).exec(),
    );
    if (removed !== undefined) this.#announce(id, 'removed');
    else if (this.#unremoved.size < MAX_UNREMOVED) this.#unremoved.add(id);
  }

  onChanged(listener: ChangedListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  events(id: string): EventStore {
    return {
      storeEvent: async (stream, message) => {
        const event = this.#copies.append(id, this.#replica, stream, message);
        void this.#sendEvents(id, this.#copies.open(id), [event]);
        return event.id;
      },
      replayEventsAfter: async (lastEventId, sender) => {
        const { log } = this.#copies.open(id);
        const events = await this.#allEvents(id, log);
        for (const event of events.slice(-1)) log.follow(event);
        return replay(events, lastEventId, sender);
      },
    };
  }

  resume(_connections: RedisConnections, outage: boolean): void {
    if (outage) void this.#catchUp();
  }

  /** Sends what Redis does not have, or lost in a restart, and drops the copies that it has newer versions of. */
  async #catchUp(): Promise<void> {
    for (const id of [...this.#unremoved]) {
      this.#unremoved.delete(id);
      void this.remove(id);
    }
    const copies = this.#copies.all();
    for (let start = 0; start < copies.length; start += BATCH_SIZE)
      await Promise.all(copies.slice(start, start + BATCH_SIZE).map(([id, copy]) => this.#compare(id, copy)));
  }

  async #compare(id: string, copy: SessionEntry): Promise<void> {
    const { record } = copy;
    const stored = await this.#link.ask((redis) => redis.get(keyOf(id)));
    if (stored === undefined || !this.#copies.has(id, copy)) return;
    if (stored === REMOVED) return this.#outdate(id, 'removed');
    if (copy.unsent) {
      copy.unsent = false;
      void this.#sendEvents(id, copy, copy.log.events);
    }
    if (record === undefined || record !== copy.record) return;
    if (copy.unsaved) await this.#send(id, copy, record);
    else if (stored !== null && stored !== record) this.#outdate(id, 'saved');
    else if (stored === null) await this.#link.ask((redis) => redis.set(keyOf(id), record, { expiration: EXPIRATION, condition: 'NX' }));
  }

  async #send(id: string, copy: SessionEntry, text: string): Promise<void> {
    copy.unsaved = true;
    if ((await this.#link.ask((redis) => redis.set(keyOf(id), text, { expiration: EXPIRATION }))) === undefined) return;
    if (copy.record === text) copy.unsaved = false;
    this.#announce(id, 'saved');
  }

  async #sendEvents(id: string, copy: SessionEntry, events: readonly LoggedEvent[]): Promise<void> {
    const key = eventsKeyOf(id);
    const { evictedUntil } = copy.log;
    const members = events
      .filter(({ time }) => time > evictedUntil)
      .map(({ id, time, stream, text }) => ({ score: time, value: JSON.stringify([id, time, stream, text]) }));
    const sent = await this.#link.ask((redis) => {
      const commands = redis.multi().zRemRangeByScore(key, '-inf', evictedUntil);
      if (members.length > 0) commands.zAdd(key, members);
      return commands
        .zRemRangeByRank(key, 0, -MAX_EVENTS - 1)
        .pExpire(key, SESSION_IDLE_MS)
        .exec();
    });
    if (sent === undefined) copy.unsent = true;
  }

  /** The events of a session from all replicas, oldest first. */
  async #allEvents(id: string, log: EventLog): Promise<LoggedEvent[]> {
    const members = (await this.#link.ask((redis) => redis.zRange(eventsKeyOf(id), 0, -1))) ?? [];
    const events = new Map(members.flatMap(parseEvents).map((event) => [event.id, event]));
    for (const event of log.events) events.set(event.id, event);
    return [...events.values()].sort((one, other) => one.time - other.time);
  }

  #announce(id: string, what: Change): void {
    void this.#channels.send(CHANNEL, `${this.#replica} ${id} ${what}`);
  }

  #receive(message: string): void {
    const [replica, id, what] = message.split(' ');
    if (replica !== this.#replica && id !== undefined) this.#outdate(id, what === 'removed' ? what : 'saved');
  }

  /** After a change by another replica. An unsent change of this one is dropped: the last one in Redis wins. */
  #outdate(id: string, what: Change): void {
    this.#changes++;
    if (what === 'removed') this.#copies.remove(id);
    else this.#copies.dropRecord(id);
    for (const listener of this.#listeners) {
      try {
        listener(id);
      } catch (error) {
        this.#log.warn(`A session listener failed: ${reasonOf(error)}`);
      }
    }
  }
}

function parseEvents(member: string): LoggedEvent[] {
  try {
    const [id, time, stream, text]: unknown[] = JSON.parse(member);
    const isEvent = typeof id === 'string' && typeof time === 'number' && typeof stream === 'string' && typeof text === 'string';
    return isEvent ? [{ id, time, stream, text }] : [];
  } catch {
    return [];
  }
}
