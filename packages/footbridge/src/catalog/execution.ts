/** Runs readers with a timeout, once for concurrent requests, and caches results where the resource allows it. */
import type { CacheHint } from '@modelcontextprotocol/server';
import { echo, FootbridgeError } from '../errors.js';
import { Cancellation } from '../sources/context.js';
import { normalizeUri } from '../uri-template.js';
import { type Deadline, Deadlines, type Limited } from './deadlines.js';

/** One read to run. */
export interface Execution<R, T> {
  readonly uri: string;
  /** Callers with different ids share nothing, unless the hint is public. */
  readonly callerId: string;
  readonly timeoutMs: number;
  readonly cacheHint: CacheHint | undefined;
  work(cancellation: Cancellation): Promise<R>;
  /** Converts the result to the value. An error that it throws is handled like one of `work`. */
  finish(result: R): T;
  /** Converts what was thrown to the error to reject with. */
  fail(cause: unknown): unknown;
}

/** Limits of the whole cache. */
const MAX_CACHED = 1000;
const MAX_CACHED_BYTES = 64 * 1024 * 1024;

interface Cached<T> {
  readonly value: T;
  readonly size: number;
  readonly until: number;
}

export class Executions<R, T> {
  readonly #running = new Map<string, Running<R, T>>();
  readonly #deadlines = new Deadlines();
  /** Least recently used first. */
  readonly #cached = new Map<string, Cached<T>>();
  readonly #size: (value: T) => number;
  #cachedBytes = 0;
  /** Incremented on every invalidation: a read that started before it is not cached. */
  #generation = 0;

  constructor(size: (value: T) => number) {
    this.#size = size;
  }

  /** The value of an execution, or of the same one running or cached. Rejects when the caller cancels. */
  run(execution: Execution<R, T>, caller: Cancellation): Promise<T> {
    const key = `${execution.uri}\n${execution.cacheHint?.cacheScope === 'public' ? '' : execution.callerId}`;
    const cached = this.#cached.size === 0 ? undefined : this.#take(key);
    if (cached !== undefined) return Promise.resolve(cached.value);
    const joined = this.#running.get(key);
    if (joined !== undefined) return joined.join(caller);
    const running = new Running(key, execution, this.#generation, this.#deadlines, this.#onEnd);
    this.#running.set(key, running);
    const value = running.join(caller);
    running.start();
    return value;
  }

  /** Drops what is cached of a URI, or everything. */
  forget(uri?: string): void {
    this.#generation++;
    const same = (key: string) => uri === undefined || normalizeUri(key.slice(0, key.indexOf('\n'))) === normalizeUri(uri);
    for (const key of [...this.#cached.keys()]) if (same(key)) this.#drop(key);
  }

  readonly #onEnd = (running: Running<R, T>, value: T | undefined): void => {
    const { execution, generation, key } = running;
    const { ttlMs = 0 } = execution.cacheHint ?? {};
    if (this.#running.get(key) === running) this.#running.delete(key);
    if (value !== undefined && ttlMs > 0 && generation === this.#generation) this.#keep(key, value, ttlMs);
  };

  #take(key: string): Cached<T> | undefined {
    const cached = this.#cached.get(key);
    if (cached === undefined) return undefined;
    this.#drop(key);
    if (cached.until <= performance.now()) return undefined;
    this.#cached.set(key, cached);
    this.#cachedBytes += cached.size;
    return cached;
  }

  #keep(key: string, value: T, ttlMs: number): void {
    const size = this.#size(value);
    if (size > MAX_CACHED_BYTES) return;
    this.#drop(key);
    this.#cached.set(key, { value, size, until: performance.now() + ttlMs });
    this.#cachedBytes += size;
    for (const oldest of this.#cached.keys()) {
      if (this.#cached.size <= MAX_CACHED && this.#cachedBytes <= MAX_CACHED_BYTES) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#cachedBytes -= this.#cached.get(key)?.size ?? 0;
    this.#cached.delete(key);
  }
}

interface Waiter<T> {
  readonly cancellation: Cancellation;
  readonly leave: () => void;
  resolve(value: T): void;
  reject(cause: unknown): void;
}

/** One execution and its waiting callers; cancelled when the last of them cancels. */
class Running<R, T> implements Limited {
  readonly key: string;
  readonly execution: Execution<R, T>;
  /** The generation of the cache when the execution started. */
  readonly generation: number;
  readonly #cancellation = new Cancellation();
  readonly #waiters: Waiter<T>[] = [];
  readonly #deadlines: Deadlines;
  readonly #deadline: Deadline;
  /** Called once, with the value if there is one. */
  readonly #onEnd: (running: Running<R, T>, value: T | undefined) => void;
  #ended = false;

  constructor(
    key: string,
    execution: Execution<R, T>,
    generation: number,
    deadlines: Deadlines,
    onEnd: (running: Running<R, T>, value: T | undefined) => void,
  ) {
    this.key = key;
    this.execution = execution;
    this.generation = generation;
    this.#deadlines = deadlines;
    this.#onEnd = onEnd;
    this.#deadline = deadlines.add(this, execution.timeoutMs);
  }

  expire(): void {
    const { timeoutMs, uri } = this.execution;
    const error = tooSlow(uri, timeoutMs);
    this.#fail(error);
    this.#cancellation.abort(error);
  }

  /** Runs the work, unless the first caller has cancelled already. */
  start(): void {
    if (this.#ended) return;
    const fail = (cause: unknown) => this.#fail(this.execution.fail(cause));
    try {
      this.execution.work(this.#cancellation).then((result) => this.#succeed(result), fail);
    } catch (cause) {
      fail(cause);
    }
  }

  #succeed(result: R): void {
    let value: T;
    try {
      value = this.execution.finish(result);
    } catch (cause) {
      this.#fail(this.execution.fail(cause));
      return;
    }
    if (!this.#end(value)) return;
    for (const waiter of this.#waiters) {
      waiter.cancellation.forget(waiter.leave);
      waiter.resolve(value);
    }
  }

  join(cancellation: Cancellation): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const leave = () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(cancellation.reason);
        if (this.#waiters.length === 0 && this.#end(undefined)) this.#cancellation.abort(cancellation.reason);
      };
      const waiter: Waiter<T> = { cancellation, leave, resolve, reject };
      this.#waiters.push(waiter);
      if (cancellation.aborted) leave();
      else cancellation.listen(leave);
    });
  }

  #fail(cause: unknown): void {
    if (!this.#end(undefined)) return;
    for (const waiter of this.#waiters) {
      waiter.cancellation.forget(waiter.leave);
      waiter.reject(cause);
    }
  }

  /** Ends it; false when it had ended before. */
  #end(value: T | undefined): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#deadlines.remove(this.#deadline, this.execution.timeoutMs);
    this.#onEnd(this, value);
    return true;
  }
}

function tooSlow(uri: string, timeoutMs: number): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', `Failed to retrieve resource '${echo(uri)}'.`, {
    details: `Timed out after ${timeoutMs} ms.`,
    suggestedActions: ['Retry in a moment.', "If it times out again, ask the server's operator why this resource is slow."],
    retryable: true,
  });
}
