/** Holding refusals back: who asks too much waits for the answer instead of asking again at once. */
import { setTimeout } from 'node:timers/promises';

const LEAST_MS = 1000;
const MOST_MS = 10_000;
/** As many of one kind wait the least; the more there are, the longer each waits, so that there are never more answers a second. */
const FEW = 25;
const MOST_HELD = 5000;

export class Tarpit {
  readonly #held = new Map<string, number>();
  readonly #stop = new AbortController();
  #total = 0;

  /** Resolves when the refusal may go out: whether it was held at all, since there is room only for so many. */
  async hold(key: string): Promise<boolean> {
    if (this.#total >= MOST_HELD || this.#stop.signal.aborted) return false;
    const held = this.#held.get(key) ?? 0;
    this.#held.set(key, held + 1);
    this.#total++;
    // Not all at once: those that come together would come together again.
    const milliseconds = Math.min(LEAST_MS * (1 + held / FEW), MOST_MS) * (0.75 + Math.random() / 2);
    // Called off when the server stops.
    await setTimeout(milliseconds, undefined, { signal: this.#stop.signal }).catch(() => {});
    this.#total--;
    const left = (this.#held.get(key) ?? 1) - 1;
    if (left === 0) this.#held.delete(key);
    else this.#held.set(key, left);
    return true;
  }

  /** Lets all go that are held. */
  end(): void {
    this.#stop.abort();
  }
}
