/**
 * Adds the built-in tools to an author's server. Messages between host and server pass unchanged, except that the tools are added to
 * the server's list and their calls are answered here, with requests to the server on behalf of the caller.
 */
import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  type MessageExtraInfo,
  ProtocolErrorCode,
  type RequestId,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import { asText, isFields } from '../../json.js';
import { type Cancellation, CancelledBySender } from '../../sources/context.js';
import type { HostViews } from '../../surfaces/hosts/view.js';
import { asModern, internalErrorAnswer } from '../dispatch/answers.js';
import type { InterceptedTransport, Interceptor } from '../intercept.js';
import { type Answer, cancelledId, isAnswer, isNotification, isRequest } from '../messages.js';
import { nameIn } from '../session/host-session.js';
import { type CallerCatalog, CallerCatalogs, namesOf, type RelayOptions } from './caller-catalogs.js';
import { RelayScope } from './scope.js';
import { ServerRequests } from './server-requests.js';

/** Returns the answer for the host; synchronously where possible, so that answers keep their order. */
type Amendment = (answer: Answer) => Answer | Promise<Answer>;

const DONE = Promise.resolve();

export class Relay implements Interceptor {
  readonly #transport: InterceptedTransport;
  readonly #options: RelayOptions;
  readonly #requests: ServerRequests;
  readonly #callers: CallerCatalogs;
  /** Running calls of built-in tools. */
  readonly #calls = new Map<RequestId, Cancellation>();
  /** By the request whose answer is changed. */
  readonly #amendments = new Map<RequestId, Amendment>();
  /** Whether the host expects notifications of changed tools. */
  #announces = false;
  /** `clientInfo.name` of `initialize`. */
  #clientName: string | undefined;

  constructor(transport: InterceptedTransport, options: RelayOptions, server: object) {
    this.#transport = transport;
    this.#options = options;
    this.#requests = new ServerRequests((message, extra) => transport.toServer(message, extra), server);
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
      const id = cancelledId(message.params) ?? '';
      // A cancelled request has no answer.
      this.#amendments.delete(id);
      const call = this.#calls.get(id);
      if (call !== undefined) {
        call.abort(new CancelledBySender(message.params?.['reason']));
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
    if (request.method === 'initialize') this.#clientName = nameIn(request.params?.['clientInfo']);
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
          const scope = this.#scopeOf(request, extra);
          const caller = this.#callers.enter(scope);
          return amendTools(scope, answer, caller, this.#options.hosts).finally(() => this.#callers.leave(caller));
        };
      case 'resources/read': {
        const begin = performance.now();
        return (answer) => {
          this.#callers.observe(extra, asText(request.params?.['uri']), performance.now() - begin, answer);
          return answer;
        };
      }
      default:
        return undefined;
    }
  }

  /** On failure the host gets the server's own answer. */
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

  #call(request: JSONRPCRequest, extra: MessageExtraInfo | undefined): void {
    const scope = this.#scopeOf(request, extra);
    this.#calls.set(request.id, scope.cancellation);
    const caller = this.#callers.enter(scope);
    caller.call(scope).then(
      (answer) => this.#answer(scope, caller, answer),
      () => this.#answer(scope, caller, internalErrorAnswer(request.id)),
    );
  }

  /** Without an answer, the server has a tool of that name. */
  #answer({ message, extra, cancellation }: RelayScope, caller: CallerCatalog, answer: Answer | undefined): void {
    // First, since the host is waiting for it.
    if (!cancellation.aborted) {
      if (answer === undefined) this.#transport.toServer(message, extra);
      else this.#transport.toHost(answer).catch((cause: unknown) => this.#options.log.debug(`relay: ${String(cause)}`));
    }
    // A host may have used the ID again.
    if (this.#calls.get(message.id) === cancellation) this.#calls.delete(message.id);
    this.#callers.leave(caller);
  }

  #scopeOf(message: JSONRPCRequest, extra: MessageExtraInfo | undefined): RelayScope {
    return new RelayScope({ message, extra, caller: this.#callers.callerOf(extra), clientName: this.#clientName });
  }

  #announceTools(): void {
    if (this.#announces) this.#transport.toHost({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }).catch(() => {});
  }
}

/** Adds the built-in tools to the last page of the server's list, or answers with them if the server has no tools. */
async function amendTools(scope: RelayScope, answer: Answer, caller: CallerCatalog, hosts: HostViews): Promise<Answer> {
  const { message: request, clientName, isLocal } = scope;
  const context = scope.context();
  const view = hosts.of(clientName, isLocal);
  if ('error' in answer) {
    if (answer.error.code !== ProtocolErrorCode.MethodNotFound) return answer;
    const tools = await caller.ownTools(context, view);
    if (tools.length === 0) return answer;
    return { jsonrpc: '2.0', id: request.id, result: scope.era === 'modern' ? asModern(request.method, { tools }) : { tools } };
  }
  const { tools, nextCursor } = answer.result;
  if (nextCursor !== undefined || !Array.isArray(tools)) return answer;
  if (request.params?.['cursor'] === undefined) caller.remember(namesOf(tools));
  const names = await caller.taken(context);
  const added = (await caller.ownTools(context, view)).filter(({ name }) => !names.has(name));
  return added.length === 0 ? answer : { ...answer, result: { ...answer.result, tools: [...tools, ...added] } };
}

/**
 * Adds the capability `tools` if there are resources or skills. The tool list changes with the resources, so `listChanged` follows
 * that of the resources; with a modern host, only the server itself can offer it.
 */
function amendCapabilities(method: string, answer: Answer, hasSkills: boolean): { amended: Answer; announces: boolean } {
  const capabilities = 'error' in answer ? undefined : answer.result['capabilities'];
  if ('error' in answer || !isFields(capabilities)) return { amended: answer, announces: false };
  const { resources, tools } = capabilities;
  const already = isTrue(tools, 'listChanged');
  if (resources === undefined && !hasSkills) return { amended: answer, announces: already };
  const announces = already || (method === 'initialize' && (hasSkills || isTrue(resources, 'listChanged')));
  const own = { ...(isFields(tools) ? tools : {}), ...(announces ? { listChanged: true } : {}) };
  return { amended: { ...answer, result: { ...answer.result, capabilities: { ...capabilities, tools: own } } }, announces };
}

function isTrue(value: unknown, field: string): boolean {
  return isFields(value) && value[field] === true;
}
