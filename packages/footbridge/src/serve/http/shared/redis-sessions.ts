/** Sessions in Redis, with a copy here of those that this replica has to do with: they go on when Redis is away. */
import type { EventStore } from '@modelcontextprotocol/server';
import { isFields } from '../../../json.js';
import { type EventLog, type LoggedEvent, readMessage, replay } from './event-log.js';
import type { RedisChannels } from './redis-channels.js';
import { addEvents, allEvents, eventsKeyOf } from './redis-events.js';
import type { LinkUser, RedisConnections, RedisLink } from './redis-link.js';
import { SessionTable } from './session-table.js';
import { SESSION_IDLE_MS, type SessionRecord, type SessionRecords } from './shared-state.js';

/** Where it is told that copies of a session are out of date. */
const CHANNEL = 'footbridge:sessions';
const TOUCH_EVERY_MS = 60_000;
const MAX_UNREMOVED = 1000;
const EXPIRATION = { type: 'PX', value: SESSION_IDLE_MS } as const;

const keyOf = (id: string) => `footbridge:session:${id}`;

export class RedisSessions implements SessionRecords, LinkUser {
  readonly #link: RedisLink;
  readonly #channels: RedisChannels;
  readonly #replica: string;
  readonly #copies = new SessionTable(Date.now);
  /** What Redis could not be told of: records, ends of sessions, events. */
  readonly #unsaved = new Set<string>();
  readonly #unremoved = new Set<string>();
  readonly #unsent = new Set<string>();

  constructor(link: RedisLink, channels: RedisChannels, replica: string) {
    this.#link = link;
    this.#channels = channels;
    this.#replica = replica;
    void channels.listen(CHANNEL, (message) => this.#hear(message));
  }

  async save(id: string, record: SessionRecord): Promise<void> {
    this.#copies.open(id).record = record;
    this.#unremoved.delete(id);
    this.#unsaved.add(id);
    const saved = await this.#link.ask((redis) => redis.set(keyOf(id), JSON.stringify(record), { expiration: EXPIRATION }));
    if (saved === undefined) return;
    this.#unsaved.delete(id);
    this.#tellOthers(id);
  }

  async find(id: string): Promise<SessionRecord | undefined> {
    const record = this.#copies.use(id)?.record ?? readRecord(await this.#link.ask((redis) => redis.get(keyOf(id))));
    if (record === undefined) return undefined;
    this.#copies.open(id).record = record;
    this.touch(id);
    return record;
  }

  onChanged(): () => void {
    return () => {};
  }

  touch(id: string): void {
    const copy = this.#copies.use(id);
    if (copy === undefined || Date.now() - copy.toldAt < TOUCH_EVERY_MS) return;
    copy.toldAt = Date.now();
    void this.#link.ask((redis) => Promise.all([keyOf(id), eventsKeyOf(id)].map((key) => redis.pExpire(key, SESSION_IDLE_MS))));
  }

  async remove(id: string): Promise<void> {
    this.#copies.remove(id);
    this.#unsaved.delete(id);
    this.#unsent.delete(id);
    if ((await this.#link.ask((redis) => redis.del([keyOf(id), eventsKeyOf(id)]))) !== undefined) this.#tellOthers(id);
    else if (this.#unremoved.size < MAX_UNREMOVED) this.#unremoved.add(id);
  }

  events(id: string): EventStore {
    return {
      storeEvent: async (stream, message) => {
        const { log } = this.#copies.open(id);
        const event = log.append(this.#replica, stream, message, Date.now());
        void this.#sendEvents(id, log, [event]);
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

  /** Tells Redis what it does not know, and what it has forgotten when it kept nothing on disk. */
  resume(_connections: RedisConnections, outage: boolean): void {
    if (!outage) return;
    const [unsaved, unremoved, unsent] = [taken(this.#unsaved), taken(this.#unremoved), taken(this.#unsent)];
    for (const id of unremoved) void this.remove(id);
    for (const [id, { record, log }] of this.#copies.all()) {
      if (unsent.has(id)) void this.#sendEvents(id, log, log.events);
      if (record === undefined) continue;
      if (unsaved.has(id)) void this.save(id, record);
      else void this.#link.ask((redis) => redis.set(keyOf(id), JSON.stringify(record), { expiration: EXPIRATION, condition: 'NX' }));
    }
  }

  async #sendEvents(id: string, log: EventLog, events: readonly LoggedEvent[]): Promise<void> {
    if (!(await addEvents(this.#link, id, log, events))) this.#unsent.add(id);
  }

  #tellOthers(id: string): void {
    void this.#channels.send(CHANNEL, `${this.#replica} ${id}`);
  }

  /** Another replica has saved or removed a session: what is known of it here is out of date. */
  #hear(message: string): void {
    const [replica, id = ''] = message.split(' ');
    if (replica === this.#replica || this.#unsaved.has(id)) return;
    const copy = this.#copies.peek(id);
    if (copy !== undefined) copy.record = undefined;
  }
}

/** What is in a set, which is empty afterwards. */
function taken(ids: Set<string>): ReadonlySet<string> {
  const all = new Set(ids);
  ids.clear();
  return all;
}

function readRecord(text: string | null | undefined): SessionRecord | undefined {
  try {
    const record: unknown = JSON.parse(text ?? '');
    if (!isFields(record)) return undefined;
    const { owner, subscriptions } = record;
    const initialize = readMessage(JSON.stringify(record['initialize']));
    if (typeof owner !== 'string' || initialize === undefined || !isTexts(subscriptions)) return undefined;
    return { owner, initialize, subscriptions };
  } catch {
    return undefined;
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
