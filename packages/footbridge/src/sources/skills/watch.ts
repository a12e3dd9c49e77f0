/** Noticing that something in the skill folders changed. */
import { existsSync, type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { systemCode } from '../../errors.js';

/** Only here does one handle see a whole tree without walking it. */
const WATCHES_TREES = process.platform === 'darwin' || process.platform === 'win32';

/** How many folders are added before calls get their turn again. */
const BATCH = 100;

export interface WatchTargets {
  /** Folders that exist: configured ones first, then what they hold; undefined when they are those of the last call. */
  readonly folders: readonly string[] | undefined;
  /** Configured folders that exist; each is watched with all below it where the system can, and for being replaced. */
  readonly roots: readonly string[];
  /** Configured folders that do not exist yet. */
  readonly missing: readonly string[];
}

/** Calls `changed` after any change in the watched folders, and when a missing one appears. */
export class FolderWatcher {
  readonly #watchers = new Map<string, { names: Names; watcher: FSWatcher }>();
  #folders: readonly string[] = [];
  #latest = 0;
  #full = false;
  /** Whether something that should be watched is not: time for another call of `watch`. */
  incomplete = false;

  constructor(
    readonly changed: () => void,
    /** Told once when the system has no more watches to give. */
    readonly exhausted: () => void,
  ) {}

  /** Watches these and no others; resolves with how many are new. Where a newer call overtakes it, the newer one counts. */
  async watch(targets: WatchTargets): Promise<number> {
    const turn = ++this.#latest;
    this.incomplete = false;
    this.#folders = (WATCHES_TREES ? targets.roots : targets.folders) ?? this.#folders;
    const wanted = namesToWatch(this.#folders, targets);
    for (const [folder, { names, watcher }] of this.#watchers) {
      if (wanted.has(folder) && sameNames(names, wanted.get(folder))) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    let added = 0;
    for (const [folder, names] of wanted) {
      if (this.#watchers.has(folder) || this.#full) continue;
      this.#add(folder, names);
      if (++added % BATCH === 0) await setImmediate();
      if (turn !== this.#latest) return added;
    }
    return added;
  }

  close(): void {
    this.#latest++;
    for (const { watcher } of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #add(folder: string, names: Names): void {
    const listener = (event: string, name: string | null) => {
      if (names !== undefined && name !== null && !names.has(name)) return;
      // A folder that came, went or was replaced has another one behind its name: what was watched there is no more.
      if (event === 'rename') this.#forget(name === null || name === basename(folder) ? folder : join(folder, name));
      if (event === 'rename' && name === basename(folder)) this.#forget(join(folder, name));
      this.changed();
    };
    try {
      const recursive = WATCHES_TREES && names === undefined;
      const watcher = watch(folder, { persistent: false, recursive }, listener);
      watcher.on('error', () => {
        this.#forget(folder);
        this.changed();
      });
      this.#watchers.set(folder, { names, watcher });
    } catch (cause) {
      if (systemCode(cause) === 'ENOSPC' || systemCode(cause) === 'EMFILE') {
        this.#full = true;
        this.exhausted();
      }
      // a folder that went away meanwhile is noticed by the watch on the one above it
    }
  }

  /** Stops watching a folder and all below it, until the next call of `watch`. */
  #forget(folder: string): void {
    if (!this.#watchers.has(folder)) return;
    this.incomplete = true;
    for (const [path, { watcher }] of this.#watchers) {
      if (path !== folder && !path.startsWith(folder + sep)) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
  }
}

/** The names in a folder that matter; undefined when all do. */
type Names = ReadonlySet<string> | undefined;

function namesToWatch(folders: readonly string[], { roots, missing }: WatchTargets): ReadonlyMap<string, Names> {
  const waiting = new Map<string, Set<string>>();
  const wait = (folder: string, name: string) => waiting.set(folder, (waiting.get(folder) ?? new Set()).add(name));
  for (const folder of missing) {
    const { existing, next } = nearestExisting(folder);
    wait(existing, next);
  }
  // A configured folder, or the one it lies in, may be replaced as a whole, or be a link that is turned elsewhere.
  for (const root of roots) {
    wait(dirname(root), basename(root));
    wait(dirname(dirname(root)), basename(dirname(root)));
  }
  const wanted = new Map<string, Names>(waiting);
  for (const folder of folders) wanted.set(folder, undefined);
  return wanted;
}

function sameNames(one: Names, other: Names): boolean {
  return (
    one === other || (one !== undefined && other !== undefined && one.size === other.size && [...one].every((name) => other.has(name)))
  );
}

/** The closest folder above a missing one that exists, and the name in it to wait for. */
function nearestExisting(folder: string): { existing: string; next: string } {
  let next = folder;
  while (!existsSync(dirname(next)) && dirname(next) !== next) next = dirname(next);
  return { existing: dirname(next), next: basename(next) };
}
