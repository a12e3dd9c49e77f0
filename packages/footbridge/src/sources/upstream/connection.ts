/** One connection to a server that has greeted us: requests there, answers, questions and news back. */
import type { ProtocolEra } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';
import type { Log } from '../../log.js';
import { Cancellation, Context } from '../context.js';
import { type Exchange, type Handshake, type Host, isExchange } from '../forwarding.js';
import type { ReadContext } from '../resource.js';
import { type Channel, METHOD_NOT_FOUND, ServerError } from '../server/channel.js';
import {
  asLegacyResult,
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
import { askAll, visitsRequired } from './input-requests.js';
import { JsonRpc, type Loss, type Pending } from './json-rpc.js';
import { isInterruptible, Suspensions } from './suspensions.js';
import type { UpstreamTransport } from './transports/transport.js';

/** What the server says that belongs to no request. */
export interface ConnectionEvents {
  listChanged(kind: 'tools' | 'prompts' | 'resources'): void;
  updated(params: Fields): void;
  /** The connection ended by itself. */
  closed(failure: UpstreamFailure): void;
  /** Hosts that hear what is said to everybody. */
  hosts(): Iterable<Host>;
}

const LIST_CHANGED = {
  'notifications/tools/list_changed': 'tools',
  'notifications/prompts/list_changed': 'prompts',
  'notifications/resources/list_changed': 'resources',
} as const;

/** What the newer era has no longer. */
const OF_LEGACY: ReadonlySet<string> = new Set(['notifications/elicitation/complete', 'notifications/tasks/status']);

/** How often a host is asked in the course of one request. */
const MOST_ROUNDS = 16;

export class UpstreamConnection implements Channel {
  handshake: Handshake = { serverInfo: {}, capabilities: {}, instructions: undefined, result: {} };
  era: ProtocolEra = 'legacy';
  readonly #transport: UpstreamTransport;
  readonly #rpc: JsonRpc;
  readonly #events: ConnectionEvents;
  readonly #identity: Envelope;
  readonly #explain: (failure: UpstreamFailure) => Loss;
  /** The one host that this connection is for; absent where many share it. */
  readonly #host: Host | undefined;
  readonly #suspensions: Suspensions;
  /** Questions of the server's that a host is thinking about. */
  readonly #questions = new Map<unknown, Cancellation>();
  #greeted = false;
  /** What a newer host last asked an older server to log. */
  #logLevel: string | undefined;

  constructor(
    transport: UpstreamTransport,
    options: {
      host: Host | undefined;
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
        hear: (method, params) => this.#hear(method, params),
        beAsked: (id, method, params) => this.#beAsked(id, method, params),
        dropped: (pending) => this.#suspensions.drop(pending),
        over: (failure, byItself) => this.#over(failure, byItself),
        explain: (failure) => (this.#greeted ? this.#explain(failure) : { message: failure.message, data: { kind: failure.kind } }),
      },
      options.log,
    );
    this.#suspensions = new Suspensions(
      (message) => this.#rpc.send(message),
      (pending) => this.#rpc.callOff(pending, 'The host did not answer in time.'),
    );
  }

  /** Begins to listen; what is said from now on is heard. */
  start(): Promise<void> {
    return this.#rpc.start();
  }

  /** Whether somebody waits for something, or is waited for. */
  get isBusy(): boolean {
    return this.#rpc.isBusy;
  }

  get isClosed(): boolean {
    return this.#rpc.closed !== undefined;
  }

  /** Why the connection is over, once it is. */
  get whyClosed(): UpstreamFailure | undefined {
    return this.#rpc.closed;
  }

  agreed(era: ProtocolEra, protocolVersion: string, handshake: Handshake): void {
    this.#greeted = true;
    this.era = era;
    this.handshake = handshake;
    this.#transport.agreed?.(protocolVersion);
  }

  notify(method: string, params: Fields | undefined): void {
    this.#rpc.send({ jsonrpc: '2.0', method, params });
  }

  /** Carries a request over in the server's era, and its result back in the host's. */
  request(method: string, params: Fields, context: ReadContext): Promise<Fields> {
    const exchange = isExchange(context.request) ? context.request : undefined;
    const hostEra = exchange?.host.era ?? this.era;
    if (this.era === 'modern') return this.#askModern(method, params, context, exchange, hostEra);
    if (hostEra === 'modern') return this.#askForModern(method, params, context, exchange);
    return this.#rpc.ask(method, params, context, exchange);
  }

  /** A newer server. */
  async #askModern(
    method: string,
    params: Fields,
    context: ReadContext,
    exchange: Exchange | undefined,
    hostEra: ProtocolEra,
  ): Promise<Fields> {
    const asked = toModern(params, this.#envelopeOf(exchange));
    const result = await this.#rpc.ask(method, asked, context, exchange);
    if (hostEra === 'modern') return result;
    return asLegacyResult(await this.#fulfil(method, asked, result, context, exchange));
  }

  /** Sends a request as it is, in nobody's name. */
  ask(method: string, params: Fields, context: ReadContext): Promise<Fields> {
    return this.#rpc.ask(method, params, context, undefined);
  }

  /** Has the server log what hosts of the older era want; in the newer each request says it. */
  setLogLevel(level: string, context: ReadContext): Promise<Fields> {
    return this.era === 'legacy' ? this.#rpc.ask('logging/setLevel', { level }, context, undefined) : Promise.resolve({});
  }

  /** Has a newer server tell of changes; resolves when it stops. */
  listen(filter: Fields, context: ReadContext): Promise<Fields> {
    return this.#rpc.ask('subscriptions/listen', toModern({ notifications: filter }, this.#identity), context, undefined);
  }

  close(): Promise<void> {
    return this.#rpc.close();
  }

  /** A newer host and an older server. */
  async #askForModern(method: string, params: Fields, context: ReadContext, exchange: Exchange | undefined): Promise<Fields> {
    const { inputResponses: _responses, requestState: _state, ...rest } = params;
    const resumed = this.#suspensions.resume(method, params, context.caller.id);
    if (resumed !== undefined) return asModernResult(method, await this.#await(resumed, context, exchange, params));
    const level = logLevelOf(params);
    if (level !== undefined && level !== this.#logLevel && this.handshake.capabilities['logging'] !== undefined) {
      this.#logLevel = level;
      this.#rpc.ask('logging/setLevel', { level }, new Context({ caller: context.caller }, new Cancellation()), undefined).catch(() => {});
    }
    const asked = toLegacy(Object.hasOwn(params, 'requestState') || Object.hasOwn(params, 'inputResponses') ? rest : params);
    try {
      return asModernResult(method, await this.#rpc.ask(method, asked, context, exchange, level !== undefined));
    } catch (cause) {
      return visitsRequired(cause) ?? Promise.reject(cause);
    }
  }

  /** Waits again for a call whose host has come back with an answer. */
  #await(pending: Pending, context: ReadContext, exchange: Exchange | undefined, params: Fields): Promise<Fields> {
    return new Promise((resolve, reject) => {
      pending.exchange = exchange;
      pending.progressToken = metaOf(params)?.['progressToken'];
      if (this.#rpc.follow(pending, context, resolve, reject)) this.#suspensions.proceed(pending);
    });
  }

  /** An older host and a newer server: what the server needs is asked for, and the request made again with it. */
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
      result = await this.#rpc.ask(method, again, context, exchange);
    }
    return result;
  }

  #envelopeOf(exchange: Exchange | undefined): Envelope {
    if (exchange === undefined) return this.#identity;
    const { clientInfo, capabilities } = exchange.host;
    return { clientInfo, capabilities, logLevel: exchange.logLevel };
  }

  #hear(method: string, given: Fields | undefined): void {
    const params = given ?? {};
    switch (method) {
      case 'notifications/progress': {
        const pending = this.#rpc.get(params['progressToken']);
        pending?.exchange?.tell(method, { ...params, progressToken: pending.progressToken });
        return;
      }
      case 'notifications/message':
        this.#hearLog(method, params);
        return;
      case 'notifications/cancelled':
        this.#questions.get(params['requestId'])?.abort();
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

  /** What nobody here knows is passed as it is; to a newer host in the course of what it waits for, where it does. */
  #pass(method: string, params: Fields | undefined): void {
    for (const host of this.#listeners()) {
      if (host.era === 'legacy') host.tell(method, params);
      else if (this.#host !== undefined && !OF_LEGACY.has(method))
        (this.#rpc.latest(({ exchange }) => exchange !== undefined)?.exchange ?? host).tell(method, params);
    }
  }

  /** Belongs to what the server works at, as far as one can know. */
  #hearLog(method: string, params: Fields): void {
    const pending = this.#rpc.latest(({ exchange, logs }) => exchange !== undefined && logs);
    if (pending?.exchange !== undefined && this.#rpc.isAllOf(pending.exchange.host.key)) {
      pending.exchange.tell(method, params);
      return;
    }
    // A newer host hears only what its requests ask for.
    for (const host of this.#listeners()) if (host.era === 'legacy') host.tell(method, params);
  }

  /** Of several hosts none is to hear what a server may say of another. */
  #listeners(): readonly Host[] {
    if (this.#host !== undefined) return [this.#host];
    const hosts = [...this.#events.hosts()];
    return new Set(hosts.map(({ key }) => key)).size > 1 ? [] : hosts;
  }

  /** A question of the server's goes to the host that it is working for. */
  #beAsked(id: unknown, method: string, params: Fields | undefined): void {
    const pending = this.#host === undefined ? undefined : this.#askable();
    const host = pending?.exchange?.host ?? this.#host;
    if (method === 'ping') this.#rpc.send({ jsonrpc: '2.0', id, result: {} });
    else if (host === undefined)
      this.#refuse(id, METHOD_NOT_FOUND, 'Several hosts share this connection, so the server cannot send requests to a host.');
    else if (!canBeAsked(host.capabilities, method)) this.#refuse(id, METHOD_NOT_FOUND, `The host does not support ${method}.`);
    else if (host.era === 'legacy') void this.#askHost(id, method, params, pending?.exchange ?? host);
    else if (!this.#suspensions.suspend(pending, id, method, params))
      this.#refuse(id, METHOD_NOT_FOUND, `The host cannot answer ${method} at the moment.`);
  }

  /** The request in the course of which a host can be asked, if possible one that somebody waits for. */
  #askable(): Pending | undefined {
    const fits = (each: Pending) => each.exchange !== undefined && (each.exchange.host.era === 'legacy' || isInterruptible(each));
    return this.#rpc.latest((each) => fits(each) && !this.#suspensions.isSuspended(each)) ?? this.#rpc.latest(fits);
  }

  async #askHost(id: unknown, method: string, params: Fields | undefined, host: Pick<Host, 'ask'>): Promise<void> {
    const cancellation = new Cancellation();
    this.#questions.set(id, cancellation);
    try {
      const progress = (told: Fields) => this.notify('notifications/progress', told);
      this.#rpc.send({ jsonrpc: '2.0', id, result: await host.ask(method, params, { cancellation, progress }) });
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
