/**
 * Stands between a host and our own server where there are servers behind us: what is theirs is carried to them and back as
 * it is, lists are put together, and all else goes to our server.
 */
import { randomUUID } from 'node:crypto';
import {
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type MessageExtraInfo,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import type { Catalog } from '../../catalog/catalog.js';
import { reasonOf } from '../../errors.js';
import type { Fields } from '../../json.js';
import type { Log } from '../../log.js';
import { Cancellation, Context } from '../../sources/context.js';
import type { Upstream } from '../../sources/forwarding.js';
import { type Caller, InputRequired } from '../../sources/resource.js';
import { ServerError } from '../../sources/server/channel.js';
import { CONNECTION_CLOSED } from '../../sources/upstream/conversation.js';
import { asModernResult } from '../../sources/upstream/eras.js';
import type { Answers } from '../answers.js';
import type { Between, Wire } from '../intercept.js';
import { type Answer, isAnswer, isModern, isNotification, isRequest } from '../messages.js';
import { Apart } from './apart.js';
import { HostConnection } from './exchanges.js';
import { amendGreeting } from './greeting.js';
import { HostWatches } from './host-watches.js';
import { Questions } from './questions.js';

export interface GatewayOptions {
  readonly catalog: Catalog;
  readonly answers: Answers;
  callerOf(extra: MessageExtraInfo | undefined): Caller;
  /** What requests have in common that may share what a server keeps for one client. Default: this connection. */
  readonly hostKey?: string | undefined;
  /** The resources that the host watches. */
  readonly watched: ReadonlySet<string>;
  readonly mostWatched: number;
  readonly log: Log;
}

const INVALID_PARAMS = ProtocolErrorCode.InvalidParams;
const METHOD_NOT_FOUND = ProtocolErrorCode.MethodNotFound;

/** What our own server answers, or the SDK around it. */
const OWN: ReadonlySet<string> = new Set(['ping', 'skills/list', 'skills/get', 'resources/directory/read']);

/** What the newer era has no longer. */
const LEGACY: ReadonlySet<string> = new Set(['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

export class Gateway implements Between {
  readonly #wire: Wire;
  readonly #options: GatewayOptions;
  readonly #questions = new Questions();
  readonly #connection: HostConnection;
  /** Requests that are answered here. */
  readonly #running = new Map<RequestId, Cancellation>();
  /** Requests whose answer says who we are. */
  readonly #greetings = new Set<RequestId>();
  /** The servers that know of this host, and how they are told that it is gone. */
  readonly #attached = new Map<Upstream, () => void>();
  readonly #stopFollowing: () => void;
  readonly #watches: HostWatches;
  /** Requests that came by another way than the transport. */
  readonly #apart = new Map<RequestId, Apart>();

  constructor(wire: Wire, options: GatewayOptions) {
    this.#wire = wire;
    this.#options = options;
    this.#connection = new HostConnection(
      options.hostKey ?? randomUUID(),
      (message, given) => wire.toHost(message, given),
      this.#questions,
    );
    const { catalog, mostWatched, watched } = options;
    this.#watches = new HostWatches({ catalog, connection: this.#connection, mostWatched, watched });
    this.#stopFollowing = options.catalog.onChange(() => this.#attach());
  }

  fromHost(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    if (isRequest(message)) this.#request(message, extra);
    else if (isNotification(message)) this.#notification(message, extra);
    else if (!isAnswer(message) || !this.#questions.take(message.id, message)) this.#wire.toServer(message, extra);
  }

  async fromServer(message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void> {
    if (isAnswer(message) && this.#greetings.delete(message.id) && 'result' in message) {
      const { upstreams } = this;
      const greetings = await Promise.all(
        upstreams.map((upstream) => (upstreams.length === 1 || upstream.isListed ? upstream.handshake() : undefined)),
      );
      const result = amendGreeting(message.result, upstreams, greetings, this.#options.catalog.hasOwnContent);
      await this.#wire.toHost({ ...message, result }, options);
      return;
    }
    await this.#wire.toHost(message, options);
  }

  close(): void {
    this.#stopFollowing();
    for (const cancellation of this.#running.values()) cancellation.abort();
    this.#running.clear();
    this.#apart.clear();
    this.#questions.close();
    this.#watches.close();
    for (const detach of this.#attached.values()) detach();
    this.#attached.clear();
  }

  get upstreams(): readonly Upstream[] {
    return this.#options.catalog.snapshot.upstreams;
  }

  /** Answers a request that did not come by the transport, which may take it over later. */
  apart(request: JSONRPCRequest, extra: MessageExtraInfo | undefined, cancellation: Cancellation): Apart {
    const apart = new Apart((message, options) => this.#wire.toHost(message, options));
    const context = this.#contextOf(request, extra, cancellation, this.#connection.exchangeOf(request, apart.send));
    this.#apart.set(request.id, apart);
    this.#running.set(request.id, cancellation);
    apart.answer = this.#resultOf(request, context)
      .then(
        (result): Answer => ({ jsonrpc: '2.0', id: request.id, result }),
        (cause: unknown) => this.#failure(request.id, cause),
      )
      .finally(() => {
        if (this.#apart.get(request.id) === apart && !apart.isHandedOver) this.#apart.delete(request.id);
        if (this.#running.get(request.id) === cancellation) this.#running.delete(request.id);
      });
    return apart;
  }

  /** Has the transport go on with a request, which it is given once more. */
  handOver(id: RequestId, apart: Apart): void {
    apart.handOver();
    this.#apart.set(id, apart);
  }

  /** Whether a request is being answered apart. */
  isApart(id: RequestId): boolean {
    return this.#apart.has(id);
  }

  #request(request: JSONRPCRequest, extra: MessageExtraInfo | undefined): void {
    const { method } = request;
    const apart = this.#apart.get(request.id);
    if (apart?.isHandedOver === true) {
      this.#apart.delete(request.id);
      apart.takeOver();
      return;
    }
    if (method === 'initialize' || method === 'server/discover') {
      if (method === 'initialize') this.#connection.greet(request);
      else this.#connection.hostOf(request);
      this.#attach();
      this.#greetings.add(request.id);
      this.#wire.toServer(request, extra);
    } else if (method === 'subscriptions/listen') {
      this.#watches.listen(request, this.#options.callerOf(extra));
      this.#wire.toServer(request, extra);
    } else if (OWN.has(method) || this.upstreams.length === 0 || (LEGACY.has(method) && isModern(request)))
      this.#wire.toServer(request, extra);
    else if (method === 'resources/subscribe' || method === 'resources/unsubscribe') void this.#watch(request, extra);
    else void this.#answer(request, extra);
  }

  #notification(message: JSONRPCNotification, extra: MessageExtraInfo | undefined): void {
    const { method } = message;
    const params: Fields = message.params ?? {};
    const { host } = this.#connection;
    if (method === 'notifications/cancelled') {
      const id = idOf(params['requestId']);
      this.#watches.end(id);
      const running = this.#running.get(id);
      if (running === undefined) this.#wire.toServer(message, extra);
      else running.abort();
    } else if (method === 'notifications/progress') this.#questions.progress(params);
    else if (method === 'notifications/initialized' || host === undefined) {
      this.#wire.toServer(message, extra);
      this.#connection.begin();
    } else {
      for (const upstream of this.upstreams) upstream.notify(method, message.params, host);
    }
  }

  /** Never rejects: whatever happens is an answer, or nothing where the request was cancelled over a connection that all share. */
  async #answer(request: JSONRPCRequest, extra: MessageExtraInfo | undefined): Promise<void> {
    const { id } = request;
    const cancellation = new Cancellation();
    this.#running.set(id, cancellation);
    let answer: Answer;
    try {
      const context = this.#contextOf(request, extra, cancellation);
      answer = { jsonrpc: '2.0', id, result: await this.#resultOf(request, context) };
    } catch (cause) {
      answer = this.#failure(id, cause);
    }
    if (this.#running.get(id) === cancellation) this.#running.delete(id);
    // Over HTTP each request has a stream, which ends with its answer.
    if (!cancellation.aborted || extra?.request !== undefined)
      this.#wire.toHost(answer).catch((cause: unknown) => this.#options.log.debug(`gateway: ${reasonOf(cause)}`));
  }

  #contextOf(
    request: JSONRPCRequest,
    extra: MessageExtraInfo | undefined,
    cancellation: Cancellation,
    exchange = this.#connection.exchangeOf(request),
  ): Context {
    // Whoever asks for something is ready to be asked.
    this.#connection.begin();
    if (this.#attached.size === 0) this.#attach();
    const route = request.method === 'tools/call' ? 'tool' : 'resource';
    const alone = Object.keys(exchange.input).length > 0;
    return new Context({ caller: this.#options.callerOf(extra), authInfo: extra?.authInfo, route, alone, request: exchange }, cancellation);
  }

  async #resultOf(request: JSONRPCRequest, context: Context): Promise<Fields> {
    const result = await this.#find(request, context);
    // What is ours says nothing of eras.
    return isModern(request) ? asModernResult(request.method, result) : result;
  }

  #find(request: JSONRPCRequest, context: Context): Promise<Fields> {
    const { answers } = this.#options;
    const { method } = request;
    const params: Fields = request.params ?? {};
    switch (method) {
      case 'tools/call':
        return answers.callTool(params, context);
      case 'resources/read':
        return answers.readResource(params, context, isModern(request));
      case 'prompts/get':
        return answers.getPrompt(params, context);
      case 'completion/complete':
        return answers.complete(params, context);
      case 'tools/list':
      case 'prompts/list':
      case 'resources/list':
      case 'resources/templates/list':
        return answers.list(method, params, context);
      case 'logging/setLevel':
        return this.#setLevel(params, context);
      default:
        return this.#carry(method, params, context);
    }
  }

  async #setLevel(params: Fields, context: Context): Promise<Fields> {
    const { upstreams } = this;
    const { level } = params;
    const [only] = upstreams;
    if (upstreams.length === 1 && only !== undefined) {
      const result = await only.forward('logging/setLevel', params, context);
      if (typeof level === 'string') this.#connection.logLevel = level;
      return result;
    }
    if (typeof level !== 'string') throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'logging/setLevel needs a level.');
    this.#connection.logLevel = level;
    const logging = await Promise.all(
      upstreams
        .filter(({ isListed }) => isListed)
        .map(async (upstream) => ((await upstream.handshake())?.capabilities['logging'] === undefined ? [] : [upstream])),
    );
    await Promise.all(logging.flat().map((upstream) => upstream.forward('logging/setLevel', params, context).catch(() => {})));
    return {};
  }

  /** What nobody here knows goes to the server that does: those that cannot be reached or do not know it are passed over. */
  async #carry(method: string, params: Fields, context: Context): Promise<Fields> {
    const passedOver: readonly number[] = [METHOD_NOT_FOUND, CONNECTION_CLOSED, ...(method.startsWith('tasks/') ? [INVALID_PARAMS] : [])];
    let said: unknown = new ProtocolError(METHOD_NOT_FOUND, 'Method not found');
    for (const [index, upstream] of this.upstreams.entries()) {
      try {
        return await upstream.forward(method, params, context);
      } catch (cause) {
        if (!(cause instanceof ServerError) || !passedOver.includes(cause.code)) throw cause;
        if (index === 0 || cause.code !== METHOD_NOT_FOUND) said = cause;
      }
    }
    throw said;
  }

  /** The server tells us of changes first; our own server then tells the host. */
  async #watch(request: JSONRPCRequest, extra: MessageExtraInfo | undefined): Promise<void> {
    try {
      await this.#watches.pass(request, this.#contextOf(request, extra, new Cancellation()));
      this.#wire.toServer(request, extra);
    } catch (cause) {
      await this.#wire.toHost(this.#failure(request.id, cause)).catch(() => {});
    }
  }

  #failure(id: RequestId, cause: unknown): Answer {
    if (cause instanceof InputRequired) return { jsonrpc: '2.0', id, result: { ...cause.result } };
    if (cause instanceof ServerError || cause instanceof ProtocolError) {
      const { code, message, data } = cause;
      return { jsonrpc: '2.0', id, error: { code, message, data } };
    }
    if (cause instanceof DOMException)
      return { jsonrpc: '2.0', id, error: { code: CONNECTION_CLOSED, message: 'The request was cancelled.' } };
    this.#options.log.error(`gateway: ${reasonOf(cause)}`);
    return { jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InternalError, message: 'Internal error' } };
  }

  /** Tells each server of the host, also those that come later. */
  #attach(): void {
    const { host } = this.#connection;
    if (host === undefined) return;
    const upstreams = new Set(this.upstreams);
    for (const [upstream, detach] of this.#attached) {
      if (upstreams.has(upstream)) continue;
      detach();
      this.#attached.delete(upstream);
    }
    for (const upstream of upstreams) if (!this.#attached.has(upstream)) this.#attached.set(upstream, upstream.attach(host));
    this.#watches.passAgain(this.#options.callerOf(undefined));
  }
}

function idOf(value: unknown): RequestId {
  return typeof value === 'string' || typeof value === 'number' ? value : '';
}
