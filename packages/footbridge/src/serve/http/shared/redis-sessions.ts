/** Sessions in Redis, with a copy here of those that this replica has to do with: they go on when Redis is away. */
import type { EventStore } from '@modelcontextprotocol/server';
import type { Log } from '../../../log.js';
import { type LoggedEvent, replay } from './event-log.js';
import type { RedisChannels } from './redis-channels.js';
import { addEvents, allEvents, eventsKeyOf } from './redis-events.js';
import type { LinkUser, RedisConnections, RedisLink } from './redis-link.js';
import { readRecord, writeRecord } from './session-record.js';
import { type SessionEntry, SessionTable } from './session-table.js';
import { SESSION_IDLE_MS, type SessionRecord, type SessionRecords } from './shared-state.js';

/** Where it is told that copies of a session are out of date. */
const CHANNEL = 'sessions';
const TOUCH_EVERY_MS = 60_000;
const MAX_UNREMOVED = 1000;
/** How many sessions are looked at together when Redis is back. */
const COMPARED_AT_ONCE = 100;
const EXPIRATION = { type: 'PX', value: SESSION_IDLE_MS } as const;
/** In place of a record: a replica that was away must not bring a session back that has ended meanwhile. */
const REMOVED = 'removed';

const keyOf = (id: string) => `footbridge:session:${id}`;

type Change = 'saved' | 'removed';
type ChangedListener = Parameters<SessionRecords['onChanged']>[0];

export class RedisSessions implements SessionRecords, LinkUser {
  readonly #link: RedisLink;
  readonly #channels: RedisChannels;
  readonly #replica: string;
  readonly #log: Log;
  readonly #copies = new SessionTable(Date.now);
  readonly #listeners = new Set<ChangedListener>();
  /** Ends of sessions that Redis could not be told of. */
  readonly #unremoved = new Set<string>();
  /** How often a record was replaced or removed, here or elsewhere. */
  #changes = 0;

  constructor(link: RedisLink, channels: RedisChannels, replica: string, log: Log) {
    this.#link = link;
    this.#channels = channels;
    this.#replica = replica;
    this.#log = log;
    void channels.listen(CHANNEL, (message) => this.#hear(message));
  }

  async save(id: string, record: SessionRecord): Promise<void> {
    const text = writeRecord(record);
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
    const record = readRecord(text);
    if (text === null || record === undefined) return undefined;
    // An answer that a change has overtaken may be from before it, and nobody would say so again.
    if (copy === undefined && changes === this.#changes) this.#copies.keep(id, text);
    this.touch(id);
    return record;
  }

  touch(id: string): void {
    // A session can be in use here though its copy had to make room.
    const copy = this.#copies.open(id);
    if (Date.now() - copy.toldAt < TOUCH_EVERY_MS) return;
    copy.toldAt = Date.now();
    void this.#link.ask((redis) => Promise.all([keyOf(id), eventsKeyOf(id)].map((key) => redis.pExpire(key, SESSION_IDLE_MS))));
  }

  async remove(id: string): Promise<void> {
    this.#changes++;
    this.#copies.remove(id);
    const removed = await this.#link.ask((redis) =>
      redis.multi().set(keyOf(id), REMOVED, { expiration: EXPIRATION }).del(eventsKeyOf(id)).exec(),
    );
    if (removed !== undefined) this.#tellOthers(id, 'removed');
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
        const events = await allEvents(this.#link, id, log);
        for (const event of events.slice(-1)) log.follow(event);
        return replay(events, lastEventId, sender);
      },
    };
  }

  resume(_connections: RedisConnections, outage: boolean): void {
    if (outage) void this.#catchUp();
  }

  /** Tells Redis what it does not know, or has forgotten when it kept nothing on disk, and hears what this replica does not know. */
  async #catchUp(): Promise<void> {
    for (const id of [...this.#unremoved]) {
      this.#unremoved.delete(id);
      void this.remove(id);
    }
    const copies = this.#copies.all();
    for (let start = 0; start < copies.length; start += COMPARED_AT_ONCE)
      await Promise.all(copies.slice(start, start + COMPARED_AT_ONCE).map(([id, copy]) => this.#compare(id, copy)));
  }

  async #compare(id: string, copy: SessionEntry): Promise<void> {
    const { record } = copy;
    const there = await this.#link.ask((redis) => redis.get(keyOf(id)));
    if (there === undefined || !this.#copies.has(id, copy)) return;
    if (there === REMOVED) return this.#outdate(id, 'removed');
    if (copy.unsent) {
      copy.unsent = false;
      void this.#sendEvents(id, copy, copy.log.events);
    }
    if (record === undefined || record !== copy.record) return;
    if (copy.unsaved) await this.#send(id, copy, record);
    else if (there !== null && there !== record) this.#outdate(id, 'saved');
    else if (there === null) await this.#link.ask((redis) => redis.set(keyOf(id), record, { expiration: EXPIRATION, condition: 'NX' }));
  }

  async #send(id: string, copy: SessionEntry, text: string): Promise<void> {
    copy.unsaved = true;
    if ((await this.#link.ask((redis) => redis.set(keyOf(id), text, { expiration: EXPIRATION }))) === undefined) return;
    if (copy.record === text) copy.unsaved = false;
    this.#tellOthers(id, 'saved');
  }

  async #sendEvents(id: string, copy: SessionEntry, events: readonly LoggedEvent[]): Promise<void> {
    if (!(await addEvents(this.#link, id, copy.log, events))) copy.unsent = true;
  }

  #tellOthers(id: string, what: Change): void {
    void this.#channels.send(CHANNEL, `${this.#replica} ${id} ${what}`);
  }

  #hear(message: string): void {
    const [replica, id, what] = message.split(' ');
    if (replica !== this.#replica && id !== undefined) this.#outdate(id, what === 'removed' ? what : 'saved');
  }

  /** Another replica has saved or removed a session. What was saved here at the same time goes, too: Redis has what was last. */
  #outdate(id: string, what: Change): void {
    this.#changes++;
    if (what === 'removed') this.#copies.remove(id);
    else this.#copies.forgetRecord(id);
    for (const listener of this.#listeners) {
      try {
        listener(id);
      } catch (error) {
        this.#log.warn(`a listener to sessions failed: ${error instanceof Error ? error.message : 'for no known reason'}`);
      }
    }
  }
}
