/** Callers that want to know when the lists of their own connection change. */
import type { ListFollower } from '../forwarding.js';
import type { ListKind } from './listing.js';

export class ListFollowers {
  /** Most servers have none. */
  #followers: Map<string, Set<ListFollower>> | undefined;

  /** `key` names the caller. Returns a function that stops following. */
  add(key: string, follower: ListFollower): () => void {
    this.#followers ??= new Map();
    const all = this.#followers;
    const followers = all.get(key) ?? new Set();
    all.set(key, followers.add(follower));
    return () => {
      followers.delete(follower);
      if (followers.size === 0 && all.get(key) === followers) all.delete(key);
    };
  }

  announce(key: string, kind: ListKind): void {
    for (const follower of this.#followers?.get(key) ?? []) follower(kind);
  }
}
