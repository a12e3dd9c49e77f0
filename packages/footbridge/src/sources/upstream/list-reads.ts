/** What is known of reading the lists of a server. */
import type { ListKind } from './listing.js';

export class ListReads {
  readonly running = new Map<ListKind, Promise<void>>();
  /** Lists that changed while they were read. */
  readonly stale = new Set<ListKind>();
  /** Lists that the server failed to return. */
  readonly unlisted = new Set<ListKind | 'skills'>();
  /** How many entries of a list exceeded the limits. */
  readonly leftOut = new Map<ListKind, number>();
}
