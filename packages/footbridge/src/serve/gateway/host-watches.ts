/** What one host watches: servers behind us are told first, so that they tell us; our own server then tells the host. */
import type { JSONRPCRequest, RequestId } from '@modelcontextprotocol/server';
import type { Catalog } from '../../catalog/catalog.js';
import { Cancellation, Context } from '../../sources/context.js';
import type { Caller, ReadContext } from '../../sources/resource.js';
import { carriedAt } from '../../surfaces/passthrough.js';
import { orProtocolError } from '../../surfaces/resources.js';
import { LONGEST_URI } from '../../uri-template.js';
import type { HostConnection } from './exchanges.js';
import { watchListened } from './listening.js';

export interface HostWatchesOptions {
  readonly catalog: Catalog;
  readonly connection: HostConnection;
  /** The resources that the host watches. */
  readonly watched: ReadonlySet<string>;
  readonly mostWatched: number;
}

export class HostWatches {
  readonly #options: HostWatchesOptions;
  /** Requests of newer hosts that listen, and how that ends. */
  readonly #listening = new Map<RequestId, () => void>();

  constructor(options: HostWatchesOptions) {
    this.#options = options;
  }

  /** Passes a subscription of an older host on, or its end. Rejects with an error of the protocol when the server refuses. */
  async pass({ method, params }: JSONRPCRequest, context: ReadContext): Promise<void> {
    const { catalog, connection } = this.#options;
    const uri = params?.['uri'];
    // What our own server is going to refuse, no other is asked for.
    const forwarded = typeof uri === 'string' && this.#mayWatch(uri) ? carriedAt(catalog.snapshot, uri) : undefined;
    if (forwarded === undefined || typeof uri !== 'string') return;
    if (method === 'resources/unsubscribe') forwarded.upstream.unwatch(forwarded.original(uri), connection.key);
    else await orProtocolError(uri, () => forwarded.upstream.watch(forwarded.original(uri), connection.key, context));
  }

  /** What a host that began elsewhere watches, servers here have to be told. */
  passAgain(caller: Caller): void {
    const { catalog, connection, watched } = this.#options;
    if (watched.size === 0) return;
    const request = connection.exchangeOf({ jsonrpc: '2.0', id: '', method: 'resources/subscribe' });
    const context = new Context({ caller, request }, new Cancellation());
    for (const uri of watched) {
      const forwarded = carriedAt(catalog.snapshot, uri);
      forwarded?.upstream.watch(forwarded.original(uri), connection.key, context).catch(() => {});
    }
  }

  /** A newer host listens until it calls the request off. */
  listen(request: JSONRPCRequest, caller: Caller): void {
    const { catalog, connection } = this.#options;
    this.end(request.id);
    this.#listening.set(request.id, watchListened(catalog, request.params, caller, connection.exchangeOf(request)));
  }

  end(id: RequestId): void {
    this.#listening.get(id)?.();
    this.#listening.delete(id);
  }

  close(): void {
    for (const release of this.#listening.values()) release();
    this.#listening.clear();
  }

  #mayWatch(uri: string): boolean {
    const { mostWatched, watched } = this.#options;
    return uri.length <= LONGEST_URI && (watched.size < mostWatched || watched.has(uri));
  }
}
