/** Middleware that reports each request with its answer, content included, for `footbridge dev`. Metrics and logs use an observer. */
import type { Fields } from '../json.js';
import type { Middleware } from './dispatch/compose.js';

export interface TappedRequest {
  readonly method: string;
  readonly params?: Fields | undefined;
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
