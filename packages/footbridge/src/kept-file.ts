/** Files in the cache folder, readable only by their owner. */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files that were not written for this long are removed. */
const STALE_MS = 60 * 24 * 3600 * 1000;

/** Writes a file atomically, and removes stale ones with the same prefix. Failures are ignored: it is only a cache. */
export function keepFile(folder: string, prefix: string, name: string, text: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `${prefix}${name}`);
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, file);
    removeStale(folder, prefix);
  } catch {
    // the next start rebuilds it
  }
}

function removeStale(folder: string, prefix: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (name.startsWith(prefix) && Date.now() - statSync(file).mtimeMs > STALE_MS) rmSync(file);
  }
}
