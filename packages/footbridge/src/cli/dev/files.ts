/** Noticing each change in the folders of skills, supporting files included. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SKIPPED_FOLDERS } from '../../sources/skills/rules.js';
import { FolderWatcher } from '../../sources/skills/watch.js';

/** How long after a change it is looked at, so that a burst of changes is one. */
const SETTLE_MS = 100;
/** How often it is looked whatever the watching says: not every file system tells of changes. */
const LOOK_MS = 30_000;
/** Folders that are watched; changes in more are seen when it is looked. */
const MOST_FOLDERS = 5000;

/** Calls `changed` some moments after something happened in `folder`, one call after the other; returns the way to stop. */
export function watchFiles(folder: string, changed: () => Promise<void>): () => void {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const watcher = new FolderWatcher(
    () => schedule(),
    () => {},
  );
  const watch = () => {
    const folders = foldersIn(folder);
    const there = folders.length > 0;
    return watcher.watch({ folders, roots: there ? [folder] : [], missing: there ? [] : [folder] });
  };
  const look = async () => {
    if (closed) return;
    // Those that are new are watched before they are looked at, so that nothing is missed between.
    await watch();
    await changed();
  };
  const schedule = () => {
    if (closed) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      // What vanished while it was looked at is not there the next time.
      running = running.then(look).catch(schedule);
    }, SETTLE_MS);
  };
  const interval = setInterval(schedule, LOOK_MS);
  // What happened before it is watched is seen by one look more.
  running = watch().then(schedule);
  return () => {
    closed = true;
    clearTimeout(timer);
    clearInterval(interval);
    watcher.close();
  };
}

/** The folder and those in it, the outer ones first; none when it is not there. Links are not followed. */
function foldersIn(folder: string): string[] {
  const folders = [folder];
  try {
    for (let index = 0; index < folders.length && folders.length < MOST_FOLDERS; index++) {
      const here = folders[index] ?? folder;
      for (const entry of listed(here, here === folder))
        if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) folders.push(join(here, entry.name));
    }
    return folders;
  } catch {
    return [];
  }
}

function listed(folder: string, must: boolean) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    if (must) throw cause;
    return [];
  }
}
