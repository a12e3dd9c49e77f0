/** Subscriptions of a host to resources. An upstream's resource is subscribed to at the upstream as well. */
import { randomUUID } from 'node:crypto';
import { type JSONRPCRequest, ProtocolError, ProtocolErrorCode, SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import type { Catalog } from '../../catalog/catalog.js';
import { listedUri } from '../../catalog/target.js';
import { isFields, weightOf } from '../../json.js';
import { Cancellation, Context } from '../../sources/context.js';
import type { HostPeer, Upstream } from '../../sources/forwarding.js';
import type { Caller } from '../../sources/resource.js';
import { upstreamOf, whenListed } from '../../surfaces/passthrough.js';
import { orProtocolError } from '../../surfaces/resources.js';
import { LONGEST_URI } from '../../uri-template.js';
import type { RequestScope } from '../dispatch/scope.js';
import { MAX_SUBSCRIBED_BYTES, type SubscriptionQuota } from './subscription-quota.js';

export interface HostSubscriptionsOptions {
  readonly catalog: Catalog;
  /** Identifies the host to upstreams. */
  readonly key: string;
  readonly uris: Set<string>;
  readonly max: number;
  readonly quota: CallerQuota;
}

/** A caller's part of a quota. */
export interface CallerQuota {
  readonly quota: SubscriptionQuota;
  readonly callerId: string;
}

/** The subscriptions of a legacy connection. */
export class HostSubscriptions {
  readonly #options: HostSubscriptionsOptions;
  #bytes = 0;

  constructor(options: HostSubscriptionsOptions) {
    this.#options = options;
    for (const uri of options.uris) this.#count(bytesOf(uri));
  }

  has(uri: string): boolean {
    return this.#options.uris.has(uri);
  }

  get uris(): ReadonlySet<string> {
    return this.#options.uris;
  }

  /** Throws a protocol error when a limit is reached or the upstream refuses. */
  async add(given: string, scope: RequestScope): Promise<void> {
    const { catalog, key, uris } = this.#options;
    // Updates are reported with the listed URI.
    const uri = given.length > LONGEST_URI ? given : listedUri(catalog.snapshot, given);
    const isNew = !uris.has(uri);
    if (isNew) this.#take(uri);
    const forwarded = catalog.hasUpstreams ? upstreamOf(catalog.snapshot, uri) : undefined;
    if (forwarded === undefined) return;
    try {
      await orProtocolError(uri, () => forwarded.upstream.watch(forwarded.original(uri), key, scope.context()));
    } catch (cause) {
      if (isNew) this.#drop(uri);
      throw cause;
    }
  }

  remove(given: string): void {
    const { catalog, key, uris } = this.#options;
    const uri = given.length > LONGEST_URI || uris.has(given) ? given : listedUri(catalog.snapshot, given);
    const forwarded = catalog.hasUpstreams && uri.length <= LONGEST_URI ? upstreamOf(catalog.snapshot, uri) : undefined;
    forwarded?.upstream.unwatch(forwarded.original(uri), key);
    this.#drop(uri);
  }

  /** Replaces the subscriptions by those of another replica. */
  replace(all: readonly string[]): void {
    const { uris } = this.#options;
    for (const uri of [...uris]) this.#drop(uri);
    for (const uri of all) {
      uris.add(uri);
      this.#count(bytesOf(uri));
    }
  }

  /** Releases their part of the quota. */
  close(): void {
    this.#count(-this.#bytes);
  }

  #take(uri: string): void {
    const { max, quota, uris } = this.#options;
    checkUri(uri);
    if (uris.size >= max)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        `A connection may subscribe to ${max} resources. Unsubscribe from one first.`,
      );
    if (this.#bytes + bytesOf(uri) > MAX_SUBSCRIBED_BYTES)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        `The subscriptions of a connection may take ${MAX_SUBSCRIBED_BYTES} bytes. Unsubscribe from some resources first.`,
      );
    quota.quota.take(quota.callerId, bytesOf(uri));
    this.#bytes += bytesOf(uri);
    uris.add(uri);
  }

  #drop(uri: string): void {
    if (this.#options.uris.delete(uri)) this.#count(-bytesOf(uri));
  }

  #count(bytes: number): void {
    const { quota } = this.#options;
    this.#bytes += bytes;
    quota.quota.add(quota.callerId, bytes);
  }

  /** Subscribes at the upstreams to everything in the set: another replica may have begun the session. */
  forwardAll(host: HostPeer, caller: Caller): void {
    const { catalog, key, uris } = this.#options;
    if (uris.size === 0) return;
    const request = { host, input: {}, logLevel: undefined, notify: host.notify, request: host.request };
    const context = new Context({ caller, request }, new Cancellation());
    for (const uri of uris) {
      const forwarded = upstreamOf(catalog.snapshot, uri);
      forwarded?.upstream.watch(forwarded.original(uri), key, context).catch(() => {});
    }
  }
}

function checkUri(uri: string): void {
  if (uri.length > LONGEST_URI)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `A URI has at most ${LONGEST_URI} characters. This one has ${uri.length}.`);
}

/** The memory that a subscribed URI takes. It is stored here, in the record of the session, and at the upstream. */
function bytesOf(uri: string): number {
  return weightOf(uri, Number.POSITIVE_INFINITY);
}

/**
 * Checks a `subscriptions/listen`, which is kept in memory until it ends, and counts it. Throws a protocol error if it exceeds a limit.
 * Returns a function that releases its part of the quota.
 */
export function admitListen({ message }: RequestScope, max: number, quota: CallerQuota): () => void {
  const uris = listenedUris(message);
  if (uris.length > max)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `subscriptions/listen may name ${max} resources; this one names ${uris.length}. Name fewer.`,
    );
  for (const uri of uris) if (typeof uri === 'string') checkUri(uri);
  const bytes = weightOf(message, MAX_SUBSCRIBED_BYTES);
  if (bytes > MAX_SUBSCRIBED_BYTES)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `subscriptions/listen may take ${MAX_SUBSCRIBED_BYTES} bytes. Name fewer resources, and nothing else.`,
    );
  quota.quota.take(quota.callerId, bytes);
  return () => quota.quota.add(quota.callerId, -bytes);
}

function listenedUris({ params }: JSONRPCRequest): readonly unknown[] {
  const filter = params?.['notifications'];
  return isFields(filter) && Array.isArray(filter['resourceSubscriptions']) ? filter['resourceSubscriptions'] : [];
}

/** A `subscriptions/listen` with the listed URIs, since updates are reported with those. */
export function withListedUris(request: JSONRPCRequest, { snapshot }: Catalog): JSONRPCRequest {
  const uris = listenedUris(request);
  const listed = uris.map((uri) => (typeof uri === 'string' ? listedUri(snapshot, uri) : uri));
  if (listed.every((uri, at) => uri === uris[at])) return request;
  const filter = request.params?.['notifications'];
  const notifications = { ...(isFields(filter) ? filter : {}), resourceSubscriptions: listed };
  return { ...request, params: { ...request.params, notifications } };
}

/** Subscribes at the upstreams to the resources of a `subscriptions/listen`. Returns a function that unsubscribes. */
export function forwardListen(catalog: Catalog, scope: RequestScope): () => void {
  if (!catalog.hasUpstreams) return () => {};
  const stops = [followLists(catalog, scope), watchResources(catalog, scope)];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Lists that change for this caller alone: the catalog announces all other changes. */
function followLists(catalog: Catalog, scope: RequestScope): () => void {
  const { id, params } = scope.message;
  const filter = params?.['notifications'];
  const _meta = { [SUBSCRIPTION_ID_META_KEY]: id };
  const stops = catalog.snapshot.upstreams.map((upstream) =>
    upstream.followLists(scope.host.key, (kind) => {
      if (isFields(filter) && filter[`${kind}ListChanged`] === true) scope.notify(`notifications/${kind}/list_changed`, { _meta });
    }),
  );
  return () => {
    for (const stop of stops) stop();
  };
}

function watchResources(catalog: Catalog, scope: RequestScope): () => void {
  const uris = listenedUris(scope.message);
  if (uris.length === 0) return () => {};
  const watcher = randomUUID();
  const context = new Context({ caller: scope.caller, request: scope }, new Cancellation());
  let watched: { readonly upstream: Upstream; readonly uri: string }[] = [];
  let ended = false;
  const watch = () => {
    if (ended) return;
    watched = uris.flatMap((uri) => {
      const forwarded = typeof uri === 'string' ? upstreamOf(catalog.snapshot, uri) : undefined;
      return forwarded === undefined
        ? []
        : [{ upstream: forwarded.upstream, uri: forwarded.original(listedUri(catalog.snapshot, String(uri))) }];
    });
    for (const { upstream, uri } of watched) upstream.watch(uri, watcher, context).catch(() => {});
  };
  // Waits until all upstreams have listed their content: only then is it known which one has a URI.
  const listing = whenListed(catalog.snapshot.upstreams);
  if (listing === undefined) watch();
  else void listing.then(watch);
  return () => {
    ended = true;
    for (const { upstream, uri } of watched) upstream.unwatch(uri, watcher);
  };
}
