/** Resource subscriptions: one request each to a legacy server, one for all to a modern one. */
import { setTimeout } from 'node:timers/promises';
import type { Fields } from '../../json.js';
import { Cancellation, Context, ownContext } from '../context.js';
import { OWNER } from '../resource.js';
import { METHOD_NOT_FOUND, ServerError } from '../server/channel.js';
import type { UpstreamConnection } from './connection.js';
import { announces, type ListKind } from './listing.js';

interface Watched {
  readonly watchers: Set<string>;
  /** The server's answer. */
  readonly begun: Promise<Fields>;
}

/** Delay before a modern subscription is renewed, doubled each time. */
const AGAIN_MS = 1000;
const LONGEST_MS = 60_000;

export class ResourceSubscriptions {
  readonly #reach: () => Promise<UpstreamConnection>;
  readonly #lists: readonly ListKind[];
  readonly #missed: (connection: UpstreamConnection) => void;
  readonly #watched = new Map<string, Watched>();
  #connection: UpstreamConnection | undefined;
  #listening: Cancellation | undefined;
  #soon = false;

  /** `lists` are subscribed to as well; `missed` is called after a gap in which they may have changed. */
  constructor(reach: () => Promise<UpstreamConnection>, lists: readonly ListKind[], missed: (connection: UpstreamConnection) => void) {
    this.#reach = reach;
    this.#lists = lists;
    this.#missed = missed;
  }

  get isEmpty(): boolean {
    return this.#watched.size === 0;
  }

  /** Rejects when the server refuses. */
  watch(uri: string, watcher: string): Promise<Fields> {
    const known = this.#watched.get(uri);
    if (known !== undefined) {
      known.watchers.add(watcher);
      return known.begun;
    }
    const begun = this.#begin(uri);
    const watched: Watched = { watchers: new Set([watcher]), begun };
    this.#watched.set(uri, watched);
    begun.then(
      () => this.#endUnwatched(uri, watched),
      () => this.#watched.get(uri) === watched && this.#watched.delete(uri),
    );
    return begun;
  }

  unwatch(uri: string, watcher: string): void {
    const watched = this.#watched.get(uri);
    if (watched === undefined || !watched.watchers.delete(watcher)) return;
    watched.begun.then(() => this.#endUnwatched(uri, watched)).catch(() => {});
  }

  forget(watcher: string): void {
    for (const uri of [...this.#watched.keys()]) this.unwatch(uri, watcher);
  }

  /** Renews all subscriptions on a new connection. */
  greet(connection: UpstreamConnection): void {
    this.#connection = connection;
    if (connection.era === 'modern') this.#listen(connection, AGAIN_MS);
    else for (const uri of this.#watched.keys()) connection.sendRequest('resources/subscribe', { uri }, ownContext()).catch(() => {});
  }

  close(): void {
    this.#listening?.abort();
  }

  async #begin(uri: string): Promise<Fields> {
    const connection = await this.#reach();
    if (connection.era === 'legacy') return connection.sendRequest('resources/subscribe', { uri }, ownContext());
    this.#listenSoon(connection);
    return {};
  }

  #endUnwatched(uri: string, watched: Watched): void {
    if (watched.watchers.size > 0 || this.#watched.get(uri) !== watched) return;
    this.#watched.delete(uri);
    const connection = this.#connection;
    if (connection === undefined || connection.isClosed) return;
    if (connection.era === 'legacy') connection.sendRequest('resources/unsubscribe', { uri }, ownContext()).catch(() => {});
    else this.#listenSoon(connection);
  }

  /** Batches changes, since each request names all resources. */
  #listenSoon(connection: UpstreamConnection): void {
    if (this.#soon) return;
    this.#soon = true;
    setImmediate(() => {
      this.#soon = false;
      if (!connection.isClosed) this.#listen(connection, AGAIN_MS);
    });
  }

  /** Starts the new subscription before the old one ends, so that nothing is missed. */
  #listen(connection: UpstreamConnection, delay: number): void {
    const before = this.#listening;
    const cancellation = new Cancellation();
    this.#listening = cancellation;
    const kinds = this.#lists.filter((kind) => announces(connection.handshake, kind)).map((kind) => [`${kind}ListChanged`, true]);
    const watched = [...this.#watched.keys()];
    if (kinds.length + watched.length > 0) {
      const filter = { ...Object.fromEntries(kinds), ...(watched.length === 0 ? {} : { resourceSubscriptions: watched }) };
      const again = (cause?: unknown) => void this.#listenAgain(connection, cancellation, delay, cause);
      connection.listen(filter, new Context({ caller: OWNER }, cancellation)).then(() => again(), again);
    }
    before?.abort();
  }

  async #listenAgain(connection: UpstreamConnection, cancellation: Cancellation, delay: number, cause: unknown): Promise<void> {
    if (cause instanceof ServerError && cause.code === METHOD_NOT_FOUND) return;
    await setTimeout(delay, undefined, { ref: false });
    if (cancellation.aborted || connection.isClosed) return;
    this.#listen(connection, Math.min(2 * delay, LONGEST_MS));
    this.#missed(connection);
  }
}
