/**
 * Our tools in an author's server: every message passes between host and server unchanged, except that our tools are added to
 * the server's list and their calls are answered here, with requests to the server on behalf of the caller.
 */
import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  type MessageExtraInfo,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import { Cancellation, type Context } from '../../sources/context.js';
import { InputRequired } from '../../sources/resource.js';
import { isOwnTool } from '../../surfaces/tools/index.js';
import type { InterceptedTransport, Interceptor } from '../intercept.js';
import { type Answer, hasEnvelope, isAnswer, isNotification, isRequest } from '../messages.js';
import { amendCapabilities, amendTools } from './amend.js';
import { type CallerCatalog, CallerCatalogs, type RelayOptions } from './caller-catalogs.js';
import { ServerRequests } from './server-requests.js';

/** Returns the answer that goes to the host instead; not as a promise where possible, so that answers keep their order. */
type Amendment = (answer: Answer) => Answer | Promise<Answer>;

const DONE = Promise.resolve();

export class Relay implements Interceptor {
  readonly #transport: InterceptedTransport;
  readonly #options: RelayOptions;
  readonly #requests: ServerRequests;
  readonly #callers: CallerCatalogs;
  /** Calls of our tools that are not answered yet. */
  readonly #calls = new Map<RequestId, Cancellation>();
  /** Requests whose answers are changed on their way to the host. */
  readonly #amendments = new Map<RequestId, Amendment>();
  /** Whether the server announced to the host that the list of tools may change. */
  #announces = false;

  constructor(transport: InterceptedTransport, options: RelayOptions) {
    this.#transport = transport;
    this.#options = options;
    this.#requests = new ServerRequests((message, extra) => transport.toServer(message, extra));
    this.#callers = new CallerCatalogs(this.#requests, options, () => this.#announceTools());
  }

  fromHost(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    if (isRequest(message)) {
      if (message.method === 'tools/call' && this.#callers.isOurs(message.params?.['name'])) {
        this.#call(message, extra);
        return;
      }
      const amendment = this.#amendmentOf(message, extra);
      if (amendment !== undefined) this.#amendments.set(message.id, amendment);
    } else if (isNotification(message) && message.method === 'notifications/cancelled') {
      const id = idOf(message.params?.['requestId']);
      // What is cancelled is not answered: nothing is left to amend.
      this.#amendments.delete(id);
      const call = this.#calls.get(id);
      if (call !== undefined) {
        call.abort();
        return;
      }
    }
    this.#transport.toServer(message, extra);
  }

  fromServer(message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void> {
    if (isAnswer(message)) {
      if (this.#requests.take(message.id, message)) return DONE;
      const amend = this.#amendments.get(message.id);
      if (amend === undefined) return this.#transport.toHost(message, options);
      this.#amendments.delete(message.id);
      const amended = this.#attempt(amend, message);
      return amended instanceof Promise
        ? amended.then((answer) => this.#transport.toHost(answer, options))
        : this.#transport.toHost(amended, options);
    }
    const sent = this.#transport.toHost(message, this.#requests.related(options));
    if (isNotification(message) && message.method === 'notifications/tools/list_changed') this.#callers.forgetTools();
    if (isNotification(message) && message.method === 'notifications/resources/list_changed') this.#announceTools();
    return sent;
  }

  close(): void {
    for (const call of this.#calls.values()) call.abort();
    this.#calls.clear();
    this.#amendments.clear();
    this.#requests.close();
    this.#callers.close();
  }

  #amendmentOf(request: JSONRPCRequest, extra: MessageExtraInfo | undefined): Amendment | undefined {
    switch (request.method) {
      case 'initialize':
      case 'server/discover':
        return (answer) => {
          const { amended, announces } = amendCapabilities(request.method, answer, this.#options.sources.length > 0);
          this.#announces = announces;
          return amended;
        };
      case 'tools/list':
        return (answer) => {
          const context = this.#contextOf(request, extra, new Cancellation());
          const caller = this.#callers.enter(context);
          return amendTools(request, answer, caller, context).finally(() => this.#callers.leave(caller));
        };
      case 'resources/read': {
        const begin = performance.now();
        return (answer) => {
          const context = this.#contextOf(request, extra, new Cancellation());
          this.#callers.observe(context, String(request.params?.['uri']), performance.now() - begin, answer);
          return answer;
        };
      }
      default:
        return undefined;
    }
  }

  /** When our additions fail, the server's own answer goes to the host. */
  #attempt(amend: Amendment, answer: Answer): Answer | Promise<Answer> {
    const giveUp = (cause: unknown) => {
      this.#options.log.warn(`Footbridge's tools are missing from an answer: ${cause instanceof Error ? cause.message : String(cause)}`);
      return answer;
    };
    try {
      const amended = amend(answer);
      return amended instanceof Promise ? amended.catch(giveUp) : amended;
    } catch (cause) {
      return giveUp(cause);
    }
  }

  /** Never rejects: a failure is an answer, and a cancelled call has none. */
  async #call(request: JSONRPCRequest, extra: MessageExtraInfo | undefined): Promise<void> {
    const cancellation = new Cancellation();
    this.#calls.set(request.id, cancellation);
    let answer: Answer | undefined;
    let caller: CallerCatalog | undefined;
    try {
      const context = this.#contextOf(request, extra, cancellation);
      caller = this.#callers.enter(context);
      const name = String(request.params?.['name']);
      const catalog = caller.opened ?? (await caller.catalog);
      const choice = caller.choice(catalog);
      const taken = caller.names ?? (await caller.taken(context));
      // A tool of the server's own goes to the server.
      if ((!isOwnTool(name) || choice[name] !== false) && !taken.has(name)) {
        const result = await caller.methods(catalog).callTool(request.params, context);
        answer = { jsonrpc: '2.0', id: request.id, result: hasEnvelope(request) ? { ...result, resultType: 'complete' } : result };
      }
    } catch (cause) {
      answer = toAnswer(request.id, cause);
    }
    if (caller !== undefined) this.#callers.leave(caller);
    // A host that uses an id twice cancels the later one.
    if (this.#calls.get(request.id) === cancellation) this.#calls.delete(request.id);
    if (cancellation.aborted) return;
    if (answer === undefined) this.#transport.toServer(request, extra);
    else await this.#transport.toHost(answer).catch((cause: unknown) => this.#options.log.debug(`relay: ${String(cause)}`));
  }

  #contextOf(request: JSONRPCRequest, extra: MessageExtraInfo | undefined, cancellation: Cancellation): Context {
    return this.#callers.contextOf({ request, extra, progress: request.params?.['name'] === 'get_resource' }, cancellation);
  }

  #announceTools(): void {
    if (this.#announces) this.#transport.toHost({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }).catch(() => {});
  }
}

function toAnswer(id: RequestId, cause: unknown): Answer {
  if (cause instanceof InputRequired) return { jsonrpc: '2.0', id, result: { ...cause.result } };
  const { code, message } = cause instanceof ProtocolError ? cause : { code: ProtocolErrorCode.InternalError, message: 'Internal error' };
  return { jsonrpc: '2.0', id, error: { code, message } };
}

function idOf(value: unknown): RequestId {
  return typeof value === 'string' || typeof value === 'number' ? value : '';
}
