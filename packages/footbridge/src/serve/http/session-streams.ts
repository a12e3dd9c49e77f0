/** The event streams of a session: one for each streamed answer, and one for everything else. A client can resume each. */
import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';
import type { EventStream } from './event-stream.js';

/** The standalone stream. The name is the SDK's, and is stored with events. */
const STANDALONE = '_GET_stream';
/** When a client whose stream broke should reconnect. */
const RETRY_MS = 1000;

interface Attached {
  readonly stream: EventStream;
  /** Events that the stream has sent when it was resumed. */
  readonly replayed: ReadonlySet<string>;
}

export class SessionStreams {
  readonly #events: EventStore;
  readonly #attached = new Map<string, Attached>();
  /** Streams of requests that are not answered yet. */
  readonly #unfinished = new Set<string>();
  #tail: Promise<unknown> = Promise.resolve();

  constructor(events: EventStore) {
    this.#events = events;
  }

  get hasStandalone(): boolean {
    return this.#attached.has(STANDALONE);
  }

  openStandalone(stream: EventStream): void {
    this.#attach(STANDALONE, stream, new Set());
  }

  /** Begins the stream of a request. `prime`: whether the client understands events without data. */
  open(id: string, stream: EventStream, prime: boolean): void {
    this.#unfinished.add(id);
    this.#attach(id, stream, new Set());
    // An empty message is what the SDK's event stores expect of a priming event.
    if (prime) this.#inOrder(async () => void stream.prime(await this.#events.storeEvent(id, {} as JSONRPCMessage), RETRY_MS));
  }

  /** Stores the message, and sends it if a client listens. Resolves when the client is ready for more, or gone. */
  async send(message: JSONRPCMessage, id = STANDALONE): Promise<void> {
    let sending: Promise<void> | undefined;
    await this.#inOrder(async () => {
      const eventId = await this.#events.storeEvent(id, message);
      const attached = this.#attached.get(id);
      // Not awaited: the reader of another stream may be faster.
      if (attached !== undefined && !attached.replayed.has(eventId)) sending = attached.stream.send(message, eventId);
    });
    await sending;
  }

  /** Ends the stream of a request, after what was sent to it. */
  finish(id: string): Promise<void> {
    return this.#inOrder(async () => {
      this.#unfinished.delete(id);
      this.#attached.get(id)?.stream.end();
      this.#attached.delete(id);
    });
  }

  /** Sends the events after the given one, and resumes its stream. */
  resume(lastEventId: string, stream: EventStream): Promise<void> {
    return this.#inOrder(async () => {
      const replayed = new Set<string>();
      const id = await this.#events.replayEventsAfter(lastEventId, {
        send: async (eventId, message) => {
          replayed.add(eventId);
          void stream.send(message, eventId);
        },
      });
      this.#attached.get(id)?.stream.end();
      if (id === STANDALONE || this.#unfinished.has(id)) this.#attach(id, stream, replayed);
      else stream.end();
    });
  }

  /** Resolves when what was sent so far has reached its streams. */
  async sent(): Promise<void> {
    await this.#tail;
  }

  close(): void {
    for (const { stream } of this.#attached.values()) stream.end();
    this.#attached.clear();
    this.#unfinished.clear();
  }

  #attach(id: string, stream: EventStream, replayed: ReadonlySet<string>): void {
    const attached = { stream, replayed };
    this.#attached.set(id, attached);
    stream.onClose(() => {
      if (this.#attached.get(id) === attached) this.#attached.delete(id);
    });
  }

  /** A store may take longer for one event than for the next. */
  #inOrder<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#tail.then(action, action);
    this.#tail = done.catch(() => {});
    return done;
  }
}
