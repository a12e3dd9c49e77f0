/** Maps of snapshots that follow each other: they share what did not change. */
import type { Entries } from './keyed-table.js';

/** The read-only part of a map. */
export type Lookup<V> = Pick<ReadonlyMap<string, V>, 'get' | 'has' | 'size'>;

/**
 * A map that never changes. The newest version owns the entries; each older one stores what the next one replaced. A new version
 * costs as much as its changes, and an old one gets slower with its age.
 */
export class SharedMap<V> implements Lookup<V> {
  #own: Entries<V> | undefined;
  #replaced: ReadonlyMap<string, V | undefined> | undefined;
  #next: SharedMap<V> | undefined;
  readonly #size: number;

  /** Owns `entries` from now on. */
  constructor(entries: Entries<V>) {
    this.#own = entries;
    this.#size = entries.size;
  }

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    // A loop, since an old version may be thousands of changes behind.
    for (let version: SharedMap<V> | undefined = this; version !== undefined; version = version.#next) {
      if (version.#own !== undefined) return version.#own.get(key);
      if (version.#replaced?.has(key) === true) return version.#replaced.get(key);
    }
    return undefined;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /** Whether a version made of this one shares its entries. */
  get isNewest(): boolean {
    return this.#own !== undefined;
  }

  /** The next version: with these entries, without those that are undefined. Of the newest version only. */
  with(changes: ReadonlyMap<string, V | undefined>): SharedMap<V> {
    const own = this.#own;
    if (own === undefined) throw new Error('Only the newest version can be changed.');
    const replaced = new Map<string, V | undefined>();
    for (const [key, value] of changes) {
      replaced.set(key, own.get(key));
      if (value === undefined) own.delete(key);
      else own.set(key, value);
    }
    const next = new SharedMap(own);
    this.#own = undefined;
    this.#replaced = replaced;
    this.#next = next;
    return next;
  }
}
