/** Sessions in Redis, with copies in memory of those that this replica uses, so that they survive an outage. */
import { reasonOf } from '../../../errors.js';
import type { Log } from '../../../log.js';
import type { LinkUser, RedisChannels, RedisLink } from './redis-link.js';
import { Removals } from './removals.js';
import {
  type EventLog,
  type LoggedEvent,
  MAX_EVENTS,
  parseSession,
  replay,
  type SessionEntry,
  SessionTable,
  serializeSession,
} from './session-table.js';
import { SESSION_IDLE_MS, type SessionChange, type SessionRecords } from './shared-state.js';

/** Announces outdated copies. */
const CHANNEL = 'sessions';
const TOUCH_INTERVAL_MS = 60_000;
const MAX_UNREMOVED = 1000;
const MAX_ENDED = 10_000;
/** Characters of events that Redis has not taken yet; further ones are sent later. */
const MAX_PENDING = 8 * 1024 * 1024;
const BATCH_SIZE = 100;
const EXPIRATION = { type: 'PX', value: SESSION_IDLE_MS } as const;
/** Replaces a record, so that a replica that was disconnected does not restore a session that has ended. */
const REMOVED = 'removed';

const keyOf = (id: string) => `footbridge:session:${id}`;
const eventsKeyOf = (id: string) => `footbridge:session-events:${id}`;

type ChangedListener = Parameters<SessionRecords['onChanged']>[0];

export function redisSessions(link: RedisLink, channels: RedisChannels, replica: string, log: Log): SessionRecords & LinkUser {
  // Sessions evicted because of their caller's limit are removed from Redis too.
  const copies = new SessionTable(Date.now, (id) => void drop(id));
  const listeners = new Set<ChangedListener>();
  /** Sessions whose removal still has to be sent to Redis. */
  const unremoved = new Set<string>();
  /** Sessions that have ended, here or elsewhere: a request that was running then must not save them again. Oldest first. */
  const ended = new Set<string>();
  /** Records on their way to Redis. */
  const saving = new Map<string, Promise<unknown>>();
  const removals = new Removals(replica, channels);
  /** Counts the records replaced or removed, here or elsewhere. */
  let changes = 0;
  /** Characters of events on their way to Redis. */
  let pending = 0;

  void channels.listen(CHANNEL, (message) => {
    const [sender, id, what, key] = message.split(' ');
    if (sender === undefined || id === undefined) return;
    if (sender !== replica) outdate(id, what === 'removed' ? what : 'saved');
    if (key !== undefined) void removedElsewhere(id).then(() => removals.acknowledge(sender, key));
  });

  /** Redis may have taken a record of this replica after the removal. */
  async function removedElsewhere(id: string): Promise<void> {
    const running = saving.get(id);
    if (running === undefined) return;
    await running;
    await markRemoved(id);
  }

  const markRemoved = (id: string) =>
    link.ask((redis) => redis.multi().set(keyOf(id), REMOVED, { expiration: EXPIRATION }).del(eventsKeyOf(id)).exec());

  /** After a change by another replica. An unsent change of this one is dropped: the last one in Redis wins. */
  function outdate(id: string, what: SessionChange): void {
    changes++;
    if (what === 'removed') {
      end(id);
      copies.remove(id);
    } else copies.dropRecord(id);
    for (const listener of listeners) {
      try {
        listener(id, what);
      } catch (error) {
        log.warn(`A session listener failed: ${reasonOf(error)}`);
      }
    }
  }

  /** Sends what Redis does not have, or lost in a restart, and drops the copies that it has newer versions of. */
  async function catchUp(): Promise<void> {
    for (const id of [...unremoved]) {
      unremoved.delete(id);
      void remove(id);
    }
    const all = copies.all();
    for (let start = 0; start < all.length; start += BATCH_SIZE)
      await Promise.all(all.slice(start, start + BATCH_SIZE).map(([id, copy]) => compare(id, copy)));
  }

  async function compare(id: string, copy: SessionEntry): Promise<void> {
    const { record } = copy;
    const stored = await link.ask((redis) => redis.get(keyOf(id)));
    if (stored === undefined || !copies.has(id, copy)) return;
    if (stored === REMOVED) return outdate(id, 'removed');
    if (copy.unsent) {
      copy.unsent = false;
      void sendEvents(id, copy, copy.log.events);
    }
    if (record === undefined || record !== copy.record) return;
    if (copy.unsaved) await send(id, copy, record);
    else if (stored !== null && stored !== record) outdate(id, 'saved');
    else if (stored === null) await link.ask((redis) => redis.set(keyOf(id), record, { expiration: EXPIRATION, condition: 'NX' }));
  }

  async function send(id: string, copy: SessionEntry, text: string): Promise<void> {
    copy.unsaved = true;
    const sent = link.ask((redis) => redis.set(keyOf(id), text, { expiration: EXPIRATION }));
    saving.set(id, sent);
    const saved = await sent;
    if (saving.get(id) === sent) saving.delete(id);
    if (saved === undefined) return;
    if (copy.record === text) copy.unsaved = false;
    void channels.send(CHANNEL, `${replica} ${id} saved`);
  }

  async function sendEvents(id: string, copy: SessionEntry, events: readonly LoggedEvent[]): Promise<void> {
    const key = eventsKeyOf(id);
    const { evictedUntil } = copy.log;
    const kept = events.filter(({ time }) => time > evictedUntil);
    const length = kept.reduce((sum, { text }) => sum + text.length, 0);
    if (pending + length > MAX_PENDING) {
      copy.unsent = true;
      return;
    }
    const members = kept.map(({ id, time, stream, text }) => ({ score: time, value: JSON.stringify([id, time, stream, text]) }));
    const sent = await link.ask((redis) => {
      const commands = redis.multi().zRemRangeByScore(key, '-inf', evictedUntil);
      if (members.length > 0) commands.zAdd(key, members);
      pending += length;
      // Later than `ask` waits for.
      return commands
        .zRemRangeByRank(key, 0, -MAX_EVENTS - 1)
        .pExpire(key, SESSION_IDLE_MS)
        .exec()
        .finally(() => {
          pending -= length;
        });
    });
    if (sent === undefined) copy.unsent = true;
  }

  /** The events of a session from all replicas, oldest first. */
  async function allEvents(id: string, { events: own }: EventLog): Promise<LoggedEvent[]> {
    const members = (await link.ask((redis) => redis.zRange(eventsKeyOf(id), 0, -1))) ?? [];
    const events = new Map([...members.flatMap(parseEvents), ...own].map((event) => [event.id, event]));
    return [...events.values()].sort((one, other) => one.time - other.time);
  }

  function touch(id: string): void {
    // The copy of a session in use may have been evicted.
    const copy = copies.open(id);
    if (Date.now() - copy.touchedAt < TOUCH_INTERVAL_MS) return;
    copy.touchedAt = Date.now();
    void link.ask((redis) => Promise.all([keyOf(id), eventsKeyOf(id)].map((key) => redis.pExpire(key, SESSION_IDLE_MS))));
  }

  function end(id: string): void {
    ended.add(id);
    const [oldest] = ended;
    if (ended.size > MAX_ENDED && oldest !== undefined) ended.delete(oldest);
  }

  /** Resolves when Redis has the removal, and no other replica serves the session. */
  async function drop(id: string): Promise<void> {
    changes++;
    copies.remove(id);
    if ((await markRemoved(id)) !== undefined) await removals.announce((key) => channels.send(CHANNEL, `${replica} ${id} removed ${key}`));
    else if (unremoved.size < MAX_UNREMOVED) unremoved.add(id);
  }

  function remove(id: string): Promise<void> {
    end(id);
    return drop(id);
  }

  return {
    touch,
    remove,
    async save(id, record) {
      if (ended.has(id)) return;
      const text = serializeSession(record);
      changes++;
      unremoved.delete(id);
      await send(id, copies.keep(id, text, record.owner), text);
    },
    async find(id) {
      if (unremoved.has(id)) return undefined;
      const before = changes;
      const copy = copies.use(id)?.record;
      const text = copy ?? (await link.ask((redis) => redis.get(keyOf(id))));
      if (text === undefined) return 'unknown';
      const record = parseSession(text);
      if (text === null || record === undefined) return undefined;
      // A reply overtaken by a change may be outdated, and would not be announced again.
      if (copy === undefined && before === changes) copies.keep(id, text, record.owner);
      touch(id);
      return record;
    },
    onChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    events: (id) => ({
      async storeEvent(stream, message) {
        const event = copies.append(id, replica, stream, message);
        const copy = copies.open(id);
        const events = copy.unsent ? [...copy.log.events] : [event];
        copy.unsent = false;
        void sendEvents(id, copy, events);
        return event.id;
      },
      async replayEventsAfter(lastEventId, sender) {
        const { log } = copies.open(id);
        const events = await allEvents(id, log);
        for (const event of events.slice(-1)) log.follow(event);
        return replay(events, lastEventId, sender);
      },
    }),
    resume(_connections, outage) {
      if (outage) void catchUp();
    },
  };
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
