/** The request that a read belongs to, and its cancellation. */
import type { AuthInfo } from '@modelcontextprotocol/server';
import { type Caller, type InternalReadContext, OWNER, type ReadContext, type Route } from './resource.js';

/** Cancels work. Creates an `AbortSignal` only when one is asked for, since most reads finish without. */
export class Cancellation {
  /** Nearly all have at most one listener; further ones are called in order. */
  #listener: (() => void) | undefined;
  #others: (() => void)[] | undefined;
  #controller: AbortController | undefined;
  #aborted = false;
  #reason: unknown;

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(reason: unknown = new DOMException('The request was cancelled.', 'AbortError')): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    const [first, others = []] = [this.#listener, this.#others];
    this.#listener = undefined;
    this.#others = undefined;
    first?.();
    for (const listener of others) listener();
  }

  /** Calls `listener` once on cancellation; `forget` removes it. */
  listen(listener: () => void): void {
    if (this.#listener === undefined && this.#others === undefined) this.#listener = listener;
    else if (this.#others === undefined) this.#others = [listener];
    else this.#others.push(listener);
  }

  forget(listener: () => void): void {
    const at = this.#others?.lastIndexOf(listener) ?? -1;
    if (at !== -1) this.#others?.splice(at, 1);
    else if (this.#listener === listener) this.#listener = undefined;
  }
}

/** The reason of a request that its sender cancelled by a message. */
export class CancelledBySender extends DOMException {
  /** As the sender gave it; undefined where it gave none. */
  readonly given: unknown;

  constructor(given: unknown) {
    super('The request was cancelled.', 'AbortError');
    this.given = given;
  }
}

/** The `reason` to pass on with a cancellation: what the sender gave, else `ours`. */
export function passedReason({ reason }: Cancellation, ours?: string): { readonly reason?: unknown } {
  const passed = reason instanceof CancelledBySender ? reason.given : ours;
  return passed === undefined ? {} : { reason: passed };
}

/** Our implementation. Do not spread it: that would create the signal. */
export class Context implements InternalReadContext {
  readonly caller: Caller;
  readonly authInfo: AuthInfo | undefined;
  readonly route: Route | undefined;
  readonly alone: boolean | undefined;
  readonly request: unknown;
  readonly admit: ReadContext['admit'];
  readonly cancellation: Cancellation;

  constructor({ caller, authInfo, route, alone, request, admit }: Omit<InternalReadContext, 'signal'>, cancellation: Cancellation) {
    this.caller = caller;
    this.authInfo = authInfo;
    this.route = route;
    this.alone = alone;
    this.request = request;
    this.admit = admit;
    this.cancellation = cancellation;
  }

  get signal(): AbortSignal {
    return this.cancellation.signal;
  }
}

/** For requests of our own: as the owner, never cancelled. */
export function ownContext(): Context {
  return new Context({ caller: OWNER }, new Cancellation());
}

const nothingToRelease = () => {};

/** Wraps a caller's context as an internal one. Release it after the read, which removes the listener from the caller's signal. */
export function adopt(given: ReadContext): { readonly context: Context; readonly release: () => void } {
  if (given instanceof Context) return { context: given, release: nothingToRelease };
  const { signal } = given;
  const cancellation = new Cancellation();
  const follow = () => cancellation.abort(signal.reason);
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  return { context: new Context(given, cancellation), release: () => signal.removeEventListener('abort', follow) };
}

/** Runs something with a timeout; it is cancelled with the request that it belongs to, too. */
export async function within<T>(milliseconds: number, given: ReadContext, run: (context: Context) => Promise<T>): Promise<T> {
  const { context: outer, release } = adopt(given);
  const cancellation = new Cancellation();
  const follow = () => cancellation.abort(outer.cancellation.reason);
  if (outer.cancellation.aborted) follow();
  outer.cancellation.listen(follow);
  const timer = setTimeout(() => cancellation.abort(new DOMException(`Timed out after ${milliseconds} ms.`, 'TimeoutError')), milliseconds);
  try {
    return await run(new Context(outer, cancellation));
  } finally {
    clearTimeout(timer);
    outer.cancellation.forget(follow);
    release();
  }
}
