/** The request that a read belongs to, and the way to call it off. */
import type { AuthInfo } from '@modelcontextprotocol/server';
import { type Caller, OWNER, type ReadContext, type Route } from './resource.js';

/** Calls something off. An `AbortSignal` is made only for whoever asks for one: most reads are over before anybody does. */
export class Cancellation {
  #listeners: (() => void)[] = [];
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
    for (const listener of this.#listeners.splice(0)) listener();
  }

  /** Calls `listener` once when it is called off; `forget` takes it back. */
  listen(listener: () => void): void {
    this.#listeners.push(listener);
  }

  forget(listener: () => void): void {
    const at = this.#listeners.lastIndexOf(listener);
    if (at !== -1) this.#listeners.splice(at, 1);
  }
}

/** A context as we make them. It is not to be spread: that would make the signal. */
export class Context implements ReadContext {
  readonly caller: Caller;
  readonly authInfo: AuthInfo | undefined;
  readonly route: Route | undefined;
  readonly alone: boolean | undefined;
  readonly request: unknown;
  readonly cancellation: Cancellation;

  constructor({ caller, authInfo, route, alone, request }: Omit<ReadContext, 'signal'>, cancellation: Cancellation) {
    this.caller = caller;
    this.authInfo = authInfo;
    this.route = route;
    this.alone = alone;
    this.request = request;
    this.cancellation = cancellation;
  }

  get signal(): AbortSignal {
    return this.cancellation.signal;
  }
}

/** For what we ask of our own accord: as the owner, until the end. */
export function ownContext(): Context {
  return new Context({ caller: OWNER }, new Cancellation());
}

const nothingToRelease = () => {};

/** A context of whoever made it as one of ours; to be released when the read is over, so that a long-lived signal is left alone. */
export function adopt(given: ReadContext): { readonly context: Context; readonly release: () => void } {
  if (given instanceof Context) return { context: given, release: nothingToRelease };
  const { signal } = given;
  const cancellation = new Cancellation();
  const follow = () => cancellation.abort(signal.reason);
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  return { context: new Context(given, cancellation), release: () => signal.removeEventListener('abort', follow) };
}

/** Runs something with less time: it is called off when the time is over, or with the request that it belongs to. */
export async function within<T>(milliseconds: number, given: ReadContext, run: (context: Context) => Promise<T>): Promise<T> {
  const { context: outer, release } = adopt(given);
  const cancellation = new Cancellation();
  const follow = () => cancellation.abort(outer.cancellation.reason);
  if (outer.cancellation.aborted) follow();
  outer.cancellation.listen(follow);
  const timer = setTimeout(() => cancellation.abort(new DOMException(`It took over ${milliseconds} ms.`, 'TimeoutError')), milliseconds);
  try {
    return await run(new Context(outer, cancellation));
  } finally {
    clearTimeout(timer);
    outer.cancellation.forget(follow);
    release();
  }
}
