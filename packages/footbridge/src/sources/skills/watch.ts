/** Noticing that something in the skill folders changed. */
import { existsSync, type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemCode } from '../../errors.js';
import { numberOfText, SplitMap } from '../../split-map.js';
import { Turns } from '../../turns.js';

/** Only here does one handle see a whole tree without walking it. */
const WATCHES_TREES = process.platform === 'darwin' || process.platform === 'win32';

/** How many folders are looked at before calls get their turn again, if watching them takes no longer. */
const BATCH = 500;
/** And for how long: with so many watches, Node may take 15 ms for one of them, to make room for more. */
const SLICE_MS = 2;
/** New folders that are worth a look at each. */
const MANY = 100;
/** Folders in one of this many are kept in parts. */
const LARGE = 4096;
/** One for all: there may be a watch for each of very many folders. */
const OPTIONS = { persistent: false };

/** A folder to watch: one with folders in it, or any other. */
export type WatchedTree =
  | { readonly kind: 'group'; readonly names: readonly string[]; readonly nodes: readonly WatchedTree[] }
  | { readonly kind: 'skill' | 'refused' };

export interface WatchTargets {
  /** By configured folder. Each is watched with all below it, and for being replaced; the same object has the same folders in it. */
  readonly forest: ReadonlyMap<string, WatchedTree>;
  /** Configured folders that do not exist yet. */
  readonly missing: readonly string[];
}

/** The watch for a folder knows which one it is: a function for each would take more memory than the watch. */
interface FolderWatch extends FSWatcher {
  owner?: FolderWatcher;
  group?: WatchedGroup;
  /** Of a skill in the group. */
  folder?: string;
}

type Inner = Pick<Map<string, WatchedGroup | FSWatcher>, 'size' | 'get' | 'delete' | 'clear'> & {
  set(name: string, watched: WatchedGroup | FSWatcher): unknown;
  keys(): Iterable<string>;
  values(): Iterable<WatchedGroup | FSWatcher>;
};

/** A folder of folders that is watched. */
class WatchedGroup {
  /** What it had when all that is in it was watched. */
  node: WatchedTree | undefined;
  watcher: FSWatcher | undefined;
  /** By name: a watch for a skill, whose name is all that is reported. */
  readonly inner: Inner;

  constructor(
    readonly above: WatchedGroup | undefined,
    /** Of a configured folder its path. */
    readonly name: string,
    node: WatchedTree,
  ) {
    // Most are so small that the other one would take more memory.
    this.inner = node.kind === 'group' && node.names.length > LARGE ? new SplitMap(numberOfText) : new Map();
  }

  get path(): string {
    return this.above === undefined ? this.name : join(this.above.path, this.name);
  }
}

/** Calls `changed` after any change in the watched folders, with the folder if it is known, and when a missing one appears. */
export class FolderWatcher {
  readonly #groups = new Map<string, WatchedGroup>();
  /** Folders above others, of which only some names matter. */
  readonly #parents = new Map<string, { names: ReadonlySet<string>; watcher: FSWatcher }>();
  #latest = 0;
  #full = false;
  /** Whether something that should be watched is not: time for another call of `watch`. */
  incomplete = false;

  constructor(
    readonly changed: (folder?: string) => void,
    /** Told once when the system has no more watches to give. */
    readonly exhausted: () => void,
  ) {}

  /**
   * Watches these and no others; resolves with the folders that were not watched before, or undefined where there are many. Where a
   * newer call overtakes it, the newer one counts.
   */
  async watch({ forest, missing }: WatchTargets): Promise<readonly string[] | undefined> {
    const turn = ++this.#latest;
    this.incomplete = false;
    const added: string[] = [];
    let isMany = this.#watchParents(namesToWatch([...forest.keys()], missing));
    for (const [path, group] of this.#groups) {
      if (forest.has(path)) continue;
      close(group);
      this.#groups.delete(path);
    }
    const turns = new Turns('background', SLICE_MS);
    let looked = 0;
    // This turn may be that of another slice.
    await turns.next();
    if (turn !== this.#latest) return isMany ? undefined : added;
    for (const [path, node] of forest) {
      const group = this.#groups.get(path) ?? new WatchedGroup(undefined, path, node);
      this.#groups.set(path, group);
      for (const isNew of this.#follow(group, path, node)) {
        if (isNew !== undefined && added.length < MANY) added.push(isNew);
        isMany ||= added.length === MANY;
        if (++looked % BATCH === 0 || turns.isOver) await turns.next();
        if (turn !== this.#latest) return isMany ? undefined : added;
      }
    }
    return isMany ? undefined : added;
  }

  close(): void {
    this.#latest++;
    for (const group of this.#groups.values()) close(group);
    for (const { watcher } of this.#parents.values()) watcher.close();
    this.#groups.clear();
    this.#parents.clear();
  }

  /** Watches what is not watched yet below a folder, step by step, with the paths of those that are new. What did not change is passed over. */
  *#follow(group: WatchedGroup, path: string, node: WatchedTree): Generator<string | undefined> {
    if (group.watcher === undefined) {
      group.watcher = this.#startFolder(path, group);
      yield group.watcher && path;
    }
    if (group.node === node || WATCHES_TREES) return;
    const names = node.kind === 'group' ? node.names : [];
    const nodes = node.kind === 'group' ? node.nodes : [];
    for (const [at, child] of nodes.entries()) {
      const name = names[at] ?? '';
      const inner = group.inner.get(name);
      if (child.kind === 'group') {
        const next = inner instanceof WatchedGroup ? inner : new WatchedGroup(group, name, child);
        if (inner !== undefined && inner !== next) close(inner);
        group.inner.set(name, next);
        yield* this.#follow(next, join(path, name), child);
      } else if (inner === undefined || inner instanceof WatchedGroup) {
        if (inner !== undefined) close(inner);
        const place = join(path, name);
        const watcher = this.#startFolder(place, group, name);
        if (watcher === undefined) group.inner.delete(name);
        else group.inner.set(name, watcher);
        yield watcher && place;
      } else yield undefined;
    }
    if (group.inner.size > names.length) {
      const wanted = new Set<string>();
      for (const name of names) {
        wanted.add(name);
        yield undefined;
      }
      for (const name of group.inner.keys()) {
        if (!wanted.has(name)) drop(group, name);
        yield undefined;
      }
    }
    group.node = node;
  }

  /** Whether one is new. */
  #watchParents(wanted: ReadonlyMap<string, ReadonlySet<string>>): boolean {
    for (const [folder, { names, watcher }] of this.#parents) {
      if (sameNames(names, wanted.get(folder))) continue;
      watcher.close();
      this.#parents.delete(folder);
    }
    let isNew = false;
    for (const [folder, names] of wanted) {
      if (this.#parents.has(folder)) continue;
      const listener: Listener = (event, name) => this.#onParent(folder, names, event, name);
      const watcher = this.#start(folder, listener, () => listener('rename', null), false);
      if (watcher === undefined) continue;
      this.#parents.set(folder, { names, watcher });
      isNew = true;
    }
    return isNew;
  }

  #startFolder(path: string, group: WatchedGroup, folder?: string): FSWatcher | undefined {
    const watcher = this.#start(path, onFolderChange, onFolderError, WATCHES_TREES);
    return watcher && Object.assign(watcher, folder === undefined ? { owner: this, group } : { owner: this, group, folder });
  }

  #start(path: string, listener: Listener, failed: () => void, recursive: boolean): FolderWatch | undefined {
    if (this.#full) return undefined;
    try {
      return watch(path, recursive ? { ...OPTIONS, recursive } : OPTIONS, listener).on('error', failed);
    } catch (cause) {
      if (systemCode(cause) === 'ENOSPC' || systemCode(cause) === 'EMFILE') {
        this.#full = true;
        this.exhausted();
      }
      // a folder that went away meanwhile is noticed by the watch on the one above it
      return undefined;
    }
  }

  /** After an event in a watched folder; without a name where it is not known. */
  onFolder(group: WatchedGroup, folder: string | undefined, event: string, name: string | null): void {
    if (folder === undefined) this.#onGroup(group, event, name);
    else this.#onSkill(group, folder, event, name);
  }

  #onParent(folder: string, names: ReadonlySet<string>, event: string, name: string | null): void {
    // A folder that came, went or was replaced has another one behind its name: what was watched there is no more.
    if (event === 'rename' && (name === null || name === basename(folder))) this.#endParent(folder);
    if (name !== null && !names.has(name)) return;
    if (event === 'rename') {
      for (const path of this.#groups.keys())
        if (name === null || path === join(folder, name) || dirname(path) === join(folder, name)) this.#endGroup(path);
      if (name !== null) this.#endParent(join(folder, name));
    }
    this.changed();
  }

  #onGroup(group: WatchedGroup, event: string, name: string | null): void {
    if (event === 'rename' && (name === null || name === basename(group.name))) this.#end(group);
    if (event === 'rename' && name !== null) this.#forget(group, name);
    this.changed(WATCHES_TREES ? undefined : group.path);
  }

  #onSkill(group: WatchedGroup, folder: string, event: string, name: string | null): void {
    if (event === 'rename' && (name === null || name === folder)) this.#forget(group, folder);
    this.changed(join(group.path, folder));
  }

  #end(group: WatchedGroup): void {
    if (group.above !== undefined) this.#forget(group.above, group.name);
    else this.#endGroup(group.name);
  }

  #endGroup(path: string): void {
    const group = this.#groups.get(path);
    if (group === undefined) return;
    this.incomplete = true;
    close(group);
    this.#groups.delete(path);
  }

  #endParent(folder: string): void {
    const parent = this.#parents.get(folder);
    if (parent === undefined) return;
    this.incomplete = true;
    parent.watcher.close();
    this.#parents.delete(folder);
  }

  /** Stops watching what has a name in a folder, and all below it, until the next call of `watch`. */
  #forget(group: WatchedGroup, name: string): void {
    if (!drop(group, name)) return;
    this.incomplete = true;
    for (let above: WatchedGroup | undefined = group; above !== undefined; above = above.above) above.node = undefined;
  }
}

type Listener = (event: string, name: string | null) => void;

function onFolderChange(this: FolderWatch, event: string, name: string | null): void {
  if (this.group !== undefined) this.owner?.onFolder(this.group, this.folder, event, name);
}

function onFolderError(this: FolderWatch): void {
  if (this.group !== undefined) this.owner?.onFolder(this.group, this.folder, 'rename', null);
}

function drop(group: WatchedGroup, name: string): boolean {
  const inner = group.inner.get(name);
  if (inner === undefined) return false;
  close(inner);
  return group.inner.delete(name);
}

function close(watched: WatchedGroup | FSWatcher): void {
  if (!(watched instanceof WatchedGroup)) {
    watched.close();
    return;
  }
  watched.watcher?.close();
  watched.watcher = undefined;
  watched.node = undefined;
  for (const inner of watched.inner.values()) close(inner);
  watched.inner.clear();
}

/** The names in folders above configured ones that matter. */
function namesToWatch(roots: readonly string[], missing: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const wanted = new Map<string, Set<string>>();
  const wait = (folder: string, name: string) => wanted.set(folder, (wanted.get(folder) ?? new Set()).add(name));
  for (const folder of missing) {
    const { existing, next } = nearestExisting(folder);
    wait(existing, next);
  }
  // A configured folder, or the one it lies in, may be replaced as a whole, or be a link that is turned elsewhere.
  for (const root of roots) {
    wait(dirname(root), basename(root));
    wait(dirname(dirname(root)), basename(dirname(root)));
  }
  return wanted;
}

function sameNames(one: ReadonlySet<string>, other: ReadonlySet<string> | undefined): boolean {
  return other !== undefined && one.size === other.size && [...one].every((name) => other.has(name));
}

/** The closest folder above a missing one that exists, and the name in it to wait for. */
function nearestExisting(folder: string): { existing: string; next: string } {
  let next = folder;
  while (!existsSync(dirname(next)) && dirname(next) !== next) next = dirname(next);
  return { existing: dirname(next), next: basename(next) };
}
