/** One source for many catalogs, which see the same contribution and hear of the same changes. */
import type { Contribution, Source } from './source.js';

interface Lease {
  readonly changed: (next: Contribution) => void;
  readonly updated: (uri: string) => void;
}

/** Returns a way to get a source for each catalog. What is behind is opened with the first and stays open. */
export function share(source: Source): () => Source {
  const leases = new Set<Lease>();
  let current: Promise<Contribution> | undefined;
  const open = () =>
    source.open(
      (next) => {
        current = Promise.resolve(next);
        for (const lease of leases) lease.changed(next);
      },
      (uri) => {
        for (const lease of leases) lease.updated(uri);
      },
    );
  return () => {
    let own: Lease | undefined;
    return {
      name: source.name,
      open(changed, updated) {
        own = { changed, updated };
        leases.add(own);
        current ??= open().catch((cause: unknown) => {
          // The next catalog tries again.
          current = undefined;
          throw cause;
        });
        return current;
      },
      refresh: (context) => source.refresh(context),
      close() {
        if (own !== undefined) leases.delete(own);
      },
    };
  };
}
