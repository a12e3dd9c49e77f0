/** Letting requests in, as far as their caller's limits go. */

import { isWork } from '../work.js';
import type { Limiter } from './limiter.js';
import { Refusal } from './reply.js';
import type { Visit } from './visit.js';

const nothingToRelease = () => {};

/** Counts messages against the caller's limits; returns what to call when they are answered. Throws a refusal with `429`. */
export function admit(limiter: Limiter, { account, limited }: Visit, messages: readonly unknown[]): () => void {
  if (!limited) return nothingToRelease;
  for (const message of messages) {
    const seconds = limiter.take(account, isWork(message) ? 'work' : 'list');
    if (seconds > 0) throw tooMany(seconds, 'rate', `There were too many calls. Try again in ${seconds} s.`);
  }
  if (!messages.some(isWork)) return nothingToRelease;
  if (!limiter.enter(account)) throw tooMany(1, 'concurrency', 'There are too many calls at once. Wait until some are answered.');
  return () => limiter.leave(account);
}

function tooMany(seconds: number, reason: 'rate' | 'concurrency', message: string): Refusal {
  return new Refusal(429, message, { reason, headers: { 'retry-after': String(seconds) } });
}
