/** Answers the requests of all transports and both eras. */
import { type JSONRPCRequest, type ProtocolEra, ProtocolError } from '@modelcontextprotocol/server';
import { reasonOf } from '../../errors.js';
import type { Fields } from '../../json.js';
import type { Log } from '../../log.js';
import type { MemoryHold } from '../../memory-budget.js';
import type { Cancellation } from '../../sources/context.js';
import { InputRequired } from '../../sources/resource.js';
import { ServerError } from '../../sources/server/channel.js';
import { type Answer, errorResponse } from '../messages.js';
import { asModern, cancelledAnswer, internalErrorAnswer, methodNotFound } from './answers.js';

/** What the dispatcher itself needs of a request's scope. */
export interface DispatchScope {
  readonly era: ProtocolEra;
  readonly cancellation: Cancellation;
  /** The memory that the request holds. */
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

  /** Never rejects: failures become errors in the answer. Settles when the request is cancelled, even if the work goes on. */
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
        if (method === undefined) return fail(methodNotFound());
        const result = method(request, scope);
        if (isPromise(result)) result.then(succeed, fail);
        else succeed(result);
      } catch (cause) {
        fail(cause);
      }
    });

  #success({ id, method }: JSONRPCRequest, result: Fields, { era }: S): Answer {
    return { jsonrpc: '2.0', id, result: era === 'modern' ? asModern(method, result, this.#methods.meta?.()) : result };
  }

  #failure({ id, method }: JSONRPCRequest, cause: unknown, { cancellation }: S): Answer {
    if (cause instanceof InputRequired) return { jsonrpc: '2.0', id, result: { ...cause.result } };
    if (cause instanceof ServerError || cause instanceof ProtocolError) return errorResponse(id, cause);
    if (cancellation.aborted || cause instanceof DOMException) return cancelledAnswer(id);
    this.#log.error(`Internal error in ${method}: ${reasonOf(cause)}`);
    return internalErrorAnswer(id);
  }
}

const MODERN_ONLY: ReadonlySet<string> = new Set(['server/discover', 'subscriptions/listen']);

function isPromise(result: Promise<Fields> | Fields): result is Promise<Fields> {
  return result instanceof Promise;
}
