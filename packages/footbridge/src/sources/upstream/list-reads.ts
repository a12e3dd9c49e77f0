/** What is known of reading the lists of a server. */
import type { UpstreamConnection } from './connection.js';
import type { ListKind } from './listing.js';
import { RereadPace } from './reread-pace.js';

export class ListReads {
  readonly running = new Map<ListKind, Promise<void>>();
  /** Lists that changed while they were read. */
  readonly stale = new Set<ListKind>();
  /** Lists that are read again after a while, because they changed just before, too. */
  readonly later = new Map<ListKind, { readonly connection: UpstreamConnection; readonly reading: Promise<void> }>();
  /** Lists that the server failed to return. */
  readonly unlisted = new Set<ListKind | 'skills'>();
  /** How many entries of a list exceeded the limits. */
  readonly leftOut = new Map<ListKind, number>();
  readonly #paces = new Map<ListKind, RereadPace>();

  paceOf(kind: ListKind): RereadPace {
    const pace = this.#paces.get(kind) ?? new RereadPace();
    this.#paces.set(kind, pace);
    return pace;
  }
}
