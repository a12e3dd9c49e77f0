/**
 * Middleware that shows each request with its answer, content included: for people who try out what they wrote, on their own
 * machine. Metrics, traces and logs get no content, and come from an observer.
 */
import type { Fields } from '../json.js';
import type { Middleware } from './dispatch/compose.js';

/** A request as it came. */
export interface TappedRequest {
  readonly method: string;
  readonly params?: Fields | undefined;
  /** The session or stream that it belongs to, where there is one. */
  readonly sessionId?: string | undefined;
}

/** Called when a request begins; the function it returns is called with the answer. A cancelled request has none. */
export type Tap = (request: TappedRequest) => (answer: object) => void;

export function tapped(tap: Tap): Middleware {
  return async ({ method, params }, scope, next) => {
    const done = tap({ method, params, sessionId: scope.parts.sessionId });
    const answer = await next();
    if (!scope.cancellation.aborted) done(answer);
    return answer;
  };
}
