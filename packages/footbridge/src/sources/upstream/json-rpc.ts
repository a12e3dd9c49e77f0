/** JSON-RPC over one transport: matches answers to requests, and cancels requests. */
import { reasonOf } from '../../errors.js';
import { asText, type Fields, isFields, weightOf } from '../../json.js';
import { isLargeJson, prepareJson } from '../../json-pieces.js';
import type { Log } from '../../log.js';
import { adopt, Context, passedReason } from '../context.js';
import type { Exchange } from '../forwarding.js';
import type { ReadContext } from '../resource.js';
import { ServerError } from '../server/channel.js';
import { metaOf } from './eras.js';
import type { UpstreamFailure } from './failure.js';
import type { UpstreamTransport } from './transports/transport.js';

/** The error for pending requests when the connection is lost. */
export interface Loss {
  readonly message: string;
  readonly data?: Fields;
}

/** A pending request. */
export interface Pending {
  readonly id: number;
  readonly method: string;
  /** The name of a tool or a prompt, or a URI. */
  readonly target: unknown;
  readonly callerId: string;
  /** Replaced when the host returns with input. */
  exchange: Exchange | undefined;
  progressToken: unknown;
  /** Whether the host wants the server's logs. */
  logs: boolean;
  /** Whether the server is used by it. */
  readonly isUse: boolean;
  settle(outcome: RequestOutcome): void;
}

export type RequestOutcome = { readonly result: Fields } | { readonly error: unknown };

/** Receives everything but answers. */
export interface Listener {
  notification(method: string, params: Fields | undefined): void;
  request(id: unknown, method: string, params: Fields | undefined): void;
  /** The request was cancelled. */
  cancelled(pending: Pending): void;
  /** The connection ended; `byItself` unless `close` was called. */
  over(failure: UpstreamFailure, byItself: boolean): void;
  /** The error for pending requests. */
  explain(failure: UpstreamFailure): Loss;
}

/** The code that the SDKs use for a closed connection. */
export const CONNECTION_CLOSED = -32000;

export class JsonRpc {
  readonly #transport: UpstreamTransport;
  readonly #listener: Listener;
  readonly #log: Log;
  readonly #pending = new Map<unknown, Pending>();
  #count = 0;
  #usedAt = preciseNow();
  #closed: UpstreamFailure | undefined;
  /** A large message that is being written, and those that wait for it. */
  #writing: Promise<void> | undefined;

  constructor(transport: UpstreamTransport, listener: Listener, log: Log) {
    this.#transport = transport;
    this.#listener = listener;
    this.#log = log;
  }

  /** Starts the transport. */
  start(): Promise<void> {
    return this.#transport.start({ receive: (message) => this.#receive(message), closed: (failure) => this.#end(failure, true) });
  }

  /** Why it ended. */
  get closed(): UpstreamFailure | undefined {
    return this.#closed;
  }

  /** Whether requests are pending, other than a subscription. */
  get isBusy(): boolean {
    for (const { method } of this.#pending.values()) if (method !== 'subscriptions/listen') return true;
    return false;
  }

  /** When a request that uses the server was sent or answered last. */
  get usedAt(): number {
    return this.#usedAt;
  }

  get(id: unknown): Pending | undefined {
    return this.#pending.get(id);
  }

  /** Sends a request. `logs`: whether the host wants the server's logs. `isUse`: see `usedAt`. */
  request(
    method: string,
    params: Fields,
    context: ReadContext,
    exchange: Exchange | undefined,
    logs = exchange !== undefined,
    isUse = true,
  ): Promise<Fields> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) return reject(this.#gone(this.#closed));
      const id = ++this.#count;
      const progressToken = metaOf(params)?.['progressToken'];
      const pending: Pending = {
        id,
        method,
        target: targetOf(params),
        callerId: context.caller.id,
        exchange,
        progressToken,
        logs,
        isUse,
        settle: IGNORE,
      };
      if (!this.follow(pending, context, resolve, reject)) return;
      this.#pending.set(id, pending);
      if (isUse) this.#usedAt = preciseNow();
      // Several hosts may use the same token.
      const sent = progressToken === undefined ? params : { ...params, _meta: { ...metaOf(params), progressToken: id } };
      this.send({ jsonrpc: '2.0', id, method, params: sent });
    });
  }

  /** Connects a request to its caller; false when the caller has cancelled. */
  follow(pending: Pending, context: ReadContext, resolve: (result: Fields) => void, reject: (cause: unknown) => void): boolean {
    const { cancellation } = context instanceof Context ? context : adopt(context).context;
    if (cancellation.aborted) {
      reject(cancellation.reason);
      return false;
    }
    const cancel = () => {
      this.#listener.cancelled(pending);
      this.cancel(pending, passedReason(cancellation, 'The host cancelled the request.'));
      reject(cancellation.reason);
    };
    cancellation.listen(cancel);
    pending.settle = (outcome) => {
      cancellation.forget(cancel);
      if ('error' in outcome) return reject(outcome.error);
      const { result } = outcome;
      if (context.admit === undefined || weightOf(result, SMALL_RESULT) <= SMALL_RESULT) return resolve(result);
      // It waits until there is memory to pass it on.
      admitted(context, weightOf(result, Number.POSITIVE_INFINITY)).then(() => resolve(result), reject);
    };
    return true;
  }

  /** Sends a cancellation. */
  cancel({ id, method }: Pending, reason: { readonly reason?: unknown }): void {
    this.#pending.delete(id);
    if (method !== 'initialize') this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, ...reason } });
  }

  /** Sends a message: now, or after a large one has been written, which takes several turns. */
  send(message: Fields): void {
    if (this.#writing === undefined && !isLargeJson(message)) this.#sendNow(message);
    else this.#sendInTurn(message);
  }

  #sendInTurn(message: Fields): void {
    const written = Promise.resolve(this.#writing)
      .then(() => (isLargeJson(message) ? prepareJson(message) : undefined))
      .then(
        () => this.#sendNow(message),
        (cause) => this.#unsent(message, cause),
      )
      .then(() => {
        if (this.#writing === written) this.#writing = undefined;
      });
    this.#writing = written;
  }

  #sendNow(message: Fields): void {
    if (this.#closed !== undefined) return;
    try {
      this.#transport.send(message);
    } catch (cause) {
      this.#unsent(message, cause);
    }
  }

  /** For what is too deeply nested for JSON. */
  #unsent(message: Fields, cause: unknown): void {
    this.#log.debug(`a message could not be sent: ${reasonOf(cause)}`);
    const pending = this.#pending.get(message['id']);
    this.#pending.delete(message['id']);
    pending?.settle({ error: new ServerError(-32603, 'The request cannot be serialised as JSON.', undefined) });
  }

  /** Whether all pending requests are of this host. */
  isAllOf(key: string): boolean {
    for (const { exchange } of this.#pending.values()) if (exchange !== undefined && exchange.host.key !== key) return false;
    return true;
  }

  /** The latest matching request. */
  latest(fits: (pending: Pending) => boolean): Pending | undefined {
    let latest: Pending | undefined;
    for (const pending of this.#pending.values()) if (fits(pending)) latest = pending;
    return latest;
  }

  async close(): Promise<void> {
    this.#end({ kind: 'disconnected', message: 'The connection was closed.' }, false);
    await this.#transport.close();
  }

  #receive(message: Fields): void {
    const { id, method } = message;
    if (typeof method === 'string') {
      const params = isFields(message['params']) ? message['params'] : undefined;
      if (id === undefined) this.#listener.notification(method, params);
      // A request with an invalid id cannot be answered.
      else if (typeof id === 'string' || Number.isSafeInteger(id)) this.#listener.request(id, method, params);
      return;
    }
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    if (pending.isUse) this.#usedAt = preciseNow();
    const { error, result } = message;
    if (isFields(error)) pending.settle({ error: errorOf(error) });
    else pending.settle({ result: isFields(result) ? result : {} });
  }

  #gone(failure: UpstreamFailure): ServerError {
    const { message, data } = this.#listener.explain(failure);
    return new Gone(CONNECTION_CLOSED, message, data);
  }

  #end(failure: UpstreamFailure, byItself: boolean): void {
    if (this.#closed !== undefined) return;
    this.#closed = failure;
    const error = this.#gone(failure);
    for (const pending of this.#pending.values()) pending.settle({ error });
    this.#pending.clear();
    this.#log.debug(`connection: ${failure.message}`);
    this.#listener.over(failure, byItself);
  }
}

const IGNORE = () => {};

/** Up to this size, as `weightOf` counts it, a result is passed on at once. */
const SMALL_RESULT = 256 * 1024;
/** Characters of an error's message, and bytes of its data. */
const LARGEST_ERROR = 64 * 1024;

async function admitted({ admit }: ReadContext, bytes: number): Promise<void> {
  await admit?.(bytes, true);
}

/** For requests that were pending when the connection ended. */
class Gone extends ServerError {}

export function isGone(cause: unknown): cause is ServerError {
  return cause instanceof Gone;
}

/** An error is kept and shown in more places than a result, so that it may be less. */
function errorOf({ code, message, data }: Fields): ServerError {
  const isSmall = weightOf(data, LARGEST_ERROR) <= LARGEST_ERROR;
  return new ServerError(codeOf(code), beginningOf(textOf(message)), isSmall ? data : undefined);
}

/** A message that is no text is written as JSON, as long as it is small. */
function textOf(message: unknown): string {
  return typeof message === 'string' || weightOf(message, LARGEST_ERROR) <= LARGEST_ERROR ? asText(message) : 'Unknown error';
}

/** A slice would keep the whole text in memory. */
function beginningOf(text: string): string {
  return text.length <= LARGEST_ERROR ? text : Buffer.from(text.slice(0, LARGEST_ERROR)).toString();
}

function codeOf(code: unknown): number {
  return typeof code === 'number' && Number.isInteger(code) ? code : -32603;
}

/** The name or URI of a request. */
export function targetOf({ name, uri }: Fields): unknown {
  return name ?? uri;
}

/** A getter, which takes longer than the rest of a request's bookkeeping. */
const { timeOrigin } = performance;

/** As `Date.now()`, but finer, so that of two uses within a millisecond the later one is known. */
function preciseNow(): number {
  return timeOrigin + performance.now();
}
