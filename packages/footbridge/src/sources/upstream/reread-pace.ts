/** How soon a list is read again that a server reports as changed. */

const SHORTEST_MS = 250;
const LONGEST_MS = 4000;

/** The first change is read at once. While the list goes on changing, the reads are further and further apart. */
export class RereadPace {
  #readAt = Number.NEGATIVE_INFINITY;
  #pauseMs = 0;

  /** Milliseconds until it may be read again. */
  due(): number {
    const elapsed = Date.now() - this.#readAt;
    if (elapsed >= 2 * Math.max(SHORTEST_MS, this.#pauseMs)) this.#pauseMs = 0;
    return Math.max(0, this.#pauseMs - elapsed);
  }

  /** Call when it is read again. */
  began(): void {
    this.#readAt = Date.now();
    this.#pauseMs = Math.max(SHORTEST_MS, this.#pauseMs);
  }

  /** Call with what was read. */
  ended(isSame: boolean): void {
    if (this.#pauseMs > 0) this.#pauseMs = isSame ? SHORTEST_MS : Math.min(2 * this.#pauseMs, LONGEST_MS);
  }
}
