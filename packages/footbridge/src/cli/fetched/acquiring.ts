/** Fetches sources for a command: with its environment, progress, and the skills of configured servers. */
import { echo } from '../../errors.js';
import { silentLog } from '../../log.js';
import { type Acquired, acquire } from '../../sources/fetched/acquire.js';
import { FetchError } from '../../sources/fetched/fetch-error.js';
import type { FetchSurroundings, Resolved } from '../../sources/fetched/kind.js';
import { parseSource } from '../../sources/fetched/kinds.js';
import type { LockedSource } from '../../sources/fetched/locked-sources.js';
import { didYouMean, nearNames } from '../../sources/fetched/near-names.js';
import { Store } from '../../sources/fetched/store.js';
import { trustCheck } from '../../sources/fetched/trust/index.js';
import type { Io } from '../io.js';
import type { CommonOptions, OpenedCatalog } from '../options.js';
import { withProgress } from '../progress.js';
import { plain } from '../terminal.js';
import { stoppedBySignals } from './interruption.js';
import type { PlaceOptions, SourcesPlace } from './place.js';
import { trustAt } from './trust-settings.js';

export interface SourceOptions extends CommonOptions, PlaceOptions {
  readonly config?: string;
  readonly yes?: boolean;
  /** Whether fetched content stays in the store. Default: true. */
  readonly isKept?: boolean;
  /** Whether the person names the source in the command. Default: the configuration does. */
  readonly isNamed?: boolean;
}

export interface Fetcher {
  readonly store: Store;
  /**
   * What the specification resolves to now, with the skills named in `only`, or all. Refused if its signer differs from `before`,
   * or if it has no skills and, with `serversSuffice`, no MCP servers.
   */
  newest(specification: string, only: readonly string[], before?: LockedSource, serversSuffice?: boolean): Promise<Acquired>;
  /** The current pin, without files; undefined if the kind cannot know it without them. */
  resolve(specification: string): Promise<Resolved | undefined>;
  /** Exactly what is locked. */
  exactly(locked: LockedSource): Promise<Acquired>;
}

/** Runs `work` with a fetcher, and stops what it started. */
export async function withFetcher<T>(
  place: SourcesPlace,
  options: SourceOptions,
  io: Io,
  work: (fetcher: Fetcher) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  let opened: OpenedCatalog | undefined;
  const skillsOf: FetchSurroundings['skillsOf'] = async (server) => {
    const { openCatalog } = await import('../options.js');
    opened ??= await openCatalog(options, { watch: false, log: silentLog, asFound: true }, io);
    const { outages, shadowed, skills, upstreams } = opened.catalog.snapshot;
    if (!upstreams.some(({ name }) => name === server)) {
      const near = nearNames(
        server,
        upstreams.map(({ name }) => name),
      ).map((name) => `mcp:${echo(name)}`);
      throw new FetchError(
        `The server '${echo(server)}' was not found.`,
        didYouMean(near, 'Add it to "mcpServers" in footbridge.json, and see that it starts.'),
      );
    }
    const outage = outages.find((each) => each.server === server);
    if (outage !== undefined)
      throw new FetchError(`The server '${echo(server)}' is not available: ${outage.message}`, 'Find the cause with: footbridge doctor');
    // The fetched skill takes precedence over the server's own.
    const all = [...skills, ...shadowed.map(({ skill }) => skill)];
    return all.filter(({ directory, origin }) => directory === undefined && origin === server);
  };
  const { isKept = true, isNamed = false } = options;
  const { isTrusted, settings } = await trustAt(place, io);
  const surroundings = {
    isTrusted,
    isPublicOnly: !isTrusted && !isNamed,
    env: io.env,
    home: io.home,
    folder: place.folder,
    signal: stop.signal,
    skillsOf,
  };
  const store = new Store(io);
  const check = (before?: LockedSource) => trustCheck({ settings, surroundings, before });
  const fetching = <R>(what: string, run: () => Promise<R>) =>
    stoppedBySignals(stop, () => withProgress(`fetching ${plain(what)}…`, run, io));
  try {
    return await work({
      store,
      newest: (specification, only, before, serversSuffice = false) =>
        fetching(specification, () =>
          acquire(parseSource(specification).source, { store, surroundings, only, serversSuffice, isKept, check: check(before) }),
        ),
      resolve: (specification) => {
        const { source } = parseSource(specification);
        return fetching(specification, () => store.withTemporary(async (temporary) => source.resolve?.({ ...surroundings, temporary })));
      },
      exactly: (locked) => {
        const { content, resolved, skills, source } = locked;
        const only = skills.map(({ folder }) => folder);
        return fetching(source, () =>
          acquire(parseSource(source).source, { store, surroundings, only, pin: resolved, expected: content, check: check(locked) }),
        );
      },
    });
  } finally {
    stop.abort();
    await opened?.end();
  }
}
