/** Transforms: functions that change what a source contributes. */
import { setImmediate } from 'node:timers/promises';
import type { Fields } from '../../json.js';
import type { ContributionChanged, InternalContribution, InternalSource, ResourceUpdated, Skill, Source } from '../source.js';

/** Wraps a source. */
export type Transform = (source: Source) => InternalSource;

/** A source with each of its contributions mapped. Updates of URIs that `shows` refuses are dropped. */
export function mapSource(
  source: Source,
  map: (whole: InternalContribution) => InternalContribution,
  shows: (uri: string) => boolean = () => true,
): InternalSource {
  return {
    name: source.name,
    async open(changed, updated) {
      const first = await source.open(
        (next) => changed(map(next)),
        (uri: string, params?: Fields) => shows(uri) && updated(uri, params),
      );
      return map(first);
    },
    refresh: async (context) => source.refresh?.(context),
    close: () => source.close?.(),
  };
}

/** A skill with some of its parts replaced. */
export function mapSkill(skill: Skill, parts: Partial<Skill>): Skill {
  const { name, description, group, location, origin, provenance, directory, identity, version, modified, size, conforms } = skill;
  return {
    name,
    description,
    group,
    location,
    origin,
    provenance,
    directory,
    identity,
    version,
    modified,
    size,
    conforms,
    read: (path, context) => skill.read(path, context),
    ...(skill.opening === undefined ? {} : { opening: skill.opening.bind(skill) }),
    list: (folder) => skill.list(folder),
    manifest: () => skill.manifest(),
    ...parts,
  };
}

interface Listeners {
  readonly changed: ContributionChanged;
  readonly updated: ResourceUpdated;
}

/** A source that several catalogs share. */
interface Shared {
  readonly leases: Set<Listeners>;
  contribution: Promise<InternalContribution> | undefined;
  /** Resolves when all leases have the newest contribution. */
  delivered: Promise<void>;
}

const shared = new WeakMap<Source, Shared>();

/**
 * A lease on a source, one for each catalog that shares it. The source is opened with the first lease and stays open until
 * its owner closes it.
 */
export const lease: Transform = (source) => {
  const state = shared.get(source) ?? { leases: new Set(), contribution: undefined, delivered: Promise.resolve() };
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
    async refresh(context) {
      await source.refresh?.(context);
      await state.delivered;
    },
    close() {
      if (own !== undefined) state.leases.delete(own);
    },
  };
};

function open(source: Source, state: Shared): Promise<InternalContribution> {
  return source.open(
    (next) => {
      state.contribution = Promise.resolve(next);
      state.delivered = deliver(next, state);
      return state.delivered;
    },
    (uri: string, params?: Fields) => {
      for (const { updated } of state.leases) updated(uri, params);
    },
  );
}

/** Each catalog is updated in a turn of its own, since a large update may take long. */
async function deliver(next: InternalContribution, state: Shared): Promise<void> {
  const newest = state.contribution;
  let isFirst = true;
  for (const own of [...state.leases]) {
    if (!isFirst) await setImmediate();
    isFirst = false;
    // A newer one may have arrived meanwhile.
    if (state.contribution !== newest) return;
    if (state.leases.has(own)) await own.changed(next);
  }
}
