/** Watches all folders of the skills, including supporting files. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SKIPPED_FOLDERS } from '../../sources/skills/rules.js';
import { FolderWatcher } from '../../sources/skills/watch.js';

/** Delay that combines a burst of changes. */
const SETTLE_MS = 100;
/** Polling interval, for file systems that do not report every change. */
const LOOK_MS = 30_000;
/** Changes in further folders are found by polling. */
const MOST_FOLDERS = 5000;

/** Calls `changed` after changes in `folder`, never concurrently. Returns a function that stops. */
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
    // New folders are watched before they are read, so that no change is missed.
    await watch();
    await changed();
  };
  const schedule = () => {
    if (closed) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      // A file may vanish while it is read; try again.
      running = running.then(look).catch(schedule);
    }, SETTLE_MS);
  };
  const interval = setInterval(schedule, LOOK_MS);
  // Covers changes before the watch started.
  running = watch().then(schedule);
  return () => {
    closed = true;
    clearTimeout(timer);
    clearInterval(interval);
    watcher.close();
  };
}

/** Parents first; empty if the folder does not exist. Links are not followed. */
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
