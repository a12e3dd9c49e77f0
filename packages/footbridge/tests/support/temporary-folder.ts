/** Temporary files of a test run are kept in memory if the machine has room: tests create tens of thousands of them. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The in-memory file system of Linux. */
const MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 1024 ** 3;

/** Sets TMPDIR for all workers, and removes the folder after the last of them has ended. */
export default function useMemory(): (() => void) | undefined {
  const folder = newFolder();
  if (folder === undefined) return undefined;
  process.env['TMPDIR'] = folder;
  // A program may still write while it exits.
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

/** Undefined if there is not enough room, or if programs may not be started there, as in many containers. */
function newFolder(): string | undefined {
  if (!hasRoom()) return undefined;
  const folder = mkdtempSync(join(MEMORY, 'footbridge-'));
  // Some tests start programs as another user.
  chmodSync(folder, 0o1777);
  const script = join(folder, 'can-start');
  writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 });
  if (spawnSync(script).status === 0) return folder;
  rmSync(folder, { recursive: true });
  return undefined;
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
}
