/** How much memory running calls may hold: bodies that are read, contents, and answers until the client has taken them. */
import { FootbridgeError } from './errors.js';

const MEBIBYTE = 1024 * 1024;
/** Bytes of all calls together. One caller may hold half. */
const MAX_HELD = 128 * MEBIBYTE;
/** A call that holds no more than this is small: it does not wait for large ones. */
const SMALL_HOLD = MEBIBYTE;
/** Bytes of all small calls together, beside the large ones, and those of one caller. */
const MAX_SMALL = 64 * MEBIBYTE;
const MAX_SMALL_OF_CALLER = 16 * MEBIBYTE;
/** Bytes of contents that came before there was room for them, and those for one caller. */
const MAX_EARLY = 64 * MEBIBYTE;
const MAX_EARLY_OF_CALLER = 32 * MEBIBYTE;
/** How long a call waits for memory that others hold. */
const WAIT_TIMEOUT_MS = 5000;
/** Each may have a file open. */
const MAX_WAITING = 1024;
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

/** Callers whose share is kept while they hold nothing: most call again soon. */
const MAX_IDLE = 1000;

/** Bytes of a caller. */
interface Share {
  /** Calls that hold something or wait. */
  holds: number;
  small: number;
  large: number;
  early: number;
}

/** Bytes in flight. Calls that need more than there is wait in turn, and are refused when that takes too long. */
export class MemoryBudget {
  readonly #most: number;
  readonly #timeoutMs: number;
  readonly #shares = new Map<string, Share>();
  readonly #waiting = new Set<Waiting>();
  #small = 0;
  #large = 0;
  #early = 0;

  constructor(most = MAX_HELD, timeoutMs = WAIT_TIMEOUT_MS) {
    this.#most = most;
    this.#timeoutMs = timeoutMs;
  }

  /** Bytes that all calls hold. */
  get held(): number {
    return this.#small + this.#large + this.#early;
  }

  /** The number of a caller's calls that wait. */
  waitingOf(callerId: string): number {
    let count = 0;
    for (const { hold } of this.#waiting) if (hold.callerId === callerId) count++;
    return count;
  }

  /** Whether a caller's small calls hold more than they may: those do not wait whose answers were small without being read. */
  isExceeded(callerId: string): boolean {
    return (this.#shares.get(callerId)?.small ?? 0) > MAX_SMALL_OF_CALLER;
  }

  /** For one call. Give it back with `leave`. */
  open(callerId: string): MemoryHold {
    return new MemoryHold(this, callerId);
  }

  /** For a call that begins to hold something. */
  share(callerId: string): Share {
    let share = this.#shares.get(callerId);
    if (share === undefined) {
      share = { holds: 0, small: 0, large: 0, early: 0 };
      this.#shares.set(callerId, share);
    }
    share.holds++;
    return share;
  }

  /** For a call that holds nothing any more. */
  unshare(callerId: string, share: Share): void {
    if (--share.holds === 0 && this.#shares.size > MAX_IDLE) this.#shares.delete(callerId);
  }

  /** Counts what a call holds after a change. */
  count(share: Share, before: number, after: number): void {
    const large = largeOf(after) - largeOf(before);
    const small = after - before - large;
    share.large += large;
    this.#large += large;
    share.small += small;
    this.#small += small;
    if (after < before && this.#waiting.size > 0) this.#admit();
  }

  /** Whether a call may hold `bytes`. */
  fits(hold: MemoryHold, bytes: number): boolean {
    return this.#fitsCaller(hold, bytes) && this.#fitsAll(hold, bytes);
  }

  /** Undefined when there was room. Rejects with a `FootbridgeError` after a while without. `early`: bytes that are there already. */
  wait(hold: MemoryHold, bytes: number, ending: Ending | undefined, early: number): Promise<void> | undefined {
    if (this.#waiting.size >= MAX_WAITING) throw busy();
    const waiting: Waiting = { hold, bytes, admit: () => {}, giveUp: () => {} };
    this.#waiting.add(waiting);
    this.#admit();
    if (!this.#waiting.has(waiting)) return undefined;
    const { share } = hold;
    if (isBeyond(share.early, early, MAX_EARLY_OF_CALLER) || isBeyond(this.#early, early, MAX_EARLY)) {
      this.#waiting.delete(waiting);
      throw busy();
    }
    share.early += early;
    this.#early += early;
    return new Promise((resolve, reject) => {
      const cancel = () => waiting.giveUp(ending?.reason);
      const timer = setTimeout(() => waiting.giveUp(busy()), this.#timeoutMs);
      ending?.listen(cancel);
      const leave = () => {
        clearTimeout(timer);
        ending?.forget(cancel);
        share.early -= early;
        this.#early -= early;
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

  /** Ends the waits of a call that is over. */
  abandon(hold: MemoryHold): void {
    if (this.#waiting.size === 0) return;
    for (const waiting of [...this.#waiting]) if (waiting.hold === hold) waiting.giveUp(busy());
  }

  /** In order. A caller that waits for its own calls does not block others, and large calls do not block small ones. */
  #admit(): void {
    let isBlocked = false;
    for (const waiting of this.#waiting) {
      const { hold } = waiting;
      const bytes = hold.sizeWith(waiting.bytes);
      const isLarge = largeOf(bytes) > 0;
      if ((isLarge && isBlocked) || !this.#fitsCaller(hold, bytes)) continue;
      if (!this.#fitsAll(hold, bytes)) {
        isBlocked ||= isLarge;
        continue;
      }
      this.#waiting.delete(waiting);
      hold.add(waiting.bytes);
      waiting.admit();
    }
  }

  #fitsCaller({ share: { small, large }, size }: MemoryHold, bytes: number): boolean {
    if (largeOf(bytes) === 0) return small - smallOf(size) + bytes <= MAX_SMALL_OF_CALLER;
    const others = large - largeOf(size);
    // What is larger than all there is has to be alone.
    return others === 0 || others + bytes <= this.#most / 2;
  }

  #fitsAll({ size }: MemoryHold, bytes: number): boolean {
    if (largeOf(bytes) === 0) return this.#small - smallOf(size) + bytes <= MAX_SMALL;
    return this.#large === largeOf(size) || this.#small + this.#large - size + bytes <= this.#most;
  }
}

/** One alone may be larger. */
function isBeyond(before: number, more: number, most: number): boolean {
  return more > 0 && before > 0 && before + more > most;
}

function largeOf(bytes: number): number {
  return bytes > SMALL_HOLD ? bytes : 0;
}

function smallOf(bytes: number): number {
  return bytes > SMALL_HOLD ? 0 : bytes;
}

/** The memory of one call, until both the work and the client that reads the answer have released it. */
export class MemoryHold {
  readonly #budget: MemoryBudget;
  readonly callerId: string;
  /** From the first bytes on. */
  #share: Share | undefined;
  /** For its work, and for contents with their copies. */
  #reserved = 0;
  /** Bytes that wait for the client. They are among those reserved, as far as these suffice. */
  #unread = 0;
  #users = 1;

  constructor(budget: MemoryBudget, callerId: string) {
    this.#budget = budget;
    this.callerId = callerId;
  }

  /** What its caller holds. */
  get share(): Share {
    this.#share ??= this.#budget.share(this.callerId);
    return this.#share;
  }

  /** Its bytes. */
  get size(): number {
    return Math.max(this.#reserved, this.#unread);
  }

  /** Its bytes, or 0 while it is small. */
  get large(): number {
    return largeOf(this.size);
  }

  /** Its bytes when `bytes` more are reserved. */
  sizeWith(bytes: number): number {
    return Math.max(this.#reserved + bytes, this.#unread);
  }

  /** Reserves memory for a content that is answered. `isEarly`: whether the content is there already. As `take`. */
  takeContent(bytes: number, ending?: Ending, isEarly = false): Promise<void> | undefined {
    return this.take(bytes * COPIES, ending, isEarly ? bytes : 0);
  }

  /** Reserves memory: undefined when there was room. Throws or rejects with a `FootbridgeError` when there is none. */
  take(bytes: number, ending?: Ending, early = 0): Promise<void> | undefined {
    // The work goes on for another call that waits for the same.
    if (this.#users === 0) return undefined;
    const size = this.sizeWith(bytes);
    if (largeOf(size) > 0 || !this.#budget.fits(this, size)) return this.#budget.wait(this, bytes, ending, early);
    this.add(bytes);
    return undefined;
  }

  /** Counts bytes that are there already; negative when they are not needed any more. */
  add(bytes: number): void {
    this.#change(bytes, 0);
  }

  /** Counts bytes that wait for the client; negative when it has taken them. False if it should have read what came before. */
  queue(bytes: number): boolean {
    const { size } = this;
    this.#change(0, bytes);
    return this.size <= size || this.#budget.fits(this, this.size);
  }

  enter(): void {
    this.#users++;
  }

  leave(): void {
    if (this.#users === 1) {
      this.#budget.abandon(this);
      if (this.#share !== undefined) {
        this.#change(-this.#reserved, -this.#unread);
        this.#budget.unshare(this.callerId, this.#share);
      }
    }
    this.#users--;
  }

  #change(reserved: number, unread: number): void {
    if (this.#users === 0) return;
    const { share, size } = this;
    this.#reserved += reserved;
    this.#unread += unread;
    this.#budget.count(share, size, this.size);
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
