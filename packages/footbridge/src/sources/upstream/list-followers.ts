/** Callers that want to know when the lists of their own connection change. */
import type { ListFollower } from '../forwarding.js';
import type { ListKind } from './listing.js';

export class ListFollowers {
  readonly #followers = new Map<string, Set<ListFollower>>();

  /** `key` names the caller. Returns a function that stops following. */
  add(key: string, follower: ListFollower): () => void {
    const followers = this.#followers.get(key) ?? new Set();
    this.#followers.set(key, followers.add(follower));
    return () => {
      followers.delete(follower);
      if (followers.size === 0 && this.#followers.get(key) === followers) this.#followers.delete(key);
    };
  }

  announce(key: string, kind: ListKind): void {
    for (const follower of this.#followers.get(key) ?? []) follower(kind);
  }
}
