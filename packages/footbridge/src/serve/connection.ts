/** One host on one connection: its messages in, our answers out. */

import {
  type AuthInfo,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type MessageExtraInfo,
  type ProtocolEra,
  ProtocolError,
  type RequestId,
  type ServerEvent,
  type Transport,
} from '@modelcontextprotocol/server';
import type { Fields } from '../json.js';
import { asText } from '../json.js';
import { type MemoryHold, processMemory } from '../memory-budget.js';
import { Cancellation, CancelledBySender } from '../sources/context.js';
import type { Caller } from '../sources/resource.js';
import { methodNotFound } from './dispatch/answers.js';
import { compose, type Dispatch, type Middleware } from './dispatch/compose.js';
import { type HostDispatcher, type HostMethodsOptions, hostDispatcher } from './dispatch/host-methods.js';
import { type Account, RequestScope, type ScopeParts, type Send } from './dispatch/scope.js';
import { eraOf, missingEnvelope } from './eras.js';
import { announceChanges, type EventFeed } from './events.js';
import { type Answer, cancelledId, errorResponse, isAnswer, isNotification, isRequest, notificationOf } from './messages.js';
import type { SdkPeer } from './sdk/peer.js';
import { SdkPeers } from './sdk/server.js';
import { ConnectedSession } from './session/connected-session.js';
import { SubscriptionQuota } from './session/subscription-quota.js';
import { fittingAnswer, REFUSED_CODE } from './unread.js';

/** How many resources a connection may subscribe to. */
export const MAX_SUBSCRIPTIONS = 1024;

export interface ConnectionOptions extends HostMethodsOptions {
  /** Around each request. */
  readonly middleware?: readonly Middleware[] | undefined;
  readonly callerOf: (extra: MessageExtraInfo | undefined) => Caller;
  readonly account?: Account | undefined;
  /** Requests with the same key share the state that an upstream keeps per client. Default: one key per connection. */
  readonly key?: string | undefined;
  /** The URIs of resources that the host subscribed to. */
  readonly subscribed?: Set<string> | undefined;
  readonly maxSubscriptions?: number | undefined;
  /** The quota for the subscriptions of all connections. Default: one for this connection. */
  readonly quota?: SubscriptionQuota | undefined;
  readonly events: EventFeed;
  readonly transport: 'stdio' | 'http';
  readonly sessionId?: string | undefined;
  /** Set if a server of the SDK is in front of the connection. */
  readonly sdk?: SdkInFront | undefined;
  /** Sends a message; `related` is the request that it belongs to. */
  send(message: JSONRPCMessage, related?: RequestId): Promise<void>;
  /** Resolves when the host has taken a message that was just sent. Default: when `send` resolves. */
  sent?(message: JSONRPCMessage): Promise<void>;
}

/** A server of the SDK whose own entry stands in front of the connection. */
export interface SdkInFront {
  readonly peer: SdkPeer;
  readonly era: ProtocolEra | undefined;
  /** Whether changes are announced. A modern host is sent all of them, since the SDK filters them. */
  readonly announce: boolean;
}

/** What a transport knows of one request. */
export interface RequestParts {
  readonly authInfo?: AuthInfo | undefined;
  readonly cancellation: Cancellation;
  readonly extra?: MessageExtraInfo | undefined;
  /** Where the transport has determined it already. */
  readonly era?: ProtocolEra | undefined;
  /** What the request holds until its client has taken the answer. */
  readonly memory?: MemoryHold | undefined;
  readonly send: Send;
  readonly protocolVersion?: string | undefined;
}

/** The number of connections of this process so far. */
let connections = 0;

export class Connection {
  readonly session: ConnectedSession;
  readonly #options: ConnectionOptions;
  readonly #dispatcher: HostDispatcher;
  readonly #dispatch: Dispatch;
  readonly #peers: SdkPeers;
  /** Requests that are not answered yet. */
  readonly #running = new Set<Cancellation>();
  /** By id, to cancel them. Of two with one id, the later. */
  readonly #cancellable = new Map<RequestId, Cancellation>();
  #stopAnnouncing: (() => void) | undefined;
  /** Set by the first request that is not a probe: from then on the host speaks this era. */
  #era: ProtocolEra | undefined;
  #protocolVersion: string | undefined;

  constructor(options: ConnectionOptions) {
    const {
      account,
      callerOf,
      catalog,
      key = `connection ${++connections}`,
      maxSubscriptions = MAX_SUBSCRIPTIONS,
      quota,
      sdk,
      send,
    } = options;
    this.#options = options;
    this.#era = sdk?.era;
    this.#dispatcher = hostDispatcher(options);
    this.#dispatch = compose(options.middleware ?? [], this.#dispatcher.dispatch);
    this.#peers = new SdkPeers({ ...options, maxSubscriptions, notify: (message) => send(message) });
    this.session = new ConnectedSession({
      catalog,
      key,
      caller: () => callerOf(undefined),
      subscribed: options.subscribed ?? new Set(),
      maxSubscriptions,
      quota: { quota: quota ?? new SubscriptionQuota(), callerId: account?.id ?? '' },
      sdk: sdk === undefined ? this.#peers.of : () => sdk.peer,
      send: (message) => send(message),
    });
  }

  /** Takes any message of a transport that carries requests and answers on one stream. */
  receive(message: JSONRPCMessage, extra?: MessageExtraInfo): void {
    if (isRequest(message)) void this.#answer(message, extra);
    else if (isNotification(message)) this.#notification(message);
    else if (isAnswer(message)) this.session.requests.settle(message);
  }

  /** Answers a request. Undefined when it was cancelled, which is not answered. */
  async request(request: JSONRPCRequest, parts: RequestParts): Promise<Answer | undefined> {
    const { account, callerOf, sessionId, transport } = this.#options;
    const { cancellation, extra, memory, protocolVersion = this.#protocolVersion, send } = parts;
    const era = parts.era ?? this.#eraOf(request);
    const scope: ScopeParts = {
      caller: callerOf(extra),
      authInfo: parts.authInfo ?? extra?.authInfo,
      account,
      cancellation,
      session: this.session,
      memory,
      send,
      transport,
      sessionId,
      protocolVersion,
      extra,
    };
    this.#running.add(cancellation);
    this.#cancellable.set(request.id, cancellation);
    try {
      const answer =
        era instanceof ProtocolError
          ? errorResponse(request.id, era)
          : await this.#dispatch(request, new RequestScope(request, era, scope));
      if (request.method === 'initialize' && 'result' in answer) this.#protocolVersion = asText(answer.result['protocolVersion']);
      return cancellation.aborted ? undefined : answer;
    } finally {
      this.#stopAnnouncing ??= this.#announce();
      this.#running.delete(cancellation);
      if (this.#cancellable.get(request.id) === cancellation) this.#cancellable.delete(request.id);
    }
  }

  /** Answers open subscriptions, and cancels all other requests. */
  async close(): Promise<void> {
    this.#stopAnnouncing?.();
    await this.#peers.close();
    for (const cancellation of [...this.#running]) cancellation.abort();
    this.session.close();
  }

  #notification({ method, params }: JSONRPCNotification): void {
    if (method === 'notifications/cancelled')
      this.#cancellable.get(cancelledId(params) ?? '')?.abort(new CancelledBySender(params?.['reason']));
    else if (method === 'notifications/progress') this.session.requests.progress(params ?? {});
    else if (method === 'notifications/initialized') this.session.initialized();
    else this.session.notifyUpstreams(method, params);
  }

  async #answer(request: JSONRPCRequest, extra: MessageExtraInfo | undefined): Promise<void> {
    const { account, callerOf, catalog, sdk, send, sent, transport } = this.#options;
    // At once: the SDK's entry for HTTP has a status for an unknown method, as long as it is refused in the same turn.
    if (sdk !== undefined && !catalog.hasUpstreams && !this.#dispatcher.has(request.method, sdk.era ?? 'legacy'))
      return send(errorResponse(request.id, methodNotFound()));
    const related: Send = (message) => send(message, request.id);
    const memory = processMemory.open(account?.id ?? callerOf(extra).id);
    const parts = { cancellation: new Cancellation(), extra, memory, send: related };
    const answer = await this.request(request, parts).catch((cause: unknown) =>
      errorResponse(request.id, { code: REFUSED_CODE, message: cause instanceof Error ? cause.message : 'Internal error' }),
    );
    if (answer !== undefined) {
      // Over stdio no more is read while small answers wait.
      const isFollowed = transport === 'http' || memory.large > 0;
      const sendable = isFollowed ? fittingAnswer(answer, memory) : answer;
      const sending = send(sendable).catch(() => {});
      if (isFollowed) await (sent?.(sendable) ?? sending);
    }
    memory.leave();
  }

  /** Called after the first answer: before that, a host knows nothing that could change. */
  #announce(): () => void {
    const { events, sdk, send } = this.#options;
    const notify = (method: string, params: Fields | undefined) => void send(notificationOf(method, params)).catch(() => {});
    return sdk?.announce === false ? () => {} : announceChanges(events, notify, (event) => this.#wants(event));
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
    if (this.#era === 'modern') return this.#options.sdk !== undefined;
    return event.kind !== 'resource_updated' || this.session.subscriptions.has(event.uri);
  }
}

/** Connects a transport that carries all messages of a host on one stream, and starts it. */
export async function connectTransport(
  transport: Transport & Pick<ConnectionOptions, 'sent'>,
  options: Omit<ConnectionOptions, 'send' | 'sent'>,
): Promise<Connection> {
  const connection = new Connection({
    ...options,
    sent: transport.sent?.bind(transport),
    send: (message, related) => transport.send(message, related === undefined ? undefined : { relatedRequestId: related }),
  });
  const { onclose } = transport;
  transport.onmessage = (message, extra) => connection.receive(message, extra);
  transport.onclose = () => {
    connection.close().catch(() => {});
    onclose?.();
  };
  await transport.start();
  return connection;
}
