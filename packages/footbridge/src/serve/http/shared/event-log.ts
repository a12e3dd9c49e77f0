/** What was sent to one session last, so that it can be sent again. */
import { type EventStore, type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';

const MAX_TEXT = 1024 * 1024;
/** Where the messages go that answer no request; the transport's own name for it. */
const STANDALONE_STREAM = '_GET_stream';

/** How many messages of a session are kept. */
export const MAX_EVENTS = 100;

export interface LoggedEvent {
  /** Its time, then the replica that sent it. */
  readonly id: string;
  /** Milliseconds; no two events of one replica have the same. */
  readonly time: number;
  readonly stream: string;
  /** The message as JSON. */
  readonly text: string;
}

/** The last messages of a session, oldest first: at most 100, and a mebibyte. */
export class EventLog {
  #events: LoggedEvent[] = [];
  #length = 0;
  #lastTime = 0;
  #forgottenUntil = 0;

  /** The time of the last event that had to make room; 0 when all are there. */
  get forgottenUntil(): number {
    return this.#forgottenUntil;
  }

  /** How many characters its messages have. */
  get length(): number {
    return this.#length;
  }

  get events(): readonly LoggedEvent[] {
    return this.#events;
  }

  /** Adds a message as of `now`; one that is too long leaves the log empty, since there is no going on past a gap. */
  append(replica: string, stream: string, message: JSONRPCMessage, now: number): LoggedEvent {
    const time = Math.max(now, this.#lastTime + 1);
    const event = { id: `${time}-${replica}`, time, stream, text: JSON.stringify(message) };
    this.#lastTime = time;
    this.#events.push(event);
    this.#length += event.text.length;
    while (this.#events.length > MAX_EVENTS || this.#length > MAX_TEXT) this.#forgetOldest();
    return event;
  }

  /** Takes note of an event of another replica: what is added from now on comes after it. */
  follow(event: LoggedEvent): void {
    this.#lastTime = Math.max(this.#lastTime, event.time);
  }

  #forgetOldest(): void {
    const oldest = this.#events.shift();
    this.#length -= oldest?.text.length ?? 0;
    this.#forgottenUntil = oldest?.time ?? this.#forgottenUntil;
  }
}

/** Sends what followed in the stream of `lastEventId`; nothing when it is not there any more. Gives the stream. */
export async function replay(
  events: readonly LoggedEvent[],
  lastEventId: string,
  { send }: Parameters<EventStore['replayEventsAfter']>[1],
): Promise<string> {
  const last = events.findIndex(({ id }) => id === lastEventId);
  const stream = events[last]?.stream ?? STANDALONE_STREAM;
  if (last === -1) return stream;
  for (const event of events.slice(last + 1)) {
    const message = event.stream === stream ? readMessage(event.text) : undefined;
    if (message !== undefined) await send(event.id, message);
  }
  return stream;
}

/** The message in a text; undefined when there is none in it, as in the mark that the transport puts at the beginning of a stream. */
export function readMessage(text: string): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(JSON.parse(text));
  } catch {
    return undefined;
  }
}
