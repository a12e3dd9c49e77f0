/** Admits requests within the limits of their caller. */
import { isFields } from '../../json.js';
import { processMemory } from '../../memory-budget.js';
import type { Middleware } from '../dispatch/compose.js';
import type { Account } from '../dispatch/scope.js';
import { TOO_MANY_UNREAD } from '../unread.js';
import type { CallKind, Limiter } from './limiter.js';
import { HttpRefusal } from './reply.js';

/** An admitted request. */
export interface Ticket {
  /** Marks it as running: a graceful shutdown waits for it. */
  begin(): void;
  /** Idempotent. */
  release(): void;
}

export class Admission {
  readonly #limiter: Limiter;
  #answering = 0;

  constructor(limiter: Limiter) {
    this.#limiter = limiter;
  }

  /** The number of requests being answered. */
  get answering(): number {
    return this.#answering;
  }

  /** Admits a request before its body is read. Throws a `HttpRefusal` with 429. */
  enter(account: Account): Ticket {
    const { id, limited } = account;
    if (limited && !this.#limiter.enter(id)) throw tooMany(1, 'concurrency', 'Too many concurrent calls. Wait until some have finished.');
    let state: 'waiting' | 'answering' | 'over' = 'waiting';
    return {
      begin: () => {
        if (state !== 'waiting') return;
        state = 'answering';
        this.#answering++;
      },
      release: () => {
        if (state === 'over') return;
        if (state === 'answering') this.#answering--;
        state = 'over';
        if (limited) this.#limiter.leave(id);
      },
    };
  }

  /** Throws a `HttpRefusal` with 429 when the caller does not read its responses, for what is sent independently of others. */
  checkUnread({ id }: Account): void {
    if (processMemory.isExceeded(id) || processMemory.waitingOf(id) > MAX_WAITING) throw tooManyUnread();
  }

  /** Counts messages against the rate limit. Throws a `HttpRefusal` with 429. */
  take({ id, limited }: Account, messages: readonly unknown[]): void {
    if (!limited) return;
    for (const message of messages) this.takeOne(id, isWork(message) ? 'work' : 'list');
  }

  takeOne(account: string, kind: CallKind): void {
    const seconds = this.#limiter.take(account, kind);
    if (seconds > 0) throw tooMany(seconds, 'rate', `Too many calls. Try again in ${seconds} s.`);
  }
}

/** Middleware that applies the rate limit. */
export function rateLimited(admission: Admission): Middleware {
  return (request, { parts: { account } }, next) => {
    if (account !== undefined) admission.take(account, [request]);
    return next();
  };
}

/** Middleware that applies the concurrency limit, for transports with many requests on one stream. */
export function concurrencyLimited(admission: Admission): Middleware {
  return async (_request, { parts: { account } }, next) => {
    const ticket = account === undefined ? undefined : admission.enter(account);
    ticket?.begin();
    try {
      return await next();
    } finally {
      ticket?.release();
    }
  };
}

export function tooManyUnread(): HttpRefusal {
  return tooMany(5, 'concurrency', TOO_MANY_UNREAD);
}

function tooMany(seconds: number, reason: 'rate' | 'concurrency', message: string): HttpRefusal {
  return new HttpRefusal(429, message, { reason, headers: { 'retry-after': String(seconds) } });
}

/** Calls of one caller that wait for memory, before no more are taken: each keeps its message. */
const MAX_WAITING = 8;

/** Methods that do work; the rest lists or negotiates. */
const WORK: ReadonlySet<string> = new Set([
  'tools/call',
  'resources/read',
  'resources/directory/read',
  'prompts/get',
  'completion/complete',
  'skills/get',
]);

function isWork(message: unknown): boolean {
  return isFields(message) && typeof message['method'] === 'string' && WORK.has(message['method']);
}
