/** Changes told to every replica through a Redis stream, which also keeps what a replica without connection did not hear. */
import { InMemoryServerEventBus, type ServerEvent, type ServerEventBus } from '@modelcontextprotocol/server';
import type { Log } from '../../../log.js';
import { ALL_LISTS_CHANGED, readEvent, subjectOf } from './change-event.js';
import type { LinkUser, RedisConnection, RedisConnections, RedisLink } from './redis-link.js';
import type { SharedState } from './shared-state.js';
import { within } from './within.js';

const STREAM = 'footbridge:events';
const KEPT = 1000;
const BEGINNING = '0-0';
const READ_AT_ONCE = 100;
const BLOCK_MS = 2000;
const LISTENER_MS = 2000;
const MAX_UNSENT = 1000;
const RETRY_MS = 1000;

interface StreamEntry {
  readonly id: string;
  readonly message: Readonly<Record<string, string>>;
}

type ChangeListener = Parameters<SharedState['onRemoteChange']>[0];

export class RedisBus implements ServerEventBus, LinkUser {
  readonly #link: RedisLink;
  readonly #replica: string;
  readonly #here: InMemoryServerEventBus;
  readonly #changeListeners = new Set<ChangeListener>();
  /** What waits for Redis, by its subject. */
  readonly #unsent = new Map<string, ServerEvent>();
  #lastRead: string | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(link: RedisLink, replica: string, log: Log) {
    this.#link = link;
    this.#replica = replica;
    this.#here = new InMemoryServerEventBus((error) => log.warn(`a listener to changes failed: ${error.message}`));
  }

  publish(event: ServerEvent): void {
    this.#here.publish(event);
    void this.#send(event);
  }

  subscribe(listener: (event: ServerEvent) => void): () => void {
    return this.#here.subscribe(listener);
  }

  onRemoteChange(listener: ChangeListener): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  async prepare({ reader }: RedisConnections, outage: boolean): Promise<void> {
    await this.#findPlace(reader, outage);
  }

  resume(connections: RedisConnections, outage: boolean): void {
    this.#sendAgain();
    void this.#read(connections, outage);
  }

  close(): void {
    clearTimeout(this.#retry);
  }

  async #send(event: ServerEvent): Promise<void> {
    const fields = { from: this.#replica, event: JSON.stringify(event) };
    const trim = { strategy: 'MAXLEN', strategyModifier: '~', threshold: KEPT } as const;
    if ((await this.#link.ask((redis) => redis.xAdd(STREAM, '*', fields, { TRIM: trim }))) !== undefined) return;
    const subject = subjectOf(event);
    if (this.#unsent.size < MAX_UNSENT || this.#unsent.has(subject)) this.#unsent.set(subject, event);
    if (!this.#link.connected) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#sendAgain(), RETRY_MS).unref();
  }

  #sendAgain(): void {
    const events = [...this.#unsent.values()];
    this.#unsent.clear();
    for (const event of events) void this.#send(event);
  }

  /** Where to read on: after what was read last, or at the beginning when that is gone with the stream it was in. */
  async #findPlace(reader: RedisConnection, outage: boolean): Promise<void> {
    const newest = await reader.xRevRange(STREAM, '+', '-', { COUNT: 1 });
    const newestId = newest?.[0]?.id ?? BEGINNING;
    if (this.#lastRead === undefined) this.#lastRead = outage ? BEGINNING : newestId;
    else if (isBefore(newestId, this.#lastRead)) this.#lastRead = BEGINNING;
  }

  async #read(connections: RedisConnections, outage: boolean): Promise<void> {
    if (outage) await this.#deliver(ALL_LISTS_CHANGED);
    const { reader } = connections;
    try {
      for (;;) {
        const streams = await reader.xRead({ key: STREAM, id: this.#lastRead ?? BEGINNING }, { BLOCK: BLOCK_MS, COUNT: READ_AT_ONCE });
        const entries: readonly StreamEntry[] = streams?.[0]?.messages ?? [];
        this.#lastRead = entries.at(-1)?.id ?? this.#lastRead;
        if (entries.length === 0) await this.#findPlace(reader, false);
        const others = entries.filter(({ message }) => message['from'] !== this.#replica);
        await this.#deliver(others.map(({ message }) => readEvent(message['event'])).filter((event) => event !== undefined));
      }
    } catch (error) {
      this.#link.lose(connections, error);
    }
  }

  async #deliver(events: readonly ServerEvent[]): Promise<void> {
    if (events.length === 0) return;
    const heard = Promise.allSettled([...this.#changeListeners].map(async (listener) => listener()));
    await within(LISTENER_MS, heard).catch(() => {});
    for (const event of events) this.#here.publish(event);
  }
}

/** Whether a stream's id is before another: milliseconds and a number. */
function isBefore(id: string, other: string): boolean {
  const [time = 0, number = 0] = id.split('-').map(Number);
  const [otherTime = 0, otherNumber = 0] = other.split('-').map(Number);
  return time < otherTime || (time === otherTime && number < otherNumber);
}
