/** Reads and changes the sources in a lock. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Acquired } from '../../sources/fetched/acquire.js';
import type { LockedSource } from '../../sources/fetched/locked-sources.js';
import { Store } from '../../sources/fetched/store.js';
import { stateFolder } from '../../state/index.js';
import { withLock } from '../../state/lock-file.js';
import type { Io } from '../io.js';
import type { Lock } from '../lock/document.js';
import { readLock, writeLock } from '../lock/file.js';
import type { SourcesPlace } from './place.js';

const NOTHING: Lock = { scope: 'sources', skills: [], listings: [], sources: [] };
/** How long another process may hold the lock. */
const LOCK_TIMEOUT_MS = 30_000;

/** Throws a `LockError` if the lock is invalid. */
export async function lockedSourcesAt({ lock }: SourcesPlace): Promise<readonly LockedSource[]> {
  return (await readLock(lock))?.lock.sources ?? [];
}

/** Runs `work` while no other process changes the sources of this place. */
export async function aloneAt<T>({ folder }: SourcesPlace, { env, home }: Io, work: () => Promise<T>): Promise<T> {
  await new Store({ env, home }).claim();
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 32);
  return withLock(join(stateFolder(undefined, '', 'store', env, home), `${name}.lock`), LOCK_TIMEOUT_MS, work);
}

/** Replaces the sources that `change` returns something else for. */
export async function changeLocked(
  { lock: place }: SourcesPlace,
  change: (sources: readonly LockedSource[]) => readonly LockedSource[],
): Promise<void> {
  const { lock = NOTHING } = (await readLock(place)) ?? {};
  writeLock(place, { ...lock, sources: change(lock.sources) });
}

/** What is recorded of a source that was fetched. */
export function lockedOf(source: string, kind: string, { content, pin, promised, signer, skills, version }: Acquired): LockedSource {
  return {
    source,
    kind,
    version,
    resolved: pin,
    promised,
    signer,
    content,
    skills: skills.map(({ description, files, folder, name }) => ({ folder, name, description, files })),
  };
}

/** With one source replaced or added. */
export function withSource(sources: readonly LockedSource[], next: LockedSource): readonly LockedSource[] {
  return [...sources.filter(({ source }) => source !== next.source), next];
}
