/** How much memory running calls may hold: bodies that are read, contents, and answers until the client has taken them. */
import { FootbridgeError } from './errors.js';

const MEBIBYTE = 1024 * 1024;
/** Bytes of all calls together. One caller may hold half. */
const MOST_HELD = 128 * MEBIBYTE;
/** A call that holds no more than this never waits. */
const SMALL_HOLD = MEBIBYTE;
/** How long a call waits for memory that others hold. */
const PATIENCE_MS = 5000;
/** Each may have a file open. */
const MOST_WAITING = 256;
/** How often a content is in memory while it is answered: as bytes, as text, as JSON, and in the socket. */
const COPIES = 4;

/** What ends a wait, such as a `Cancellation`. */
interface Ending {
  readonly reason: unknown;
  listen(listener: () => void): void;
  forget(listener: () => void): void;
}

interface Waiting {
  readonly hold: MemoryHold;
  readonly bytes: number;
  admit(): void;
  giveUp(reason: unknown): void;
}

/** Bytes in flight. Calls that need more than there is wait in turn, and are refused when that takes too long. */
export class MemoryBudget {
  readonly #most: number;
  readonly #patienceMs: number;
  /** Of callers with large calls. */
  readonly #callers = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #held = 0;
  /** Of large calls. */
  #large = 0;

  constructor(most = MOST_HELD, patienceMs = PATIENCE_MS) {
    this.#most = most;
    this.#patienceMs = patienceMs;
  }

  /** Bytes that all calls hold. */
  get held(): number {
    return this.#held;
  }

  /** The number of a caller's calls that wait. */
  waitingOf(callerId: string): number {
    let count = 0;
    for (const { hold } of this.#waiting) if (hold.callerId === callerId) count++;
    return count;
  }

  /** For one call. Give it back with `leave`. */
  open(callerId: string): MemoryHold {
    return new MemoryHold(this, callerId);
  }

  /** Counts bytes of a hold; negative when they are given back. */
  count(bytes: number, large: number, callerId: string): void {
    this.#held += bytes;
    if (large === 0) return;
    this.#large += large;
    const own = (this.#callers.get(callerId) ?? 0) + large;
    if (own > 0) this.#callers.set(callerId, own);
    else this.#callers.delete(callerId);
    if (large < 0 && this.#waiting.size > 0) this.#admit();
  }

  /** Undefined when there was room. Rejects with a `FootbridgeError` after a while without. */
  wait(hold: MemoryHold, bytes: number, ending: Ending | undefined): Promise<void> | undefined {
    if (this.#waiting.size >= MOST_WAITING) throw busy();
    const waiting: Waiting = { hold, bytes, admit: () => {}, giveUp: () => {} };
    this.#waiting.add(waiting);
    this.#admit();
    if (!this.#waiting.has(waiting)) return undefined;
    return new Promise((resolve, reject) => {
      const cancel = () => waiting.giveUp(ending?.reason);
      const timer = setTimeout(() => waiting.giveUp(busy()), this.#patienceMs);
      ending?.listen(cancel);
      const leave = () => {
        clearTimeout(timer);
        ending?.forget(cancel);
      };
      waiting.admit = () => {
        leave();
        resolve();
      };
      waiting.giveUp = (reason) => {
        leave();
        this.#waiting.delete(waiting);
        reject(reason);
        // Those behind it may fit.
        this.#admit();
      };
    });
  }

  /** Ends what waits for a call that is over. */
  abandon(hold: MemoryHold): void {
    if (this.#waiting.size === 0) return;
    for (const waiting of [...this.#waiting]) if (waiting.hold === hold) waiting.giveUp(busy());
  }

  /** In order. A caller that waits for its own calls does not block others. */
  #admit(): void {
    for (const waiting of this.#waiting) {
      const { hold, bytes } = waiting;
      const { large } = hold;
      const own = this.#callers.get(hold.callerId) ?? 0;
      // What is larger than all there is has to be alone.
      if (own > large && own + bytes > this.#most / 2) continue;
      if (this.#large > large && this.#held + bytes > this.#most) return;
      this.#waiting.delete(waiting);
      hold.add(bytes);
      waiting.admit();
    }
  }
}

/** What one call holds, until all that use it have left: the work, and the client that takes the answer. */
export class MemoryHold {
  readonly #budget: MemoryBudget;
  readonly callerId: string;
  #bytes = 0;
  #users = 1;

  constructor(budget: MemoryBudget, callerId: string) {
    this.#budget = budget;
    this.callerId = callerId;
  }

  /** Its bytes, or 0 while it is small. */
  get large(): number {
    return this.#bytes > SMALL_HOLD ? this.#bytes : 0;
  }

  /** Reserves memory for a content that is answered. As `take`. */
  takeContent(bytes: number, ending?: Ending): Promise<void> | undefined {
    return this.take(bytes * COPIES, ending);
  }

  /** Reserves memory: undefined when there was room. Throws or rejects with a `FootbridgeError` when there is none. */
  take(bytes: number, ending?: Ending): Promise<void> | undefined {
    // The work goes on for another call that waits for the same.
    if (this.#users === 0) return undefined;
    if (this.#bytes + bytes > SMALL_HOLD) return this.#budget.wait(this, bytes, ending);
    this.add(bytes);
    return undefined;
  }

  /** Counts bytes that are there already; negative when they are not needed any more. */
  add(bytes: number): void {
    if (this.#users === 0) return;
    const before = this.large;
    this.#bytes += bytes;
    this.#budget.count(bytes, this.large - before, this.callerId);
  }

  enter(): void {
    this.#users++;
  }

  leave(): void {
    if (this.#users === 1) {
      this.add(-this.#bytes);
      this.#budget.abandon(this);
    }
    this.#users--;
  }
}

function busy(): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', 'The server is busy.', {
    suggestedActions: ['Try again in a moment.'],
    retryable: true,
  });
}

/** Of this process. */
export const processMemory = new MemoryBudget();
