/** Files in the cache folder: what can be made again, for nobody else to read. */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What nobody has needed for so long is of no use. */
const STALE_MS = 60 * 24 * 3600 * 1000;

/** Writes a file whole or not at all, and removes old ones whose names begin the same. Not to be able to is no harm. */
export function keepFile(folder: string, prefix: string, name: string, text: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `${prefix}${name}`);
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, file);
    removeStale(folder, prefix);
  } catch {
    // the next start does without
  }
}

function removeStale(folder: string, prefix: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (name.startsWith(prefix) && Date.now() - statSync(file).mtimeMs > STALE_MS) rmSync(file);
  }
}
