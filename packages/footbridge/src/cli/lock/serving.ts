/** Serving with `"locked": true`: every source held against `footbridge.lock`, which is watched. */
import { resolve } from 'node:path';
import type { Log } from '../../log.js';
import type { Source } from '../../sources/source.js';
import { lockedSource } from '../../sources/transforms/locked/index.js';
import type { Locks, SkillLock } from '../../sources/transforms/locked/lock.js';
import type { Config } from '../config/index.js';
import { FileWatch } from '../file-watch.js';
import { LockError } from './document.js';
import { type LockPlace, lockPlace, readLock } from './file.js';
import { skillLock } from './skill-lock.js';

export interface LockedSources {
  readonly sources: readonly Source[];
  /** Resolves when every skill that is there by now has been checked. */
  checked(): Promise<void>;
  /** Ends the watching of the lock. */
  close(): void;
}

/** The sources without the skills that differ from the lock. A lock that is missing or bad withholds all skills, and is told. */
export async function lockedSources(
  sources: readonly Source[],
  { config, log, watch, cwd }: { readonly config: Config; readonly log: Log; readonly watch: boolean; readonly cwd: string },
): Promise<LockedSources> {
  const place = lockPlace(config, cwd);
  const listeners = new Set<() => void>();
  let current = await lockOf(place);
  const tell = ({ problem }: SkillLock) => problem !== undefined && log.error(`${problem.message} ${problem.action}`);
  tell(current.lock);
  const take = (next: ReadLock) => {
    if (next.content === current.content) return;
    current = next;
    tell(next.lock);
    if (next.lock.problem === undefined) log.info(`${place.file} reloaded`);
    for (const listener of listeners) listener();
  };
  const read = async () => take(await lockOf(place));
  const watcher = watch
    ? new FileWatch(resolve(cwd, place.file), { read, missing: () => take(missing(place)), failed: () => {}, log })
    : undefined;
  const locks: Locks = {
    get current() {
      return current.lock;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const locked = sources.map((source, index) => lockedSource(source, { locks, log, watch, reportsLock: index === 0 }));
  return {
    sources: locked,
    async checked() {
      await Promise.all(locked.map((source) => source.checked()));
    },
    close: () => watcher?.close(),
  };
}

/** What a server has under `skill:` is served as its skills are, and by no other way. */
export function withoutSkillResources(servers: Config['mcpServers']): Config['mcpServers'] {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => {
      const { exclude = {} } = server;
      return [name, { ...server, exclude: { ...exclude, resources: [...(exclude.resources ?? []), 'skill:*'] } }];
    }),
  );
}

/** A lock, and what tells it from another. */
interface ReadLock {
  readonly lock: SkillLock;
  readonly content: string;
}

async function lockOf(place: LockPlace): Promise<ReadLock> {
  try {
    const found = await readLock(place);
    return found === undefined ? missing(place) : { lock: skillLock(found.lock, place), content: found.text };
  } catch (cause) {
    if (cause instanceof LockError) return withholding(place, cause.message, cause.action);
    throw cause;
  }
}

function missing(place: LockPlace): ReadLock {
  return withholding(place, `${place.file} not found.`, 'Review what is served, then run `footbridge lock`.');
}

function withholding({ file }: LockPlace, reason: string, action: string): ReadLock {
  const message = `${reason} With "locked": true, no skill is served until it is valid.`;
  return {
    lock: { problem: { severity: 'error', rule: 'locked', file, message, action, skipped: true }, of: () => ({ state: 'unknown' }) },
    content: message,
  };
}
