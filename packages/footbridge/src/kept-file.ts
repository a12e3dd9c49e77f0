/** Files in the cache folder, readable only by their owner. */
import {
  appendFileSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { appendFile, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isPrivateFolder, makeFolders } from './private-folder.js';

/** Files that were not written for this long are removed. */
const STALE_MS = 60 * 24 * 3600 * 1000;

const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Opens a kept file. Throws unless it is an ordinary file: opening a pipe without a writer would block forever. */
export function openKept(file: string): { readonly descriptor: number; readonly size: number } {
  const descriptor = openSync(file, READ_FLAGS);
  const stats = fstatSync(descriptor);
  if (stats.isFile()) return { descriptor, size: stats.size };
  closeSync(descriptor);
  throw new Error('not a file');
}

/** All bytes of a kept file. Throws if it is missing, larger than `most` or no ordinary file. */
export function readKept(file: string, most = Number.POSITIVE_INFINITY): Buffer {
  const { descriptor, size } = openKept(file);
  try {
    if (size > most) throw new Error('too large');
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Writes a file atomically, and removes stale ones with the same prefix. Failures are ignored: it is only a cache. */
export function keepFile(folder: string, prefix: string, name: string, content: string | Iterable<Uint8Array>): void {
  try {
    const { file, draft } = placeOf(folder, prefix, name);
    if (typeof content === 'string') writeFileSync(draft, content, { mode: 0o600 });
    else writePieces(draft, content);
    renameSync(draft, file);
    removeStale(folder, prefix);
  } catch {
    // the next start rebuilds it
  }
}

/** The same, piece by piece, while other work goes on. */
export async function keepInTurns(folder: string, prefix: string, name: string, pieces: Iterable<Uint8Array>): Promise<void> {
  try {
    const { file, draft } = placeOf(folder, prefix, name);
    const handle = await open(draft, 'w', 0o600);
    try {
      for (const piece of pieces) if (piece.length > 0) await handle.writeFile(piece);
    } finally {
      await handle.close();
    }
    await rename(draft, file);
    removeStale(folder, prefix);
  } catch {
    // the next start rebuilds it
  }
}

/** Appends to a file synchronously, and ignores failures. A reader has to handle a truncated record. */
export function appendToFile(folder: string, prefix: string, name: string, piece: Uint8Array): void {
  try {
    appendFileSync(fileToAppendTo(folder, prefix, name), piece, { mode: 0o600 });
  } catch {
    // it is read again
  }
}

/** The same while other work goes on. */
export async function appendInTurn(folder: string, prefix: string, name: string, piece: Uint8Array): Promise<void> {
  try {
    await appendFile(fileToAppendTo(folder, prefix, name), piece, { mode: 0o600 });
  } catch {
    // it is read again
  }
}

/** A short name for a long key (FNV-1a). The file contains the key where that matters. */
export function shortHash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, '0');
}

let drafts = 0;

/** Each write has a draft of its own, since one may begin before another has ended. */
function placeOf(folder: string, prefix: string, name: string): { readonly file: string; readonly draft: string } {
  makeFolders(folder, 0o700);
  if (isPrivateFolder(folder) !== true) throw new Error('another user could change the folder');
  const file = join(folder, `${prefix}${name}`);
  return { file, draft: `${file}.${process.pid}.${++drafts}` };
}

function fileToAppendTo(folder: string, prefix: string, name: string): string {
  const { file } = placeOf(folder, prefix, name);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) throw new Error('not a file');
  return file;
}

function writePieces(file: string, pieces: Iterable<Uint8Array>): void {
  const descriptor = openSync(file, 'w', 0o600);
  try {
    for (const piece of pieces) for (let at = 0; at < piece.length; ) at += writeSync(descriptor, piece, at);
  } finally {
    closeSync(descriptor);
  }
}

/** When a folder was last searched for files with a prefix. */
const looked = new Map<string, number>();
/** Checking every file of a folder after each write would take longer than the write. */
const LOOK_MS = 3600_000;

function removeStale(folder: string, prefix: string): void {
  const key = join(folder, prefix);
  if (Date.now() - (looked.get(key) ?? 0) < LOOK_MS) return;
  looked.set(key, Date.now());
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (name.startsWith(prefix) && Date.now() - statSync(file).mtimeMs > STALE_MS) rmSync(file);
  }
}
