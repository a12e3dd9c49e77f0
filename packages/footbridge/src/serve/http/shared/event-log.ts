/** The last messages sent to a session, for replay after a broken connection. */
import { type EventStore, type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';

const MAX_TEXT = 1024 * 1024;
/** The transport's name for the stream of messages that belong to no request. */
const STANDALONE_STREAM = '_GET_stream';

/** Per session. */
export const MAX_EVENTS = 100;

export interface LoggedEvent {
  /** `time-replica`. */
  readonly id: string;
  /** In milliseconds, increasing within a replica. */
  readonly time: number;
  readonly stream: string;
  /** The message as JSON. */
  readonly text: string;
}

/** Oldest first, at most 100 messages and 1 Mi characters. */
export class EventLog {
  #events: LoggedEvent[] = [];
  #length = 0;
  #lastTime = 0;
  #evictedUntil = 0;

  /** The time of the last evicted event, or 0. */
  get evictedUntil(): number {
    return this.#evictedUntil;
  }

  /** The characters of all messages. */
  get length(): number {
    return this.#length;
  }

  get events(): readonly LoggedEvent[] {
    return this.#events;
  }

  /** A message over the limit leaves the log empty, since replay cannot cross a gap. */
  append(replica: string, stream: string, message: JSONRPCMessage, now: number): LoggedEvent {
    const time = Math.max(now, this.#lastTime + 1);
    const event = { id: `${time}-${replica}`, time, stream, text: JSON.stringify(message) };
    this.#lastTime = time;
    this.#events.push(event);
    this.#length += event.text.length;
    while (this.#events.length > MAX_EVENTS || this.#length > MAX_TEXT) this.#evictOldest();
    return event;
  }

  /** Later events are ordered after this event of another replica. */
  follow(event: LoggedEvent): void {
    this.#lastTime = Math.max(this.#lastTime, event.time);
  }

  #evictOldest(): void {
    const oldest = this.#events.shift();
    this.#length -= oldest?.text.length ?? 0;
    this.#evictedUntil = oldest?.time ?? this.#evictedUntil;
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
export function parseMessage(text: string): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(JSON.parse(text));
  } catch {
    return undefined;
  }
}
