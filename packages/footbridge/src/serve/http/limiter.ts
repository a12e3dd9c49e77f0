/** Rate and concurrency limits per caller, and delayed refusals. */
import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { HttpLimits } from './options.js';
import type { UsageLedger } from './shared/shared-state.js';

/** Lists and discovery have a higher limit than calls that do work. */
export type CallKind = 'work' | 'list';

export interface Limiter {
  /** Counts a call. Returns 0 if it is allowed, else the seconds to wait. */
  take(callerId: string, kind: CallKind): number;
  /** Whether the caller may run another call; if so, call `leave` when it ends. */
  enter(callerId: string): boolean;
  leave(callerId: string): void;
}

interface Bucket {
  left: number;
  at: number;
}

interface Caller {
  readonly keys: Readonly<Record<CallKind, string>>;
  running: number;
}

const FACTORS: Readonly<Record<CallKind, number>> = { work: 1, list: 10 };
/** Number of entries from which unused ones are removed. */
const FIRST_SWEEP = 1000;

/** Usage on other replicas counts too. `now` is monotonic, in milliseconds. */
export function createLimiter(limits: HttpLimits, usage: UsageLedger, now: () => number = () => performance.now()): Limiter {
  const callers = new Map<string, Caller>();
  /** By ledger key. A missing bucket is full. */
  const buckets = new Map<string, Bucket>();
  let sweepAt = FIRST_SWEEP;

  usage.onSpentElsewhere((key, amount) => {
    const bucket = refilled(key);
    bucket.left = Math.max(bucket.left - amount, -capacityOf(key));
  });

  function callerOf(id: string): Caller {
    const known = callers.get(id);
    if (known !== undefined) return known;
    sweep();
    const digest = createHash('sha256').update(id).digest('base64url');
    const caller = { keys: { work: `work:${digest}`, list: `list:${digest}` }, running: 0 };
    callers.set(id, caller);
    return caller;
  }

  function refilled(key: string): Bucket {
    const at = now();
    const known = buckets.get(key);
    if (known === undefined) sweep();
    const bucket = known ?? { left: capacityOf(key), at };
    bucket.left = leftOf(key, bucket, at);
    bucket.at = at;
    buckets.set(key, bucket);
    return bucket;
  }

  function leftOf(key: string, { left, at }: Bucket, moment: number): number {
    return Math.min(left + ((moment - at) * perMinute(key)) / 60_000, capacityOf(key));
  }

  const capacityOf = (key: string) => limits.burst * FACTORS[kindOf(key)];
  const perMinute = (key: string) => limits.callsPerMinute * FACTORS[kindOf(key)];

  /** Removes full buckets and idle callers. */
  function sweep(): void {
    if (callers.size + buckets.size < sweepAt) return;
    const moment = now();
    for (const [key, bucket] of buckets) if (leftOf(key, bucket, moment) >= capacityOf(key)) buckets.delete(key);
    for (const [id, { keys, running }] of callers) {
      if (running === 0 && !buckets.has(keys.work) && !buckets.has(keys.list)) callers.delete(id);
    }
    sweepAt = Math.max(FIRST_SWEEP, 2 * (callers.size + buckets.size));
  }

  return {
    take(callerId, kind) {
      const key = callerOf(callerId).keys[kind];
      const bucket = refilled(key);
      if (bucket.left < 1) return Math.max(1, Math.ceil(((1 - bucket.left) * 60) / perMinute(key)));
      bucket.left -= 1;
      usage.spend(key, 1);
      return 0;
    },
    enter(callerId) {
      const caller = callerOf(callerId);
      if (caller.running >= limits.concurrent) return false;
      caller.running += 1;
      return true;
    },
    leave(callerId) {
      const caller = callers.get(callerId);
      if (caller !== undefined && caller.running > 0) caller.running -= 1;
    },
  };
}

function kindOf(key: string): CallKind {
  return key.startsWith('list:') ? 'list' : 'work';
}

const MIN_DELAY_MS = 1000;
const MAX_DELAY_MS = 10_000;
/** Refusals per second and key: the more are held, the longer each waits. */
const RATE = 25;
const MAX_HELD = 5000;

/** Delays refusals, so that a client over its limit waits instead of retrying at once. */
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
