/** Writes server-sent events to a response, one after the other. */
import type { ServerResponse } from 'node:http';
import { bytesOf, isLargeJson, jsonInTurns } from '../../json-pieces.js';
import { writeJson } from '../../json-text.js';
import { MOST_UNREAD, type OpenResponses } from './open-responses.js';

export class EventWriter {
  readonly #response: ServerResponse;
  readonly #responses: OpenResponses;
  /** The large event that is being written, and what waits for its end. */
  #tail: Promise<void> | undefined;
  /** Bytes that wait, about. */
  #waiting = 0;

  constructor(response: ServerResponse, responses: OpenResponses) {
    this.#response = response;
    this.#responses = responses;
  }

  /** Resolves when the response has all that was written so far. */
  get written(): Promise<void> {
    return this.#tail ?? Promise.resolve();
  }

  /** Writes a message as an event. Resolves as `write`. */
  send(message: object, id?: string): Promise<void> {
    const head = `event: message\n${id === undefined ? '' : `id: ${id}\n`}data: `;
    if (!isLargeJson(message)) return this.write(`${head}${writeJson(message)}\n\n`);
    const bytes = head.length + bytesOf(message, MOST_UNREAD);
    return this.#append(bytes, () => this.#responses.writeAll(this.#response, eventOf(head, message)));
  }

  /** Writes text as it is. Resolves when the reader is ready for more, or gone. */
  write(text: string): Promise<void> {
    if (this.#tail === undefined) return this.#responses.write(this.#response, text);
    return this.#append(text.length, () => this.#responses.write(this.#response, text));
  }

  #append(bytes: number, write: () => Promise<void>): Promise<void> {
    // One alone may be as large as an answer can be.
    if (this.#tail !== undefined && this.#waiting + bytes > MOST_UNREAD) this.#response.destroy();
    if (this.#response.destroyed) return this.written;
    this.#waiting += bytes;
    const begin = () => {
      this.#waiting -= bytes;
      return write();
    };
    // An event of which a part was written cannot be taken back.
    const done = this.written.then(begin).catch(() => void this.#response.destroy());
    this.#tail = done;
    void done.then(() => {
      if (this.#tail === done) this.#tail = undefined;
    });
    return done;
  }
}

async function* eventOf(head: string, message: object): AsyncGenerator<string, void, undefined> {
  yield head;
  yield* jsonInTurns(message);
  yield '\n\n';
}
