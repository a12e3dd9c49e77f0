/** Noticing that something in the skill folders changed. */
import { existsSync, type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { systemCode } from '../../errors.js';

/** Only here does one handle see a whole tree without walking it. */
const WATCHES_TREES = process.platform === 'darwin' || process.platform === 'win32';

/** How many folders are added before calls get their turn again. */
const BATCH = 100;

export interface WatchTargets {
  /** Folders that exist: configured ones first, then what they hold. */
  readonly folders: readonly string[];
  /** Configured folders that exist; each is watched with all below it where the system can. */
  readonly roots: readonly string[];
  /** Configured folders that do not exist yet. */
  readonly missing: readonly string[];
}

/** Calls `changed` after anything happens in the folders it was last told of, and when a missing one appears. */
export class FolderWatcher {
  readonly #watchers = new Map<string, FSWatcher>();
  #latest = 0;
  #full = false;

  constructor(
    readonly changed: () => void,
    /** Told once when the system has no more watches to give. */
    readonly exhausted: () => void,
  ) {}

  /** Watches these and no others; resolves with how many are new. Where a newer call overtakes it, the newer one counts. */
  async watch(targets: WatchTargets): Promise<number> {
    const turn = ++this.#latest;
    const wanted = new Map<string, string | undefined>();
    for (const folder of WATCHES_TREES ? targets.roots : targets.folders) wanted.set(folder, undefined);
    for (const folder of targets.missing) {
      const { existing, next } = nearestExisting(folder);
      // A folder watched for its own sake is watched for everything in it.
      if (!wanted.has(existing)) wanted.set(existing, next);
    }
    for (const [key, watcher] of this.#watchers) {
      if (wanted.has(folderOf(key)) && key === keyOf(folderOf(key), wanted.get(folderOf(key)))) continue;
      watcher.close();
      this.#watchers.delete(key);
    }
    let added = 0;
    for (const [folder, only] of wanted) {
      if (this.#watchers.has(keyOf(folder, only)) || this.#full) continue;
      this.#add(folder, only);
      if (++added % BATCH === 0) await setImmediate();
      if (turn !== this.#latest) return added;
    }
    return added;
  }

  close(): void {
    this.#latest++;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #add(folder: string, only: string | undefined): void {
    const key = keyOf(folder, only);
    const listener = (_event: string, name: string | null) => {
      if (only === undefined || name === null || name === only) this.changed();
    };
    const forget = () => {
      this.#watchers.get(key)?.close();
      this.#watchers.delete(key);
    };
    try {
      const recursive = WATCHES_TREES && only === undefined;
      const watcher = watch(folder, { persistent: false, recursive }, listener);
      watcher.on('error', () => {
        forget();
        this.changed();
      });
      this.#watchers.set(key, watcher);
    } catch (cause) {
      if (systemCode(cause) === 'ENOSPC' || systemCode(cause) === 'EMFILE') {
        this.#full = true;
        this.exhausted();
      }
      // a folder that went away meanwhile is noticed by the watch on the one above it
    }
  }
}

/** NUL cannot stand in a path. */
const keyOf = (folder: string, only: string | undefined) => (only === undefined ? folder : `${folder}\0${only}`);
const folderOf = (key: string) => key.split('\0')[0] ?? key;

/** The closest folder above a missing one that exists, and the name in it to wait for. */
function nearestExisting(folder: string): { existing: string; next: string } {
  let next = folder;
  while (!existsSync(dirname(next)) && dirname(next) !== next) next = dirname(next);
  return { existing: dirname(next), next: basename(next) };
}
