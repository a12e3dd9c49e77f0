/** Resources that a host wants updates of. An upstream's own resource is subscribed to there as well. */
import { randomUUID } from 'node:crypto';
import { ProtocolError, ProtocolErrorCode, SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import type { Catalog } from '../../catalog/catalog.js';
import { isFields } from '../../json.js';
import { Cancellation, Context } from '../../sources/context.js';
import type { HostPeer, Upstream } from '../../sources/forwarding.js';
import type { Caller } from '../../sources/resource.js';
import { upstreamOf, whenListed } from '../../surfaces/passthrough.js';
import { orProtocolError } from '../../surfaces/resources.js';
import { LONGEST_URI } from '../../uri-template.js';
import type { RequestScope } from '../dispatch/scope.js';

/** As many resources as one `subscriptions/listen` may name. */
const MAX_LISTENED = 1024;

export interface HostSubscriptionsOptions {
  readonly catalog: Catalog;
  /** Names the host to upstreams. */
  readonly key: string;
  readonly uris: Set<string>;
  readonly max: number;
}

/** The subscriptions of a legacy connection. */
export class HostSubscriptions {
  readonly #options: HostSubscriptionsOptions;

  constructor(options: HostSubscriptionsOptions) {
    this.#options = options;
  }

  has(uri: string): boolean {
    return this.#options.uris.has(uri);
  }

  get uris(): ReadonlySet<string> {
    return this.#options.uris;
  }

  /** Throws a protocol error when the limit is reached or the upstream refuses. */
  async add(uri: string, scope: RequestScope): Promise<void> {
    const { catalog, key, max, uris } = this.#options;
    if (uri.length > LONGEST_URI) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `A URI has at most ${LONGEST_URI} characters.`);
    if (uris.size >= max && !uris.has(uri))
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        `A connection may subscribe to ${max} resources. Unsubscribe from one first.`,
      );
    const forwarded = catalog.hasUpstreams ? upstreamOf(catalog.snapshot, uri) : undefined;
    if (forwarded !== undefined) await orProtocolError(uri, () => forwarded.upstream.watch(forwarded.original(uri), key, scope.context()));
    uris.add(uri);
  }

  remove(uri: string): void {
    const { catalog, key, uris } = this.#options;
    const forwarded = catalog.hasUpstreams && uri.length <= LONGEST_URI ? upstreamOf(catalog.snapshot, uri) : undefined;
    forwarded?.upstream.unwatch(forwarded.original(uri), key);
    uris.delete(uri);
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

/** Subscribes at the upstreams to what a `subscriptions/listen` asks for. Returns the way to end that. */
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
  const filter = scope.message.params?.['notifications'];
  const uris: readonly unknown[] =
    isFields(filter) && Array.isArray(filter['resourceSubscriptions']) ? filter['resourceSubscriptions'] : [];
  if (uris.length === 0) return () => {};
  const watcher = randomUUID();
  const context = new Context({ caller: scope.caller, request: scope }, new Cancellation());
  let watched: { readonly upstream: Upstream; readonly uri: string }[] = [];
  let ended = false;
  const watch = () => {
    if (ended) return;
    watched = uris.slice(0, MAX_LISTENED).flatMap((uri) => {
      const forwarded = typeof uri === 'string' && uri.length <= LONGEST_URI ? upstreamOf(catalog.snapshot, uri) : undefined;
      return forwarded === undefined ? [] : [{ upstream: forwarded.upstream, uri: forwarded.original(String(uri)) }];
    });
    for (const { upstream, uri } of watched) upstream.watch(uri, watcher, context).catch(() => {});
  };
  // Which upstream has a URI is known when all have listed what they have.
  const listing = whenListed(catalog.snapshot.upstreams);
  if (listing === undefined) watch();
  else void listing.then(watch);
  return () => {
    ended = true;
    for (const { upstream, uri } of watched) upstream.unwatch(uri, watcher);
  };
}
