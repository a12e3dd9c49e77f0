/** Middleware around the dispatcher: each gets the request and one `next`, and returns the answer. */
import type { JSONRPCRequest } from '@modelcontextprotocol/server';
import type { Answer } from '../messages.js';
import type { RequestScope } from './scope.js';

/** Answers a request. Rejects only if the transport has to refuse it. */
export type Dispatch = (request: JSONRPCRequest, scope: RequestScope) => Promise<Answer>;

export type Middleware = (request: JSONRPCRequest, scope: RequestScope, next: () => Promise<Answer>) => Promise<Answer>;

/** The first middleware is the outermost. */
export function compose(middleware: readonly Middleware[], dispatch: Dispatch): Dispatch {
  return middleware.reduceRight<Dispatch>((next, run) => (request, scope) => run(request, scope, () => next(request, scope)), dispatch);
}
