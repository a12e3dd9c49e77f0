/** A connection to an upstream: translates requests and results between the protocol eras, and routes what the server sends. */
import type { ProtocolEra } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';
import type { Log } from '../../log.js';
import { Cancellation, CancelledBySender, Context } from '../context.js';
import { type Exchange, type Handshake, type HostPeer, isExchange } from '../forwarding.js';
import type { ReadContext } from '../resource.js';
import { type Channel, METHOD_NOT_FOUND, ServerError } from '../server/channel.js';
import {
  asLegacyResult,
  asModernError,
  asModernResult,
  canBeAsked,
  type Envelope,
  logLevelOf,
  metaOf,
  toLegacy,
  toModern,
  withoutSubscription,
} from './eras.js';
import type { UpstreamFailure } from './failure.js';
import { JsonRpc, type Loss, type Pending } from './json-rpc.js';
import { askAll, isInterruptible, Suspensions, urlsRequired } from './suspensions.js';
import type { UpstreamTransport } from './transports/transport.js';

/** Notifications that belong to no request. */
export interface ConnectionEvents {
  listChanged(kind: 'tools' | 'prompts' | 'resources'): void;
  updated(params: Fields): void;
  /** The connection ended, and not by `close`. */
  closed(failure: UpstreamFailure): void;
  /** Hosts that receive broadcast notifications. */
  hosts(): Iterable<HostPeer>;
}

const LIST_CHANGED = {
  'notifications/tools/list_changed': 'tools',
  'notifications/prompts/list_changed': 'prompts',
  'notifications/resources/list_changed': 'resources',
} as const;

/** Notifications that the modern era no longer has. */
const OF_LEGACY: ReadonlySet<string> = new Set(['notifications/elicitation/complete', 'notifications/tasks/status']);

/** How often a server may request input during one request. */
const MOST_ROUNDS = 16;

export class UpstreamConnection implements Channel {
  handshake: Handshake = { serverInfo: {}, capabilities: {}, instructions: undefined, result: {} };
  era: ProtocolEra = 'legacy';
  readonly #transport: UpstreamTransport;
  readonly #rpc: JsonRpc;
  readonly #events: ConnectionEvents;
  readonly #identity: Envelope;
  readonly #explain: (failure: UpstreamFailure) => Loss;
  /** The only host of this connection; absent where several share it. */
  readonly #host: HostPeer | undefined;
  readonly #suspensions: Suspensions;
  /** Requests of the server that a host is answering. */
  readonly #questions = new Map<unknown, Cancellation>();
  #isReady = false;
  /** The level that a modern host last set on a legacy server. */
  #logLevel: string | undefined;

  constructor(
    transport: UpstreamTransport,
    options: {
      host: HostPeer | undefined;
      identity: Envelope;
      events: ConnectionEvents;
      explain: (failure: UpstreamFailure) => Loss;
      log: Log;
    },
  ) {
    this.#transport = transport;
    this.#host = options.host;
    this.#identity = options.identity;
    this.#events = options.events;
    this.#explain = options.explain;
    this.#rpc = new JsonRpc(
      transport,
      {
        notification: (method, params) => this.#onNotification(method, params),
        request: (id, method, params) => this.#onRequest(id, method, params),
        cancelled: (pending) => this.#suspensions.drop(pending),
        over: (failure, byItself) => this.#over(failure, byItself),
        explain: (failure) => (this.#isReady ? this.#explain(failure) : { message: failure.message, data: { kind: failure.kind } }),
      },
      options.log,
    );
    this.#suspensions = new Suspensions(
      (message) => this.#rpc.send(message),
      (pending) => this.#rpc.cancel(pending, { reason: 'The host did not answer in time.' }),
    );
  }

  /** Starts the transport. */
  start(): Promise<void> {
    return this.#rpc.start();
  }

  /** Whether requests are pending, in either direction. */
  get isBusy(): boolean {
    return this.#rpc.isBusy || this.#questions.size > 0;
  }

  /** When a request was sent or answered last. */
  get usedAt(): number {
    return this.#rpc.usedAt;
  }

  get isClosed(): boolean {
    return this.#rpc.closed !== undefined;
  }

  /** Why the connection ended. */
  get closeReason(): UpstreamFailure | undefined {
    return this.#rpc.closed;
  }

  agreed(era: ProtocolEra, protocolVersion: string, handshake: Handshake): void {
    this.#isReady = true;
    this.era = era;
    this.handshake = handshake;
    this.#transport.agreed?.(protocolVersion);
  }

  notify(method: string, params: Fields | undefined): void {
    this.#rpc.send({ jsonrpc: '2.0', method, params });
  }

  /** Sends a request in the server's era and returns the result in the host's. */
  request(method: string, params: Fields, context: ReadContext): Promise<Fields> {
    const exchange = isExchange(context.request) ? context.request : undefined;
    const hostEra = exchange?.host.era ?? this.era;
    if (this.era === 'modern') return this.#requestModern(method, params, context, exchange, hostEra);
    if (hostEra === 'modern') return this.#requestForModern(method, params, context, exchange);
    return this.#rpc.request(method, params, context, exchange);
  }

  /** To a modern server. */
  async #requestModern(
    method: string,
    params: Fields,
    context: ReadContext,
    exchange: Exchange | undefined,
    hostEra: ProtocolEra,
  ): Promise<Fields> {
    const asked = toModern(params, this.#envelopeOf(exchange));
    const result = await this.#rpc.request(method, asked, context, exchange);
    if (hostEra === 'modern') return result;
    return asLegacyResult(await this.#fulfil(method, asked, result, context, exchange));
  }

  /** Sends a request unchanged, without a host. */
  sendRequest(method: string, params: Fields, context: ReadContext): Promise<Fields> {
    return this.#rpc.request(method, params, context, undefined);
  }

  /** Sets the level for legacy hosts; in the modern era each request carries it. */
  setLogLevel(level: string, context: ReadContext): Promise<Fields> {
    return this.era === 'legacy' ? this.#rpc.request('logging/setLevel', { level }, context, undefined) : Promise.resolve({});
  }

  /** Subscribes to changes of a modern server; resolves when the subscription ends. */
  listen(filter: Fields, context: ReadContext): Promise<Fields> {
    return this.#rpc.request('subscriptions/listen', toModern({ notifications: filter }, this.#identity), context, undefined);
  }

  close(): Promise<void> {
    return this.#rpc.close();
  }

  /** From a modern host to a legacy server. */
  async #requestForModern(method: string, params: Fields, context: ReadContext, exchange: Exchange | undefined): Promise<Fields> {
    const { inputResponses: _responses, requestState: _state, ...rest } = params;
    const resumed = this.#suspensions.resume(method, params, context.caller.id);
    if (resumed !== undefined) return asModernResult(method, await this.#await(resumed, context, exchange, params));
    const level = logLevelOf(params);
    if (level !== undefined && level !== this.#logLevel && this.handshake.capabilities['logging'] !== undefined) {
      this.#logLevel = level;
      this.#rpc
        .request('logging/setLevel', { level }, new Context({ caller: context.caller }, new Cancellation()), undefined)
        .catch(() => {});
    }
    const asked = toLegacy(Object.hasOwn(params, 'requestState') || Object.hasOwn(params, 'inputResponses') ? rest : params);
    try {
      return asModernResult(method, await this.#rpc.request(method, asked, context, exchange, level !== undefined));
    } catch (cause) {
      return urlsRequired(cause) ?? Promise.reject(asModernError(method, cause));
    }
  }

  /** Resumes a call whose host has returned with input. */
  #await(pending: Pending, context: ReadContext, exchange: Exchange | undefined, params: Fields): Promise<Fields> {
    return new Promise((resolve, reject) => {
      pending.exchange = exchange;
      pending.progressToken = metaOf(params)?.['progressToken'];
      if (this.#rpc.follow(pending, context, resolve, reject)) this.#suspensions.proceed(pending);
    });
  }

  /** From a legacy host to a modern server: asks the host for the required input, and repeats the request with it. */
  async #fulfil(method: string, params: Fields, first: Fields, context: ReadContext, exchange: Exchange | undefined): Promise<Fields> {
    let result = first;
    for (let round = 0; result['resultType'] === 'input_required'; round++) {
      if (round === MOST_ROUNDS) throw new ServerError(-32603, `The server requested input more than ${MOST_ROUNDS} times.`, undefined);
      const { inputRequests, requestState } = result;
      const inputResponses = isFields(inputRequests) ? await askAll(inputRequests, exchange, context) : {};
      const again = {
        ...params,
        ...(Object.keys(inputResponses).length === 0 ? {} : { inputResponses }),
        ...(requestState === undefined ? {} : { requestState }),
      };
      result = await this.#rpc.request(method, again, context, exchange);
    }
    return result;
  }

  #envelopeOf(exchange: Exchange | undefined): Envelope {
    if (exchange === undefined) return this.#identity;
    const { clientInfo, capabilities } = exchange.host;
    return { clientInfo, capabilities, logLevel: exchange.logLevel };
  }

  #onNotification(method: string, given: Fields | undefined): void {
    const params = given ?? {};
    switch (method) {
      case 'notifications/progress': {
        const pending = this.#rpc.get(params['progressToken']);
        pending?.exchange?.notify(method, { ...params, progressToken: pending.progressToken });
        return;
      }
      case 'notifications/message':
        this.#onLog(method, params);
        return;
      case 'notifications/cancelled':
        this.#questions.get(params['requestId'])?.abort(new CancelledBySender(params['reason']));
        this.#suspensions.withdraw(params['requestId']);
        return;
      case 'notifications/resources/updated':
        this.#events.updated(withoutSubscription(params));
        return;
      case 'notifications/tools/list_changed':
      case 'notifications/prompts/list_changed':
      case 'notifications/resources/list_changed':
        this.#events.listChanged(LIST_CHANGED[method]);
        return;
      case 'notifications/subscriptions/acknowledged':
        return;
      default:
        this.#pass(method, given);
    }
  }

  /** Forwards an unknown notification; to a modern host as part of its latest request. */
  #pass(method: string, params: Fields | undefined): void {
    for (const host of this.#listeners()) {
      if (host.era === 'legacy') host.notify(method, params);
      else if (this.#host !== undefined && !OF_LEGACY.has(method))
        (this.#rpc.latest(({ exchange }) => exchange !== undefined)?.exchange ?? host).notify(method, params);
    }
  }

  /** Attributes a log message to the latest request that wants logs. */
  #onLog(method: string, params: Fields): void {
    const pending = this.#rpc.latest(({ exchange, logs }) => exchange !== undefined && logs);
    if (pending?.exchange !== undefined && this.#rpc.isAllOf(pending.exchange.host.key)) {
      pending.exchange.notify(method, params);
      return;
    }
    // A modern host only receives the logs that its requests ask for.
    for (const host of this.#listeners()) if (host.era === 'legacy') host.notify(method, params);
  }

  /** With several hosts there are none: a notification may be about another host's data. */
  #listeners(): readonly HostPeer[] {
    if (this.#host !== undefined) return [this.#host];
    const hosts = [...this.#events.hosts()];
    return new Set(hosts.map(({ key }) => key)).size > 1 ? [] : hosts;
  }

  /** Passes a request of the server to the host it is working for. */
  #onRequest(id: unknown, method: string, params: Fields | undefined): void {
    const pending = this.#host === undefined ? undefined : this.#latestAskable();
    const host = pending?.exchange?.host ?? this.#host;
    if (method === 'ping') this.#rpc.send({ jsonrpc: '2.0', id, result: {} });
    else if (host === undefined)
      this.#refuse(id, METHOD_NOT_FOUND, 'Several hosts share this connection, so the server cannot send requests to a host.');
    else if (!canBeAsked(host.capabilities, method)) this.#refuse(id, METHOD_NOT_FOUND, `The host does not support ${method}.`);
    else if (host.era === 'legacy') void this.#askHost(id, method, params, pending?.exchange ?? host);
    else if (!this.#suspensions.suspend(pending, id, method, params))
      this.#refuse(id, METHOD_NOT_FOUND, `The host cannot answer ${method} at the moment.`);
  }

  /** The latest request during which the host can be asked, preferably one that is not suspended. */
  #latestAskable(): Pending | undefined {
    const fits = (each: Pending) => each.exchange !== undefined && (each.exchange.host.era === 'legacy' || isInterruptible(each));
    return this.#rpc.latest((each) => fits(each) && !this.#suspensions.isSuspended(each)) ?? this.#rpc.latest(fits);
  }

  async #askHost(id: unknown, method: string, params: Fields | undefined, host: Pick<HostPeer, 'request'>): Promise<void> {
    const cancellation = new Cancellation();
    this.#questions.set(id, cancellation);
    try {
      const progress = (told: Fields) => this.notify('notifications/progress', told);
      this.#rpc.send({ jsonrpc: '2.0', id, result: await host.request(method, params, { cancellation, progress }) });
    } catch (cause) {
      if (cause instanceof ServerError) this.#refuse(id, cause.code, cause.message, cause.data);
      else if (!cancellation.aborted) this.#refuse(id, -32603, 'The request could not be sent to the host.');
    } finally {
      this.#questions.delete(id);
    }
  }

  #refuse(id: unknown, code: number, message: string, data?: unknown): void {
    this.#rpc.send({ jsonrpc: '2.0', id, error: { code, message, data } });
  }

  #over(failure: UpstreamFailure, byItself: boolean): void {
    for (const question of this.#questions.values()) question.abort();
    this.#suspensions.close();
    if (byItself) this.#events.closed(failure);
  }
}
