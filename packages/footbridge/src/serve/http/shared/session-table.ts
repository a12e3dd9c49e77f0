/** The sessions that this process knows of, forgotten when nobody has used them for the idle time. */
import { EventLog } from './event-log.js';
import { SESSION_IDLE_MS, type SessionRecord } from './shared-state.js';

const SWEEP_MS = 60_000;

export interface SessionEntry {
  record: SessionRecord | undefined;
  readonly log: EventLog;
  usedAt: number;
  /** When other replicas were told last that it is used. */
  toldAt: number;
}

export class SessionTable {
  readonly #entries = new Map<string, SessionEntry>();
  readonly #now: () => number;
  #sweptAt: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#sweptAt = now();
  }

  /** The entry of a session, made where there is none; counts as use. */
  open(id: string): SessionEntry {
    const known = this.use(id);
    if (known !== undefined) return known;
    const entry = { record: undefined, log: new EventLog(), usedAt: this.#now(), toldAt: 0 };
    this.#entries.set(id, entry);
    return entry;
  }

  /** The entry of a session that is known; counts as use. */
  use(id: string): SessionEntry | undefined {
    this.#sweep();
    const entry = this.#entries.get(id);
    if (entry === undefined || this.#isIdle(entry)) return undefined;
    entry.usedAt = this.#now();
    return entry;
  }

  /** The entry of a session that is known; does not count as use. */
  peek(id: string): SessionEntry | undefined {
    return this.#entries.get(id);
  }

  remove(id: string): void {
    this.#entries.delete(id);
  }

  /** Every session that is not forgotten. */
  all(): [id: string, entry: SessionEntry][] {
    return [...this.#entries].filter(([, entry]) => !this.#isIdle(entry));
  }

  #isIdle({ usedAt }: SessionEntry): boolean {
    return this.#now() - usedAt >= SESSION_IDLE_MS;
  }

  #sweep(): void {
    if (this.#now() - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = this.#now();
    for (const [id, entry] of this.#entries) if (this.#isIdle(entry)) this.#entries.delete(id);
  }
}
