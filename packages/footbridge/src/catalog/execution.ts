/** Runs readers: within a time, once for all who ask at the same moment, and kept where the resource allows it. */
import type { CacheHint } from '@modelcontextprotocol/server';
import { echo, FootbridgeError } from '../errors.js';
import { normalizeUri } from '../uri-template.js';

/** How one read is run. */
export interface ExecutionPolicy {
  readonly uri: string;
  /** Callers with different ids share nothing, unless the hint says public. */
  readonly callerId: string;
  readonly timeoutMs: number;
  readonly cacheHint: CacheHint | undefined;
}

/** What is kept, all together. */
const MOST_KEPT = 1000;
const MOST_KEPT_BYTES = 64 * 1024 * 1024;

interface Kept<T> {
  readonly value: T;
  readonly size: number;
  readonly until: number;
}

export class Executions<T> {
  readonly #running = new Map<string, Running<T>>();
  /** The longest unused first. */
  readonly #kept = new Map<string, Kept<T>>();
  readonly #size: (value: T) => number;
  #keptBytes = 0;
  /** Goes up when something is forgotten: what began before is not kept. */
  #generation = 0;

  constructor(size: (value: T) => number) {
    this.#size = size;
  }

  /** The value of `work`, or of the same work already under way or kept. Rejects when `signal` is aborted. */
  run(policy: ExecutionPolicy, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const key = `${normalizeUri(policy.uri)}\n${policy.cacheHint?.cacheScope === 'public' ? '' : `by ${policy.callerId}`}`;
    const kept = this.#take(key);
    if (kept !== undefined) return Promise.resolve(kept.value);
    let running = this.#running.get(key);
    if (running === undefined) {
      running = this.#start(key, policy, work);
      this.#running.set(key, running);
    }
    return running.join(signal);
  }

  /** Drops what is kept of a URI, or everything. */
  forget(uri?: string): void {
    this.#generation++;
    const start = uri === undefined ? '' : `${normalizeUri(uri)}\n`;
    for (const key of [...this.#kept.keys()]) if (key.startsWith(start)) this.#drop(key);
  }

  #start(key: string, { uri, timeoutMs, cacheHint }: ExecutionPolicy, work: (signal: AbortSignal) => Promise<T>): Running<T> {
    const generation = this.#generation;
    const over = () => {
      if (this.#running.get(key) === running) this.#running.delete(key);
    };
    const running: Running<T> = new Running(work, timeoutMs, () => tooSlow(uri, timeoutMs), over);
    const ttl = cacheHint?.ttlMs ?? 0;
    if (ttl > 0) running.value.then((value) => generation === this.#generation && this.#keep(key, value, ttl)).catch(() => {});
    return running;
  }

  #take(key: string): Kept<T> | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#drop(key);
    if (kept.until <= performance.now()) return undefined;
    this.#kept.set(key, kept);
    this.#keptBytes += kept.size;
    return kept;
  }

  #keep(key: string, value: T, ttlMs: number): void {
    const size = this.#size(value);
    if (size > MOST_KEPT_BYTES) return;
    this.#drop(key);
    this.#kept.set(key, { value, size, until: performance.now() + ttlMs });
    this.#keptBytes += size;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT && this.#keptBytes <= MOST_KEPT_BYTES) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#keptBytes -= this.#kept.get(key)?.size ?? 0;
    this.#kept.delete(key);
  }
}

/** One execution and those who wait for it; it is cancelled when the last of them cancels. */
class Running<T> {
  readonly value: Promise<T>;
  readonly #controller = new AbortController();
  readonly #over: () => void;
  #waiting = 0;

  constructor(work: (signal: AbortSignal) => Promise<T>, timeoutMs: number, tooSlow: () => Error, over: () => void) {
    this.#over = over;
    this.value = new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => {
        const error = tooSlow();
        reject(error);
        over();
        this.#controller.abort(error);
      }, timeoutMs);
      const end = () => {
        clearTimeout(timer);
        over();
      };
      this.#controller.signal.addEventListener('abort', end, { once: true });
      work(this.#controller.signal).then(
        (value) => {
          end();
          resolve(value);
        },
        (cause: unknown) => {
          end();
          reject(cause);
        },
      );
    });
    // Whoever waits hears of a failure; that nobody may be waiting any more is no failure of the process.
    this.value.catch(() => {});
  }

  join(signal: AbortSignal): Promise<T> {
    this.#waiting++;
    return new Promise<T>((resolve, reject) => {
      const leave = () => {
        reject(signal.reason);
        if (--this.#waiting > 0) return;
        this.#over();
        this.#controller.abort(signal.reason);
      };
      if (signal.aborted) return leave();
      signal.addEventListener('abort', leave, { once: true });
      const stay = () => signal.removeEventListener('abort', leave);
      this.value.then(
        (value) => {
          stay();
          resolve(value);
        },
        (cause: unknown) => {
          stay();
          reject(cause);
        },
      );
    });
  }
}

function tooSlow(uri: string, timeoutMs: number): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', `Failed to retrieve resource '${echo(uri)}'.`, {
    details: `It was not there after ${timeoutMs} ms and was cancelled.`,
    suggestedActions: ['Retry in a moment: this may pass.', 'If it goes on, ask whoever runs the server why this resource is slow.'],
    retryable: true,
  });
}
