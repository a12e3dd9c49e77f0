/** The session of a host with a connection of its own: stdio, a session over HTTP, a stream of the 2024 transport. */
import type { JSONRPCMessage, JSONRPCRequest, ProtocolEra, RequestId } from '@modelcontextprotocol/server';
import type { Catalog } from '../../catalog/catalog.js';
import { asText, type Fields, isFields } from '../../json.js';
import { bytesOf } from '../../json-pieces.js';
import { passedReason } from '../../sources/context.js';
import type { HostPeer, HostRequestOptions, Upstream } from '../../sources/forwarding.js';
import type { Caller } from '../../sources/resource.js';
import { ServerError } from '../../sources/server/channel.js';
import { LEVELS } from '../../sources/upstream/eras.js';
import type { RequestScope, Send } from '../dispatch/scope.js';
import { envelopeOf } from '../eras.js';
import { type Answer, notificationOf } from '../messages.js';
import type { SdkPeer } from '../sdk/peer.js';
import { type ClientDetails, envelopeName, type HostSession, hostFrom, nameIn, UNKNOWN_CLIENT } from './host-session.js';
import { type CallerQuota, HostSubscriptions } from './subscriptions.js';

export interface ConnectedSessionOptions {
  readonly catalog: Catalog;
  /** Requests with the same key share the state that an upstream keeps per client. */
  readonly key: string;
  readonly caller: () => Caller;
  /** The URIs of resources that the host subscribed to; may be shared with the record of the session. */
  readonly subscribed: Set<string>;
  readonly maxSubscriptions: number;
  readonly quota: CallerQuota;
  readonly sdk: (era: ProtocolEra) => SdkPeer;
  /** For messages that belong to no request. */
  readonly send: Send;
}

/** The maximum size of messages queued for a host that may never be initialized. */
const MAX_WAITING = 1024 * 1024;

export class ConnectedSession implements HostSession {
  readonly subscriptions: HostSubscriptions;
  readonly requests = new HostRequests();
  readonly sdk: (era: ProtocolEra) => SdkPeer;
  readonly #options: ConnectedSessionOptions;
  readonly #stopFollowing: () => void;
  /** Upstreams that this host is attached to, and the function that detaches it from each. */
  readonly #attached = new Map<Upstream, () => void>();
  #host: HostPeer | undefined;
  #logLevel: string | undefined;
  /** Messages that wait until the host is initialized; undefined when it is, or needs no handshake. */
  #waiting: (() => void)[] | undefined;
  /** Their approximate size in bytes. */
  #waitingBytes = 0;

  constructor(options: ConnectedSessionOptions) {
    const { catalog, key, maxSubscriptions, quota, sdk, subscribed } = options;
    this.#options = options;
    this.sdk = sdk;
    this.subscriptions = new HostSubscriptions({ catalog, key, uris: subscribed, max: maxSubscriptions, quota });
    this.#stopFollowing = catalog.hasUpstreams ? catalog.onChange(() => this.#attach()) : () => {};
  }

  listenLimits(): { readonly max: number; readonly quota: CallerQuota } {
    const { maxSubscriptions: max, quota } = this.#options;
    return { max, quota };
  }

  get logLevel(): string | undefined {
    return this.#logLevel;
  }

  setLogLevel(level: string): void {
    this.#logLevel = level;
  }

  /** The host that connected, once it has identified itself. */
  get host(): HostPeer | undefined {
    return this.#host;
  }

  hostOf(request: JSONRPCRequest, era: ProtocolEra): HostPeer {
    if (era === 'legacy') {
      this.#host ??= this.#hostFrom('legacy', UNKNOWN_CLIENT);
      return this.#host;
    }
    const host = this.#hostFrom('modern', envelopeOf(request));
    this.#host ??= host;
    return host;
  }

  clientName(request: JSONRPCRequest, era: ProtocolEra): string | undefined {
    return era === 'modern' ? envelopeName(request) : nameIn(this.#host?.clientInfo);
  }

  wants(method: string, params: Fields | undefined): boolean {
    if (method !== 'notifications/message' || this.#logLevel === undefined) return true;
    return LEVELS.indexOf(asText(params?.['level'])) >= LEVELS.indexOf(this.#logLevel);
  }

  request(method: string, params: Fields | undefined, options: HostRequestOptions | undefined, send: Send): Promise<Fields> {
    return this.requests.send(method, params, options, send);
  }

  onHandshake(scope: RequestScope): void {
    const { message } = scope;
    if (message.method === 'initialize') {
      const { protocolVersion, clientInfo, capabilities } = message.params ?? {};
      this.#waiting ??= [];
      const version = typeof protocolVersion === 'string' ? protocolVersion : '';
      this.#host = this.#hostFrom('legacy', { version, clientInfo, capabilities });
    } else this.hostOf(message, scope.era);
    this.#attach();
  }

  onRequest(scope: RequestScope): void {
    this.initialized();
    if (this.#attached.size > 0 || !this.#options.catalog.hasUpstreams) return;
    this.hostOf(scope.message, scope.era);
    this.#attach();
  }

  /** The host is ready for notifications and requests. */
  initialized(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    this.#waitingBytes = 0;
    for (const send of waiting) send();
  }

  /** Forwards a notification of the host to the upstreams. */
  notifyUpstreams(method: string, params: Fields | undefined): void {
    const host = this.#host;
    if (host !== undefined) for (const upstream of this.#options.catalog.snapshot.upstreams) upstream.notify(method, params, host);
  }

  /** Sends a message that belongs to no request, once the host is ready. */
  readonly send = (message: JSONRPCMessage): Promise<void> => {
    const waiting = this.#waiting;
    if (waiting === undefined) return this.#options.send(message);
    const bytes = bytesOf(message, MAX_WAITING);
    if (this.#waitingBytes + bytes > MAX_WAITING) return Promise.reject(new Error('the host is not initialized'));
    this.#waitingBytes += bytes;
    return new Promise((resolve, reject) => {
      waiting.push(() => void this.#options.send(message).then(resolve, reject));
    });
  };

  close(): void {
    this.#stopFollowing();
    this.subscriptions.close();
    this.requests.close();
    for (const detach of this.#attached.values()) detach();
    this.#attached.clear();
  }

  #hostFrom(era: ProtocolEra, details: ClientDetails): HostPeer {
    return hostFrom(this.#options.key, era, details, {
      notify: (method, params) => {
        if (this.wants(method, params)) this.send(notificationOf(method, params)).catch(() => {});
      },
      request: (method, params, options) => this.requests.send(method, params, options, this.send),
    });
  }

  /** Announces the host to each upstream, also to those that are added later. */
  #attach(): void {
    const host = this.#host;
    if (host === undefined) return;
    const upstreams = new Set(this.#options.catalog.snapshot.upstreams);
    for (const [upstream, detach] of this.#attached) {
      if (upstreams.has(upstream)) continue;
      detach();
      this.#attached.delete(upstream);
    }
    for (const upstream of upstreams) if (!this.#attached.has(upstream)) this.#attached.set(upstream, upstream.attach(host));
    this.subscriptions.forwardAll(host, this.#options.caller());
  }
}

interface Pending {
  progress(params: Fields): void;
  settle(): void;
  resolve(result: Fields): void;
  reject(cause: unknown): void;
}

class HostRequests {
  readonly #pending = new Map<RequestId, Pending>();
  #count = 0;

  /** Resolves with the host's result; rejects with a `ServerError` when it answers with an error. */
  send(method: string, params: Fields | undefined, question: HostRequestOptions | undefined, send: Send): Promise<Fields> {
    const cancellation = question?.cancellation;
    const id = `footbridge-${++this.#count}`;
    const meta = isFields(params?.['_meta']) ? params['_meta'] : undefined;
    const progressToken = meta?.['progressToken'];
    // Two upstreams may use the same token.
    const sent = progressToken === undefined ? params : { ...params, _meta: { ...meta, progressToken: id } };
    return new Promise((resolve, reject) => {
      const cancel = () => {
        this.#pending.delete(id);
        const params = { requestId: id, ...(cancellation === undefined ? {} : passedReason(cancellation)) };
        send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => {});
        reject(cancellation?.reason);
      };
      const settle = () => {
        this.#pending.delete(id);
        cancellation?.forget(cancel);
      };
      cancellation?.listen(cancel);
      const progress = (update: Fields) => question?.progress({ ...update, progressToken });
      this.#pending.set(id, { progress, settle, resolve, reject });
      send({ jsonrpc: '2.0', id, method, params: sent }).catch((cause: unknown) => {
        settle();
        reject(cause);
      });
    });
  }

  /** Settles the request that an answer of the host belongs to. False when it belongs to no request. */
  settle(answer: Answer): boolean {
    const pending = this.#pending.get(answer.id);
    if (pending === undefined) return false;
    pending.settle();
    if ('error' in answer) pending.reject(new ServerError(answer.error.code, answer.error.message, answer.error.data));
    else pending.resolve(isFields(answer.result) ? answer.result : {});
    return true;
  }

  /** Forwards a progress notification of the host to the waiting upstream. */
  progress(params: Fields): void {
    const token = params['progressToken'];
    if (typeof token === 'string') this.#pending.get(token)?.progress(params);
  }

  close(): void {
    for (const { reject } of this.#pending.values()) reject(new Error('the connection is closed'));
    this.#pending.clear();
  }
}
