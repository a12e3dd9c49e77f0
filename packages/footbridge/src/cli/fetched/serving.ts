/** Serves the sources that are configured, from the lock and the store. Never fetches. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Log } from '../../log.js';
import type { LockedSource } from '../../sources/fetched/locked-sources.js';
import { readBounded } from '../../sources/fetched/read-bounded.js';
import { type ServedSource, type StoredSkills, type StoredState, storedSkills } from '../../sources/fetched/stored.js';
import { StoredTrees } from '../../sources/fetched/stored-trees.js';
import type { Notice } from '../../sources/source.js';
import { type Config, findConfig } from '../config/index.js';
import { FileWatch } from '../file-watch.js';
import { LOCK_FILE } from '../folders.js';
import type { Surroundings } from '../io.js';
import { CheckedLocks } from './checked-locks.js';
import { type SourcesPlace, sourcesPlace } from './place.js';

export interface ServingOptions {
  readonly config: Config;
  readonly io: Pick<Surroundings, 'cwd' | 'env' | 'home'>;
  readonly log: Log;
  readonly watch: boolean;
  readonly cacheFolder: string | undefined;
}

/** Undefined if there is nothing to serve. */
export async function storedSource(options: ServingOptions): Promise<StoredSkills | undefined> {
  const { cacheFolder, config, io, log, watch } = options;
  const [project, personal] = [sourcesPlace({ config: config.file }, io), sourcesPlace({ global: true }, io)];
  const checked = new CheckedLocks(cacheFolder);
  const first = await stateOf(config, project, personal, checked);
  if (first.sources.length + first.notices.length === 0) return undefined;
  const stored = storedSkills({ store: new StoredTrees(io), first, cacheFolder, log, serveSecrets: config.serveSecrets });
  const named = config.isDiscovered === true ? undefined : config.file;
  const read = async () => {
    const current = config.file === undefined ? config : await findConfig(named, io).catch(() => undefined);
    if (current !== undefined) await stored.update(await stateOf(current, project, personal, checked));
  };
  const failed = (cause: unknown) => log.warn(`The sources could not be read again: ${String(cause)}`);
  const watches = !watch
    ? []
    : [project, personal].map(({ lock }) => new FileWatch(resolve(io.cwd, lock.file), { read, missing() {}, failed, log }));
  return {
    ...stored,
    close() {
      checked.close();
      for (const each of watches) each.close();
      stored.close();
    },
  };
}

async function stateOf({ sources }: Config, project: SourcesPlace, personal: SourcesPlace, checked: CheckedLocks): Promise<StoredState> {
  const [own, shared] = [await lockedIn(personal, checked), sources.length === 0 ? undefined : await lockedIn(project, checked)];
  const wanted = sources.map(({ source }) => ({ source, locked: shared?.sources.find((each) => each.source === source) }));
  const served: ServedSource[] = [
    ...wanted.flatMap(({ locked }) => (locked === undefined ? [] : [{ locked, location: 'project' as const }])),
    ...own.sources.map((locked) => ({ locked, location: 'global' as const })),
  ];
  const problems = [shared?.problem, own.problem].filter((each) => each !== undefined);
  const unknown = shared?.problem === undefined ? wanted.filter(({ locked }) => locked === undefined) : [];
  return { sources: served, notices: [...problems, ...unknown.map(({ source }) => notLocked(source))] };
}

interface LockedSources {
  readonly sources: readonly LockedSource[];
  readonly problem?: Notice;
}

const LARGEST = 16 * 1024 * 1024;

/** None if there is no lock. */
async function lockedIn({ lock: { file, folder } }: SourcesPlace, checked: CheckedLocks): Promise<LockedSources> {
  const path = join(folder, LOCK_FILE);
  if (!existsSync(path)) return { sources: [] };
  try {
    const bytes = await readBounded(path, LARGEST);
    if (bytes === undefined) throw new Error('it is no file, or larger than 16 MiB');
    return { sources: await checked.sourcesIn(path, bytes) };
  } catch (cause) {
    const message = `${file} cannot be used: ${cause instanceof Error ? cause.message : 'unknown error'}. The sources in it are not served.`;
    return { sources: [], problem: { severity: 'error', rule: 'sources-unreadable', file, message, action: 'Restore it.', skipped: true } };
  }
}

function notLocked(source: string): Notice {
  return {
    severity: 'error',
    rule: 'not-locked',
    file: source,
    message: 'It is in footbridge.json and not in footbridge.lock, so it is not served.',
    action: `Run: footbridge add ${source}`,
    skipped: true,
  };
}
