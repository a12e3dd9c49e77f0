/** Letting requests in, as far as their caller's limits go. */
import type { Middleware } from '../dispatch/compose.js';
import type { Account } from '../dispatch/scope.js';
import { isWork } from '../work.js';
import type { CallKind, Limiter } from './limiter.js';
import type { Outgoing } from './outgoing.js';
import { Refusal } from './reply.js';

/** A place among those that are served side by side. */
export interface Ticket {
  /** Says that all is there that it takes to answer: a server that stops waits for it. */
  begin(): void;
  /** Gives the place to another. May be called twice. */
  release(): void;
}

export class Admission {
  readonly #limiter: Limiter;
  readonly #outgoing: Outgoing;
  #answering = 0;

  constructor(limiter: Limiter, outgoing: Outgoing) {
    this.#limiter = limiter;
    this.#outgoing = outgoing;
  }

  /** How many requests are being answered. */
  get answering(): number {
    return this.#answering;
  }

  /** A place for a request, before its body is read. Throws a refusal with `429`. */
  enter(account: Account): Ticket {
    const { id, limited } = account;
    this.checkUnread(account);
    if (limited && !this.#limiter.enter(id)) throw tooMany(1, 'concurrency', 'Too many concurrent calls. Wait until some are answered.');
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

  /** Whoever does not read what they asked for gets no more of it. Throws a refusal with `429`. */
  checkUnread({ id, limited }: Account): void {
    if (limited && this.#outgoing.isUnread(id))
      throw tooMany(5, 'concurrency', 'Too many unread answers. Read them before you send more requests.');
  }

  /** Counts messages against the caller's rate. Throws a refusal with `429`. */
  take({ id, limited }: Account, messages: readonly unknown[]): void {
    if (!limited) return;
    for (const message of messages) this.takeOne(id, isWork(message) ? 'work' : 'list');
  }

  takeOne(account: string, kind: CallKind): void {
    const seconds = this.#limiter.take(account, kind);
    if (seconds > 0) throw tooMany(seconds, 'rate', `Too many calls. Try again in ${seconds} s.`);
  }
}

/** Middleware that counts each request against its caller's rate. */
export function rateLimited(admission: Admission): Middleware {
  return (request, { parts: { account } }, next) => {
    if (account !== undefined) admission.take(account, [request]);
    return next();
  };
}

/** Middleware for transports that carry many requests on one stream: each takes a place among those that run side by side. */
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

function tooMany(seconds: number, reason: 'rate' | 'concurrency', message: string): Refusal {
  return new Refusal(429, message, { reason, headers: { 'retry-after': String(seconds) } });
}
