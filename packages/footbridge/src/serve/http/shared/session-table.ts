/** The sessions that this process knows of: each for the idle time, and all together within bounds. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { EventLog, type LoggedEvent } from './event-log.js';
import { SESSION_IDLE_MS } from './shared-state.js';

/** How many sessions are kept, and how many characters of them. Beyond, those go first that were not used longest, each as a whole. */
export const TABLE_BOUNDS = {
  sessions: 10_000,
  records: 32 * 1024 * 1024,
  /** Of all sessions; one alone is bounded by its log. */
  events: 128 * 1024 * 1024,
} as const;

export interface SessionEntry {
  /** The record as text; undefined when it is not known, or not known any more. */
  readonly record: string | undefined;
  readonly log: EventLog;
  /** When other replicas were told last that it is used. */
  toldAt: number;
  /** Whether other replicas could not be told of the record, or of events. */
  unsaved: boolean;
  unsent: boolean;
}

interface KeptEntry extends SessionEntry {
  record: string | undefined;
  usedAt: number;
}

export class SessionTable {
  /** Least recently used first. */
  readonly #entries = new Map<string, KeptEntry>();
  readonly #now: () => number;
  #recordsLength = 0;
  #eventsLength = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The entry of a session, made where there is none; counts as use. */
  open(id: string): SessionEntry {
    return this.#open(id);
  }

  /** The entry of a session that is known; counts as use. */
  use(id: string): SessionEntry | undefined {
    return this.#use(id);
  }

  /** Keeps a record, which others know of unless it is said that they do not; counts as use. */
  keep(id: string, record: string): SessionEntry {
    const entry = this.#open(id);
    this.#setRecord(entry, record);
    this.#makeRoom();
    return entry;
  }

  /** Adds to what was sent to a session; counts as use. */
  append(id: string, replica: string, stream: string, message: JSONRPCMessage): LoggedEvent {
    const { log } = this.#open(id);
    const before = log.length;
    const event = log.append(replica, stream, message, this.#now());
    this.#eventsLength += log.length - before;
    this.#makeRoom();
    return event;
  }

  /** Forgets the record alone. */
  forgetRecord(id: string): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#setRecord(entry, undefined);
  }

  /** Forgets a session and what was sent to it. */
  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#recordsLength -= entry.record?.length ?? 0;
    this.#eventsLength -= entry.log.length;
  }

  /** Whether an entry is still the one of a session. */
  has(id: string, entry: SessionEntry): boolean {
    return this.#entries.get(id) === entry;
  }

  /** Every session that is not forgotten. */
  all(): [id: string, entry: SessionEntry][] {
    this.#forgetIdle();
    return [...this.#entries];
  }

  #open(id: string): KeptEntry {
    const known = this.#use(id);
    if (known !== undefined) return known;
    const entry = { record: undefined, log: new EventLog(), usedAt: this.#now(), toldAt: 0, unsaved: false, unsent: false };
    this.#entries.set(id, entry);
    this.#makeRoom();
    return entry;
  }

  #use(id: string): KeptEntry | undefined {
    this.#forgetIdle();
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    entry.usedAt = this.#now();
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    return entry;
  }

  #setRecord(entry: KeptEntry, record: string | undefined): void {
    this.#recordsLength += (record?.length ?? 0) - (entry.record?.length ?? 0);
    entry.record = record;
    entry.unsaved = false;
  }

  #forgetIdle(): void {
    for (const [id, { usedAt }] of this.#entries) {
      if (this.#now() - usedAt < SESSION_IDLE_MS) return;
      this.remove(id);
    }
  }

  #makeRoom(): void {
    const { sessions, records, events } = TABLE_BOUNDS;
    for (const id of this.#entries.keys()) {
      if (this.#entries.size <= sessions && this.#recordsLength <= records && this.#eventsLength <= events) return;
      this.remove(id);
    }
  }
}
