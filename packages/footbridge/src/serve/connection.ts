/** One host on one connection: its messages in, our answers out. */
import {
  type AuthInfo,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type MessageExtraInfo,
  type ProtocolEra,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  type ServerEvent,
} from '@modelcontextprotocol/server';
import type { Catalog } from '../catalog/catalog.js';
import type { Fields } from '../json.js';
import { Cancellation } from '../sources/context.js';
import type { Caller } from '../sources/resource.js';
import type { Dispatch } from './dispatch/compose.js';
import { type Account, RequestScope, type ScopeParts, type Send } from './dispatch/scope.js';
import { eraOf, missingEnvelope } from './eras.js';
import { announceChanges, type EventFeed } from './events.js';
import { type Answer, cancelledId, errorResponse, isAnswer, isNotification, isRequest, notificationOf } from './messages.js';
import type { SdkPeer } from './sdk/peer.js';
import { ConnectedSession } from './session/connected-session.js';

/** The code for what the server refuses before it looks at the method. */
const REFUSED = -32000;

export interface ConnectionOptions {
  readonly catalog: Catalog;
  readonly dispatch: Dispatch;
  readonly sdk: (era: ProtocolEra) => SdkPeer;
  readonly callerOf: (extra: MessageExtraInfo | undefined) => Caller;
  readonly account?: Account | undefined;
  /** The same for requests that may share what an upstream keeps for one client. */
  readonly key: string;
  readonly subscribed: Set<string>;
  readonly maxSubscriptions: number;
  /** Where changes are heard of; undefined where nobody announces them. */
  readonly events: EventFeed | undefined;
  /** Whether a modern host is sent every change, since the SDK in front of the connection filters them. Default false. */
  readonly announceAll?: boolean;
  /** Whether a method may be known. An unknown one is refused at once, for which the SDK's entry for HTTP has a status. */
  readonly has?: (method: string, era: ProtocolEra) => boolean;
  /** The era, where it is known before the first request. */
  readonly era?: ProtocolEra | undefined;
  readonly transport: 'stdio' | 'http';
  readonly sessionId?: string | undefined;
  /** Sends a message; `related` is the request that it belongs to. */
  send(message: JSONRPCMessage, related?: RequestId): Promise<void>;
}

export class Connection {
  readonly session: ConnectedSession;
  readonly #options: ConnectionOptions;
  /** Requests that are not answered yet. */
  readonly #running = new Map<RequestId, Cancellation>();
  #stopAnnouncing: (() => void) | undefined;
  /** Set by the first request that is not a probe: from then on the host speaks this era. */
  #era: ProtocolEra | undefined;
  #protocolVersion: string | undefined;

  constructor(options: ConnectionOptions) {
    const { callerOf, catalog, key, maxSubscriptions, sdk, send, subscribed } = options;
    this.#options = options;
    this.#era = options.era;
    this.session = new ConnectedSession({
      catalog,
      key,
      caller: () => callerOf(undefined),
      subscribed,
      maxSubscriptions,
      sdk,
      send: (message) => send(message),
    });
  }

  /** Takes any message of a transport that carries requests and answers on one stream. */
  receive(message: JSONRPCMessage, extra?: MessageExtraInfo): void {
    if (isRequest(message)) void this.#answer(message, extra);
    else if (isNotification(message)) this.notification(message);
    else if (isAnswer(message)) this.session.requests.settle(message);
  }

  /** Answers a request. Undefined when it was cancelled, which is not answered. */
  async request(request: JSONRPCRequest, parts: RequestParts): Promise<Answer | undefined> {
    const { account, callerOf, sessionId, transport } = this.#options;
    const { cancellation, extra, protocolVersion = this.#protocolVersion, send } = parts;
    const era = this.#eraOf(request);
    const scope: ScopeParts = {
      caller: callerOf(extra),
      authInfo: parts.authInfo ?? extra?.authInfo,
      account,
      cancellation,
      session: this.session,
      send,
      transport,
      sessionId,
      protocolVersion,
      extra,
    };
    this.#running.set(request.id, cancellation);
    try {
      const answer =
        era instanceof ProtocolError
          ? errorResponse(request.id, era)
          : await this.#options.dispatch(request, new RequestScope(request, era, scope));
      if (request.method === 'initialize' && 'result' in answer) this.#protocolVersion = String(answer.result['protocolVersion']);
      return cancellation.aborted ? undefined : answer;
    } finally {
      this.#stopAnnouncing ??= this.#announce();
      // A host that uses an id twice means the later request.
      if (this.#running.get(request.id) === cancellation) this.#running.delete(request.id);
    }
  }

  notification({ method, params }: JSONRPCNotification): void {
    if (method === 'notifications/cancelled') this.cancel(cancelledId(params));
    else if (method === 'notifications/progress') this.session.requests.progress(params ?? {});
    else if (method === 'notifications/initialized') this.session.initialized();
    else this.session.notifyUpstreams(method, params);
  }

  cancel(id: RequestId | undefined): void {
    if (id !== undefined) this.#running.get(id)?.abort();
  }

  close(): void {
    this.#stopAnnouncing?.();
    for (const cancellation of this.#running.values()) cancellation.abort();
    this.#running.clear();
    this.session.close();
  }

  async #answer(request: JSONRPCRequest, extra: MessageExtraInfo | undefined): Promise<void> {
    const { era = 'legacy', has, send } = this.#options;
    if (has?.(request.method, era) === false)
      return send(errorResponse(request.id, { code: ProtocolErrorCode.MethodNotFound, message: 'Method not found' }));
    const cancellation = new Cancellation();
    const related: Send = (message) => send(message, request.id);
    const answer = await this.request(request, { cancellation, extra, send: related }).catch((cause: unknown) => refusal(request, cause));
    if (answer !== undefined) send(answer).catch(() => {});
  }

  /** From the first answer on: until then a host has nothing that could have changed. */
  #announce(): () => void {
    const { events, send } = this.#options;
    const notify = (method: string, params: Fields | undefined) => void send(notificationOf(method, params)).catch(() => {});
    return events === undefined ? () => {} : announceChanges(events, notify, (event) => this.#wants(event));
  }

  /** A connection speaks one era. A host may ask `server/discover` first and then go on with either. */
  #eraOf(request: JSONRPCRequest): ProtocolEra | ProtocolError {
    const era = eraOf(request);
    if (this.#era === 'modern' && era === 'legacy') return missingEnvelope();
    if (request.method !== 'server/discover' && !(era instanceof ProtocolError)) this.#era ??= era;
    return era;
  }

  /** A modern host subscribes by request, so there the SDK decides which notification it gets. */
  #wants(event: ServerEvent): boolean {
    if (this.#era === 'modern') return this.#options.announceAll === true;
    return event.kind !== 'resource_updated' || this.session.subscriptions.has(event.uri);
  }
}

export interface RequestParts {
  readonly authInfo?: AuthInfo | undefined;
  readonly cancellation: Cancellation;
  readonly extra?: MessageExtraInfo | undefined;
  readonly send: Send;
  readonly protocolVersion?: string | undefined;
}

/** What middleware refused, as JSON-RPC has it. */
function refusal({ id }: JSONRPCRequest, cause: unknown): Answer {
  return errorResponse(id, { code: REFUSED, message: cause instanceof Error ? cause.message : 'Internal error' });
}
