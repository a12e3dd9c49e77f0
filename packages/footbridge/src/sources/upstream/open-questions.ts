/** Unanswered requests of one server to hosts: bounded in number and size, since a host may never answer. */
import { weightOf } from '../../json.js';

/** Requests of one server that hosts have not answered. */
export const MAX_QUESTIONS = 256;
/** Their approximate size, with that of results that wait for a host to return. */
const MAX_BYTES = 32 * 1024 * 1024;

export class OpenQuestions {
  #count = 0;
  #bytes = 0;

  /** Makes room for a request, until the returned function is called; undefined if there is none. */
  open(params: unknown): (() => void) | undefined {
    return this.#count < MAX_QUESTIONS ? this.#take(params, 1) : undefined;
  }

  /** The same for a result that no host waits for at the moment. */
  keep(result: unknown): (() => void) | undefined {
    return this.#take(result, 0);
  }

  #take(value: unknown, count: number): (() => void) | undefined {
    const bytes = weightOf(value, MAX_BYTES);
    if (this.#bytes + bytes > MAX_BYTES) return undefined;
    this.#count += count;
    this.#bytes += bytes;
    let isOpen = true;
    return () => {
      if (isOpen) {
        this.#count -= count;
        this.#bytes -= bytes;
      }
      isOpen = false;
    };
  }
}
