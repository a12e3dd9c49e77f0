/** Writes server-sent events to a response, one after the other. */
import type { ServerResponse } from 'node:http';
import { bytesOf, isLargeJson, jsonInTurns } from '../../json-pieces.js';
import { writeJson } from '../../json-text.js';
import type { MemoryHold } from '../../memory-budget.js';
import { MAX_UNREAD, type OpenResponses } from './open-responses.js';

export class EventWriter {
  readonly #response: ServerResponse;
  readonly #responses: OpenResponses;
  readonly #memory: MemoryHold;
  readonly #countsAnswers: boolean;
  /** The large event that is being written, and what waits for its end. */
  #tail: Promise<void> | undefined;
  /** The approximate number of queued bytes. */
  #waiting = 0;

  /** Answers count in the calls that they are of, unless `countsAnswers`, where these may be over. */
  constructor(response: ServerResponse, responses: OpenResponses, memory: MemoryHold, countsAnswers = false) {
    this.#response = response;
    this.#responses = responses;
    this.#memory = memory;
    this.#countsAnswers = countsAnswers;
  }

  /** Resolves when the response has all that was written so far. */
  get written(): Promise<void> {
    return this.#tail ?? Promise.resolve();
  }

  /** Writes a message as an event. Resolves as `write`. */
  send(message: object, id?: string): Promise<void> {
    const head = `event: message\n${id === undefined ? '' : `id: ${id}\n`}data: `;
    const memory = this.#countsAnswers || 'method' in message ? this.#memory : undefined;
    if (!isLargeJson(message)) return this.write(`${head}${writeJson(message)}\n\n`, memory);
    const bytes = head.length + bytesOf(message, MAX_UNREAD);
    return this.#append(bytes, memory, () => this.#responses.writeAll(this.#response, eventOf(head, message)));
  }

  /** Writes text as it is, which counts in `memory` until then. Resolves when the reader is ready for more, or gone. */
  write(text: string, memory: MemoryHold | undefined = this.#memory): Promise<void> {
    if (this.#tail === undefined) return this.#responses.write(this.#response, text, memory);
    return this.#append(text.length, memory, () => this.#responses.write(this.#response, text));
  }

  #append(bytes: number, memory: MemoryHold | undefined, write: () => Promise<void>): Promise<void> {
    // One alone may be as large as an answer can be.
    const isTooMuch = this.#tail !== undefined && this.#waiting + bytes > MAX_UNREAD;
    if (memory?.queue(bytes) === false || isTooMuch) this.#response.destroy();
    if (this.#response.destroyed) {
      memory?.queue(-bytes);
      return this.written;
    }
    this.#waiting += bytes;
    const begin = () => {
      this.#waiting -= bytes;
      return write();
    };
    // An event of which a part was written cannot be taken back.
    const done = this.written.then(begin).catch(() => void this.#response.destroy());
    this.#tail = done;
    void done.then(() => {
      memory?.queue(-bytes);
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
