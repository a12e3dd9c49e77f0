/** The one place that answers a request, of any transport and era. */
import { type JSONRPCRequest, type ProtocolEra, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { reasonOf } from '../../errors.js';
import { type Fields, isFields } from '../../json.js';
import type { Log } from '../../log.js';
import type { MemoryHold } from '../../memory-budget.js';
import type { Cancellation } from '../../sources/context.js';
import { InputRequired } from '../../sources/resource.js';
import { ServerError } from '../../sources/server/channel.js';
import { CACHEABLE_METHODS } from '../../sources/upstream/eras.js';
import { CONNECTION_CLOSED } from '../../sources/upstream/json-rpc.js';
import { type Answer, errorResponse } from '../messages.js';

/** What the dispatcher itself needs of a request's scope. */
export interface DispatchScope {
  readonly era: ProtocolEra;
  readonly cancellation: Cancellation;
  /** What the request holds. */
  readonly memory?: MemoryHold | undefined;
}

/** Answers with a result. */
export type Method<S> = (request: JSONRPCRequest, scope: S) => Promise<Fields> | Fields;
/** Returns a whole answer. */
export type SdkMethod<S> = (request: JSONRPCRequest, scope: S) => Promise<Answer>;

/** The methods of a server. */
export interface Methods<S> {
  /** Of both eras. */
  readonly common: ReadonlyMap<string, Method<S>>;
  /** Methods that the modern era no longer has. */
  readonly legacy?: ReadonlyMap<string, Method<S>>;
  /** Methods that the SDK answers. */
  readonly sdk?: ReadonlyMap<string, SdkMethod<S>>;
  /** Any other method. */
  readonly other?: Method<S>;
  /** Called with each request that the SDK does not answer. */
  begin?(scope: S): void;
  /** The `_meta` that a modern result has besides its own. */
  meta?(): Fields | undefined;
}

export class Dispatcher<S extends DispatchScope> {
  readonly #methods: Methods<S>;
  readonly #log: Log;

  constructor(methods: Methods<S>, log: Log) {
    this.#methods = methods;
    this.#log = log;
  }

  /** Whether a method is known here; an upstream may know others. */
  has(method: string, era: ProtocolEra): boolean {
    if (era === 'legacy' ? MODERN_ONLY.has(method) : method === 'initialize') return false;
    const { common, legacy, sdk } = this.#methods;
    return common.has(method) || sdk?.has(method) === true || (era === 'legacy' && legacy?.has(method) === true);
  }

  /** Never rejects: what goes wrong is an error in the answer. Settles when the request is cancelled, whether the work stops or not. */
  readonly dispatch = (request: JSONRPCRequest, scope: S): Promise<Answer> =>
    new Promise((resolve) => {
      const { cancellation, memory } = scope;
      const cancel = () => resolve(this.#failure(request, cancellation.reason, scope));
      if (cancellation.aborted) return cancel();
      cancellation.listen(cancel);
      memory?.enter();
      const end = (answer: Answer) => {
        memory?.leave();
        cancellation.forget(cancel);
        resolve(answer);
      };
      const succeed = (result: Fields) => end(this.#success(request, result, scope));
      const fail = (cause: unknown) => end(this.#failure(request, cause, scope));
      try {
        const { common, legacy, other, sdk } = this.#methods;
        const sdkMethod = sdk?.get(request.method);
        if (sdkMethod !== undefined) return void sdkMethod(request, scope).then(end, fail);
        this.#methods.begin?.(scope);
        const method = common.get(request.method) ?? (scope.era === 'legacy' ? legacy?.get(request.method) : undefined) ?? other;
        if (method === undefined) return fail(new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found'));
        const result = method(request, scope);
        if (isPromise(result)) result.then(succeed, fail);
        else succeed(result);
      } catch (cause) {
        fail(cause);
      }
    });

  #success({ id, method }: JSONRPCRequest, result: Fields, { era }: S): Answer {
    return { jsonrpc: '2.0', id, result: era === 'modern' ? this.#asModern(method, result) : result };
  }

  /** What 2026-07-28 adds to a result. A modern upstream has added it already. */
  #asModern(method: string, result: Fields): Fields {
    if (result['resultType'] !== undefined) return result;
    const own = this.#methods.meta?.();
    // Literals with one spread at the end: V8 takes several microseconds for others.
    const isCacheable = CACHEABLE_METHODS.has(method);
    if (own === undefined)
      return isCacheable ? { ttlMs: 0, cacheScope: 'private', resultType: 'complete', ...result } : { resultType: 'complete', ...result };
    const modern = isCacheable
      ? { ttlMs: 0, cacheScope: 'private', resultType: 'complete', _meta: own, ...result }
      : { resultType: 'complete', _meta: own, ...result };
    if (!('_meta' in result)) return modern;
    return { ...modern, _meta: isFields(result['_meta']) ? { ...own, ...result['_meta'] } : own };
  }

  #failure({ id, method }: JSONRPCRequest, cause: unknown, { cancellation }: S): Answer {
    if (cause instanceof InputRequired) return { jsonrpc: '2.0', id, result: { ...cause.result } };
    if (cause instanceof ServerError || cause instanceof ProtocolError) return errorResponse(id, cause);
    if (cancellation.aborted || cause instanceof DOMException)
      return errorResponse(id, { code: CONNECTION_CLOSED, message: 'The request was cancelled.' });
    this.#log.error(`Internal error in ${method}: ${reasonOf(cause)}`);
    return errorResponse(id, { code: ProtocolErrorCode.InternalError, message: 'Internal error' });
  }
}

const MODERN_ONLY: ReadonlySet<string> = new Set(['server/discover', 'subscriptions/listen']);

function isPromise(result: Promise<Fields> | Fields): result is Promise<Fields> {
  return result instanceof Promise;
}
