/** Delays refusals, so that a client over its limit waits instead of retrying at once. */
import { setTimeout } from 'node:timers/promises';

const MIN_DELAY_MS = 1000;
const MAX_DELAY_MS = 10_000;
/** Refusals per second and key: the more are held, the longer each waits. */
const RATE = 25;
const MAX_HELD = 5000;

export class Tarpit {
  readonly #held = new Map<string, number>();
  readonly #stop = new AbortController();
  #total = 0;

  /** Resolves when the refusal may be sent; false, at once, when too many are held. */
  async hold(key: string): Promise<boolean> {
    if (this.#total >= MAX_HELD || this.#stop.signal.aborted) return false;
    const held = this.#held.get(key) ?? 0;
    this.#held.set(key, held + 1);
    this.#total++;
    // Jitter keeps clients that came together from retrying together.
    const milliseconds = Math.min(MIN_DELAY_MS * (1 + held / RATE), MAX_DELAY_MS) * (0.75 + Math.random() / 2);
    await setTimeout(milliseconds, undefined, { signal: this.#stop.signal }).catch(() => {});
    this.#total--;
    const left = (this.#held.get(key) ?? 1) - 1;
    if (left === 0) this.#held.delete(key);
    else this.#held.set(key, left);
    return true;
  }

  /** Sends all held refusals. */
  end(): void {
    this.#stop.abort();
  }
}
