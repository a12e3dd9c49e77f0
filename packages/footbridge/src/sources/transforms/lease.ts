/** One source for many catalogs, which get the same contributions and the same changes. */
import type { InternalContribution, Source } from '../source.js';
import type { Transform } from './index.js';

interface Listeners {
  readonly changed: (next: InternalContribution) => void;
  readonly updated: (uri: string) => void;
}

/** A source that several catalogs share. */
interface Shared {
  readonly leases: Set<Listeners>;
  contribution: Promise<InternalContribution> | undefined;
}

const shared = new WeakMap<Source, Shared>();

/**
 * A lease on a source, one for each catalog that shares it. The source is opened with the first lease and stays open until
 * its owner closes it.
 */
export const lease: Transform = (source) => {
  const state = shared.get(source) ?? { leases: new Set(), contribution: undefined };
  shared.set(source, state);
  let own: Listeners | undefined;
  return {
    name: source.name,
    open(changed, updated) {
      own = { changed, updated };
      state.leases.add(own);
      state.contribution ??= open(source, state).catch((cause: unknown) => {
        // The next catalog tries again.
        state.contribution = undefined;
        throw cause;
      });
      return state.contribution;
    },
    refresh: async (context) => source.refresh?.(context),
    close() {
      if (own !== undefined) state.leases.delete(own);
    },
  };
};

function open(source: Source, state: Shared): Promise<InternalContribution> {
  return source.open(
    (next) => {
      state.contribution = Promise.resolve(next);
      for (const { changed } of state.leases) changed(next);
    },
    (uri) => {
      for (const { updated } of state.leases) updated(uri);
    },
  );
}
