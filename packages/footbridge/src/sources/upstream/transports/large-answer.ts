/** Large answers of servers at a URL: a few are received at a time, since each is in memory before its caller has room for it. */
import type { IncomingMessage } from 'node:http';
import { MemoryBudget, type MemoryHold } from '../../../memory-budget.js';
import { LONGEST_MESSAGE } from './transport.js';

/** Bytes of a message that is received without waiting. */
const SMALL = 1024 * 1024;
/** How long a server waits until another answer was received. */
const PATIENCE_MS = 10 * 60_000;

/** Two at a time, one of them of the same server. */
const receiving = new MemoryBudget(2 * LONGEST_MESSAGE, PATIENCE_MS);

export class LargeAnswer {
  readonly #response: IncomingMessage;
  readonly #host: string;
  #hold: MemoryHold | undefined;
  #isWaiting = false;

  constructor(response: IncomingMessage, host: string) {
    this.#response = response;
    this.#host = host;
  }

  /** To be called with how much of a message was received so far. Pauses the response while others are received. */
  received(bytes: number): void {
    if (this.#isWaiting) this.#response.pause();
    if (bytes <= SMALL || this.#hold !== undefined) return;
    this.#hold = receiving.open(this.#host);
    void this.#wait(this.#hold);
  }

  /** To be called when the message was passed on, or will not come. */
  done(): void {
    // It was a message before.
    if (this.#isWaiting && !this.#response.destroyed) return;
    this.#hold?.leave();
    this.#hold = undefined;
  }

  async #wait(hold: MemoryHold): Promise<void> {
    try {
      const room = hold.take(LONGEST_MESSAGE);
      if (room === undefined) return;
      this.#isWaiting = true;
      this.#response.pause();
      await room;
      this.#isWaiting = false;
      this.#response.resume();
    } catch {
      this.#response.destroy();
    }
  }
}
