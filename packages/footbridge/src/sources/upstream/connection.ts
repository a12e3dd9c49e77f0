/** A connection to an upstream: translates requests and results between the protocol eras. */
import type { ProtocolEra } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';
import type { Log } from '../../log.js';
import { Cancellation, Context } from '../context.js';
import { type Exchange, type Handshake, type HostPeer, isExchange } from '../forwarding.js';
import type { InternalReadContext, ReadContext } from '../resource.js';
import { type Channel, ServerError } from '../server/channel.js';
import { asLegacyResult, asModernError, asModernResult, type Envelope, logLevelOf, metaOf, toLegacy, toModern } from './eras.js';
import type { UpstreamFailure } from './failure.js';
import { JsonRpc, type Loss, type Pending } from './json-rpc.js';
import { OpenQuestions } from './open-questions.js';
import { type ConnectionEvents, ServerMessages } from './server-messages.js';
import { askAll, Suspensions, urlsRequired } from './suspensions.js';
import type { UpstreamTransport } from './transports/transport.js';

/** How often a server may request input during one request. */
const MAX_ROUNDS = 16;

export class UpstreamConnection implements Channel {
  handshake: Handshake = { serverInfo: {}, capabilities: {}, instructions: undefined, result: {} };
  era: ProtocolEra = 'legacy';
  readonly #transport: UpstreamTransport;
  readonly #rpc: JsonRpc;
  readonly #events: ConnectionEvents;
  readonly #identity: Envelope;
  readonly #explain: (failure: UpstreamFailure) => Loss;
  readonly #suspensions: Suspensions;
  readonly #messages: ServerMessages;
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
    this.#identity = options.identity;
    this.#events = options.events;
    this.#explain = options.explain;
    this.#rpc = new JsonRpc(
      transport,
      {
        notification: (method, params) => this.#messages.notified(method, params),
        request: (id, method, params) => this.#messages.requested(id, method, params),
        cancelled: (pending) => this.#suspensions.drop(pending),
        over: (failure, byItself) => this.#over(failure, byItself),
        explain: (failure) => (this.#isReady ? this.#explain(failure) : { message: failure.message, data: { kind: failure.kind } }),
      },
      options.log,
    );
    const open = new OpenQuestions();
    this.#suspensions = new Suspensions(
      (message) => this.#rpc.send(message),
      (pending) => this.#rpc.cancel(pending, { reason: 'The host did not answer in time.' }),
      open,
    );
    this.#messages = new ServerMessages(this.#rpc, this.#suspensions, open, options.events, options.host);
  }

  /** Starts the transport. */
  start(): Promise<void> {
    return this.#rpc.start();
  }

  /** Whether requests are pending, in either direction. */
  get isBusy(): boolean {
    return this.#rpc.isBusy || this.#messages.isBusy;
  }

  /** When a request other than for its lists was sent or answered last. */
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

  /** For reading its lists, which is no use of the server. */
  readonly lists: Channel = { request: (method, params, context) => this.#request(method, params, context, false) };

  /** Sends a request in the server's era and returns the result in the host's. */
  request(method: string, params: Fields, context: InternalReadContext): Promise<Fields> {
    return this.#request(method, params, context, true);
  }

  #request(method: string, params: Fields, context: InternalReadContext, isUse: boolean): Promise<Fields> {
    const exchange = isExchange(context.request) ? context.request : undefined;
    const hostEra = exchange?.host.era ?? this.era;
    if (this.era === 'modern') return this.#requestModern(method, params, context, exchange, hostEra, isUse);
    if (hostEra === 'modern') return this.#requestForModern(method, params, context, exchange);
    return this.#rpc.request(method, params, context, exchange, undefined, isUse);
  }

  /** To a modern server. */
  async #requestModern(
    method: string,
    params: Fields,
    context: ReadContext,
    exchange: Exchange | undefined,
    hostEra: ProtocolEra,
    isUse: boolean,
  ): Promise<Fields> {
    const asked = toModern(params, this.#envelopeOf(exchange));
    const result = await this.#rpc.request(method, asked, context, exchange, undefined, isUse);
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
      if (round === MAX_ROUNDS) throw new ServerError(-32603, `The server requested input more than ${MAX_ROUNDS} times.`, undefined);
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

  #over(failure: UpstreamFailure, byItself: boolean): void {
    this.#messages.close();
    this.#suspensions.close();
    if (byItself) this.#events.closed(failure);
  }
}
