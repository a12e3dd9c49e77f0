/** The session of a host with a connection of its own: stdio, a session over HTTP, a stream of the 2024 transport. */
import type { JSONRPCMessage, JSONRPCRequest, ProtocolEra } from '@modelcontextprotocol/server';
import type { Catalog } from '../../catalog/catalog.js';
import type { Fields } from '../../json.js';
import type { HostPeer, HostRequestOptions, Upstream } from '../../sources/forwarding.js';
import type { Caller } from '../../sources/resource.js';
import { LEVELS } from '../../sources/upstream/eras.js';
import type { RequestScope, Send } from '../dispatch/scope.js';
import { envelopeOf } from '../eras.js';
import { notificationOf } from '../messages.js';
import type { SdkPeer } from '../sdk/peer.js';
import { HostRequests } from './host-requests.js';
import { type ClientDetails, type HostSession, hostFrom, UNKNOWN_CLIENT } from './host-session.js';
import { HostSubscriptions } from './subscriptions.js';

export interface ConnectedSessionOptions {
  readonly catalog: Catalog;
  /** The same for requests that may share what an upstream keeps for one client. */
  readonly key: string;
  readonly caller: () => Caller;
  /** The URIs of resources that the host subscribed to; may be shared with the record of the session. */
  readonly subscribed: Set<string>;
  readonly maxSubscriptions: number;
  readonly sdk: (era: ProtocolEra) => SdkPeer;
  /** For messages that belong to no request. */
  readonly send: Send;
}

export class ConnectedSession implements HostSession {
  readonly subscriptions: HostSubscriptions;
  readonly requests = new HostRequests();
  readonly sdk: (era: ProtocolEra) => SdkPeer;
  readonly #options: ConnectedSessionOptions;
  readonly #stopFollowing: () => void;
  /** Upstreams that know of this host, and how each is detached. */
  readonly #attached = new Map<Upstream, () => void>();
  #host: HostPeer | undefined;
  #logLevel: string | undefined;
  /** Messages that wait until the host is initialized; undefined when it is, or needs no handshake. */
  #waiting: (() => void)[] | undefined;

  constructor(options: ConnectedSessionOptions) {
    const { catalog, key, maxSubscriptions, sdk, subscribed } = options;
    this.#options = options;
    this.sdk = sdk;
    this.subscriptions = new HostSubscriptions({ catalog, key, uris: subscribed, max: maxSubscriptions });
    this.#stopFollowing = catalog.hasUpstreams ? catalog.onChange(() => this.#attach()) : () => {};
  }

  get logLevel(): string | undefined {
    return this.#logLevel;
  }

  setLogLevel(level: string): void {
    this.#logLevel = level;
  }

  /** The host that connected, once it has said who it is. */
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

  wants(method: string, params: Fields | undefined): boolean {
    if (method !== 'notifications/message' || this.#logLevel === undefined) return true;
    return LEVELS.indexOf(String(params?.['level'])) >= LEVELS.indexOf(this.#logLevel);
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
    for (const send of waiting) send();
  }

  /** Forwards a notification of the host to the upstreams. */
  notifyUpstreams(method: string, params: Fields | undefined): void {
    const host = this.#host;
    if (host !== undefined) for (const upstream of this.#options.catalog.snapshot.upstreams) upstream.notify(method, params, host);
  }

  /** Sends what belongs to no request, as soon as the host is ready for it. */
  readonly send = (message: JSONRPCMessage): Promise<void> => {
    const waiting = this.#waiting;
    if (waiting === undefined) return this.#options.send(message);
    return new Promise((resolve, reject) => {
      waiting.push(() => void this.#options.send(message).then(resolve, reject));
    });
  };

  close(): void {
    this.#stopFollowing();
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
