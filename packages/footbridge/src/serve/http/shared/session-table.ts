/** The state of a single replica in memory: least recently used sessions are evicted, idle ones expire. */
import { type EventStore, InMemoryServerEventBus, type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { isFields } from '../../../json.js';
import { jsonStart } from '../../../json-pieces.js';
import { type MessagePost, SESSION_IDLE_MS, type SessionRecord, type SessionRecords, type SharedState } from './shared-state.js';
import { valuesInProcess } from './values.js';

/** Sessions, and characters of their records and events. Half of each for one caller. */
export const TABLE_BOUNDS = {
  sessions: 10_000,
  records: 16 * 1024 * 1024,
  events: 32 * 1024 * 1024,
} as const;

/** The size of the sessions of one caller, or of all. */
class Taken {
  sessions = 0;
  records = 0;
  events = 0;

  isMoreThan(part: number): boolean {
    const { sessions, records, events } = TABLE_BOUNDS;
    return this.sessions > sessions * part || this.records > records * part || this.events > events * part;
  }
}

/** Only the table sets `record` and `usedAt`. */
export interface SessionEntry {
  /** Serialized; undefined when unknown. */
  record: string | undefined;
  readonly log: EventLog;
  /** Its caller; undefined while the record is unknown. */
  owner: string | undefined;
  usedAt: number;
  /** When the expiry in Redis was last extended. */
  touchedAt: number;
  /** Whether the record, or events, still have to be sent to Redis. */
  unsaved: boolean;
  unsent: boolean;
}

export class SessionTable {
  /** Least recently used first. */
  readonly #entries = new Map<string, SessionEntry>();
  readonly #now: () => number;
  /** Called with each session that is evicted because its owner has too many, or too large ones. */
  readonly #onExcess: (id: string) => void;
  readonly #all = new Taken();
  readonly #byOwner = new Map<string | undefined, Taken>();
  /** Events so far, of all sessions. */
  #appended = 0;

  constructor(now: () => number, onExcess: (id: string) => void = () => {}) {
    this.#now = now;
    this.#onExcess = onExcess;
  }

  /** Stores a record and clears `unsaved`. Counts as use. */
  keep(id: string, record: string, owner: string): SessionEntry {
    const entry = this.open(id);
    this.#count(entry, -1);
    entry.owner = owner;
    entry.record = record;
    entry.unsaved = false;
    this.#count(entry, 1);
    this.#evict(entry);
    return entry;
  }

  /** Logs a message sent to a session. Counts as use. */
  append(id: string, replica: string, stream: string, message: JSONRPCMessage): LoggedEvent {
    const entry = this.open(id);
    this.#count(entry, -1);
    const event = entry.log.append(`${replica}-${++this.#appended}`, stream, message, this.#now());
    this.#count(entry, 1);
    this.#evict(entry);
    return event;
  }

  dropRecord(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#count(entry, -1);
    entry.record = undefined;
    entry.unsaved = false;
    this.#count(entry, 1);
  }

  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#count(entry, -1);
  }

  /** Whether `entry` is still the current one. */
  has(id: string, entry: SessionEntry): boolean {
    return this.#entries.get(id) === entry;
  }

  all(): [id: string, entry: SessionEntry][] {
    this.#expire();
    return [...this.#entries];
  }

  /** The entry of a session, created if missing. Counts as use. */
  open(id: string): SessionEntry {
    const known = this.use(id);
    if (known !== undefined) return known;
    const log = new EventLog();
    const entry = { record: undefined, log, owner: undefined, usedAt: this.#now(), touchedAt: 0, unsaved: false, unsent: false };
    this.#entries.set(id, entry);
    this.#count(entry, 1);
    this.#evict(entry);
    return entry;
  }

  use(id: string): SessionEntry | undefined {
    this.#expire();
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    entry.usedAt = this.#now();
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    return entry;
  }

  #count({ record, log, owner }: SessionEntry, sign: 1 | -1): void {
    const own = this.#byOwner.get(owner) ?? new Taken();
    for (const taken of [this.#all, own]) {
      taken.sessions += sign;
      taken.records += sign * (record?.length ?? 0);
      taken.events += sign * log.length;
    }
    if (own.sessions === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, own);
  }

  #expire(): void {
    for (const [id, { usedAt }] of this.#entries) {
      if (this.#now() - usedAt < SESSION_IDLE_MS) return;
      this.remove(id);
    }
  }

  /** After a change of one entry. */
  #evict({ owner }: SessionEntry): void {
    const own = owner === undefined ? undefined : this.#byOwner.get(owner);
    if (own?.isMoreThan(0.5) === true)
      for (const [id, entry] of this.#entries) {
        if (!own.isMoreThan(0.5)) break;
        if (entry.owner !== owner) continue;
        this.remove(id);
        this.#onExcess(id);
      }
    for (const id of this.#entries.keys()) {
      if (!this.#all.isMoreThan(1)) return;
      this.remove(id);
    }
  }
}

export function serializeSession({ owner, initialize, subscriptions }: SessionRecord): string {
  return JSON.stringify({ owner, initialize, subscriptions });
}

export function parseSession(text: string | null | undefined): SessionRecord | undefined {
  try {
    const record: unknown = JSON.parse(text ?? '');
    if (!isFields(record)) return undefined;
    const { owner, subscriptions } = record;
    const initialize = parseMessage(JSON.stringify(record['initialize']));
    if (typeof owner !== 'string' || initialize === undefined || !isStrings(subscriptions)) return undefined;
    return { owner, initialize, subscriptions };
  } catch {
    return undefined;
  }
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

const MAX_TEXT = 1024 * 1024;
/** The transport's name for the stream of messages that belong to no request. */
const STANDALONE_STREAM = '_GET_stream';

/** Per session. */
export const MAX_EVENTS = 100;

export interface LoggedEvent {
  /** `time-replica-number`: unique among the events of all sessions, which may happen in the same millisecond. */
  readonly id: string;
  /** In milliseconds, increasing within a replica. */
  readonly time: number;
  readonly stream: string;
  readonly text: string;
}

/** Oldest first, at most 100 messages and 1 Mi characters. */
export class EventLog {
  readonly events: LoggedEvent[] = [];
  /** The characters of all messages. */
  length = 0;
  /** The time of the last evicted event, or 0. */
  evictedUntil = 0;
  #lastTime = 0;

  /** A message over the limit leaves the log empty, since replay cannot cross a gap. */
  append(origin: string, stream: string, message: JSONRPCMessage, now: number): LoggedEvent {
    const time = Math.max(now, this.#lastTime + 1);
    const event = { id: `${time}-${origin}`, time, stream, text: jsonStart(message, MAX_TEXT) };
    this.#lastTime = time;
    this.events.push(event);
    this.length += event.text.length;
    while (this.events.length > MAX_EVENTS || this.length > MAX_TEXT) this.#evictOldest();
    return event;
  }

  /** Later events are ordered after this event of another replica. */
  follow(event: LoggedEvent): void {
    this.#lastTime = Math.max(this.#lastTime, event.time);
  }

  #evictOldest(): void {
    const oldest = this.events.shift();
    this.length -= oldest?.text.length ?? 0;
    this.evictedUntil = oldest?.time ?? this.evictedUntil;
  }
}

/** Sends the messages after `lastEventId` in its stream; none when that event is unknown. Returns the stream. */
export async function replay(
  events: readonly LoggedEvent[],
  lastEventId: string,
  { send }: Parameters<EventStore['replayEventsAfter']>[1],
): Promise<string> {
  const last = events.findIndex(({ id }) => id === lastEventId);
  const stream = events[last]?.stream ?? STANDALONE_STREAM;
  if (last === -1) return stream;
  for (const event of events.slice(last + 1)) {
    const message = event.stream === stream ? parseMessage(event.text) : undefined;
    if (message !== undefined) await send(event.id, message);
  }
  return stream;
}

/** Undefined for text that is not a message, such as the marker that the transport stores at the start of a stream. */
function parseMessage(text: string): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export function inProcess(now: () => number = Date.now): SharedState {
  return {
    bus: new InMemoryServerEventBus(),
    sessions: sessionsIn(new SessionTable(now)),
    usage: { spend: () => {}, onSpentElsewhere: () => () => {} },
    post: postInProcess(),
    values: valuesInProcess(now),
    onRemoteChange: () => () => {},
    connected: true,
    close: async () => {},
  };
}

function sessionsIn(table: SessionTable): SessionRecords {
  return {
    save: async (id, record) => void table.keep(id, serializeSession(record), record.owner),
    find: async (id) => parseSession(table.use(id)?.record),
    touch: (id) => void table.use(id),
    remove: async (id) => table.remove(id),
    onChanged: () => () => {},
    events: (id) => ({
      storeEvent: async (stream, message) => table.append(id, 'here', stream, message).id,
      replayEventsAfter: (lastEventId, sender) => replay(table.use(id)?.log.events ?? [], lastEventId, sender),
    }),
  };
}

function postInProcess(): MessagePost {
  const receivers = new Map<string, (message: string) => void>();
  return {
    async receive(address, take) {
      receivers.set(address, take);
      return () => {
        if (receivers.get(address) === take) receivers.delete(address);
      };
    },
    async send(address, message) {
      const take = receivers.get(address);
      take?.(message);
      return take !== undefined;
    },
  };
}
