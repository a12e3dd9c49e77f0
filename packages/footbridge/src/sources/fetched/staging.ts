/** Where fetched files are put before they are checked: in memory, or as numbered files in a private folder. */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { echo } from '../../errors.js';
import { digestOf } from '../skills/digest.js';
import type { ByteReader } from './archive/byte-reader.js';
import { FETCH_BOUNDS } from './bounds.js';
import { FetchError } from './fetch-error.js';
import { pathSegments } from './paths.js';

/** A file in the staging area. */
export interface StagedFile {
  /** Relative, with `/`. It cannot lead out of a folder, but its names have not been checked. */
  readonly path: string;
  readonly size: number;
  readonly digest: string;
  readonly executable: boolean;
  read(): Buffer;
  /** Writes it to a new file; called once. */
  moveTo(path: string): void;
}

/** The total size of files that are kept in memory, and written only to their final place. */
const IN_MEMORY = 16 * 1024 * 1024;
/** A larger file is written while it is read. */
const WHOLE = 256 * 1024;

/** The size of the blocks that small files are copied into. */
const BLOCK = 256 * 1024;

/** How long files are written before other tasks get their turn. */
const SLICE_MS = 10;

/** Accepts files within bounds. It writes nothing outside its folder: the paths of files are only recorded. */
export class Staging {
  readonly files: StagedFile[] = [];
  /** Entries that were left out because they are neither files nor folders, such as links. */
  readonly skipped: string[] = [];
  readonly #folder: string;
  #entries = 0;
  #bytes = 0;
  #sliceEnd = 0;
  /** The free part of the last block. */
  #room = Buffer.alloc(0);

  /** `folder` exists and is empty. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Counts an entry. Throws if there are too many. Called for all entries, including skipped ones. */
  count(): void {
    if (++this.#entries > FETCH_BOUNDS.entries) throw tooMuch(`more than ${FETCH_BOUNDS.entries} files and folders`);
  }

  /** Throws if a file of this size exceeds a limit. Called before its bytes are in memory. */
  admit(path: string, size: number): void {
    if (size > FETCH_BOUNDS.file) throw tooMuch(`a file of more than ${FETCH_BOUNDS.file / 1024 / 1024} MiB, '${echo(path)}'`);
    if (this.files.length >= FETCH_BOUNDS.files) throw tooMuch(`more than ${FETCH_BOUNDS.files} files`);
    if (this.#bytes + size > FETCH_BOUNDS.total) throw tooMuch(`more than ${FETCH_BOUNDS.total / 1024 / 1024} MiB`);
  }

  /** Records an entry that is not used. */
  skip(path: string): void {
    this.skipped.push(echo(path));
  }

  /** Throws a `FetchError` if the path could lead out of a folder, or a bound is exceeded. */
  async put(path: string, content: Uint8Array, executable = false): Promise<void> {
    const own = ownPath(path);
    this.admit(path, content.length);
    this.#bytes += content.length;
    const kept = this.#bytes <= IN_MEMORY ? inMemory(this.#copied(content), executable) : onDisk(this.#nextPlace(), content, executable);
    this.files.push({ path: own, size: content.length, digest: digestOf(content), executable, ...kept });
    await this.#pause();
  }

  /** Like `put`, with the pieces of a file whose size is known: a large file is never entirely in memory. */
  async putPieces(path: string, size: number, pieces: AsyncIterable<Uint8Array>, executable = false): Promise<void> {
    const own = ownPath(path);
    this.admit(path, size);
    if (size <= WHOLE) return this.put(path, await joined(pieces, path, size), executable);
    this.#bytes += size;
    const place = this.#nextPlace();
    const hash = createHash('sha256');
    const file = await open(place, 'wx', modeOf(executable));
    let length = 0;
    try {
      for await (const piece of pieces) {
        length += piece.length;
        if (length > size) break;
        hash.update(piece);
        await file.writeFile(piece);
      }
    } finally {
      await file.close();
    }
    if (length !== size) throw otherSize(path);
    this.files.push({ path: own, size, digest: `sha256:${hash.digest('hex')}`, executable, ...stored(place) });
  }

  /** Like `put`, with the next bytes of a stream. Throws the result of `ended` if there are fewer. */
  async putFrom(reader: ByteReader, path: string, size: number, ended: () => Error, executable = false): Promise<void> {
    if (size > WHOLE) return this.putPieces(path, size, reader.pieces(size, ended), executable);
    this.admit(path, size);
    const content = reader.atHand(size) ?? (await reader.read(size));
    if (content === undefined) throw ended();
    return this.put(path, content, executable);
  }

  /**
   * A copy, because it may be a view of a larger buffer. Small files share a block: thousands of small buffers would be slow to collect.
   */
  #copied(content: Uint8Array): Buffer {
    if (content.length > this.#room.length) this.#room = Buffer.allocUnsafeSlow(Math.max(content.length, BLOCK));
    const own = this.#room.subarray(0, content.length);
    own.set(content);
    this.#room = this.#room.subarray(content.length);
    return own;
  }

  #nextPlace(): string {
    return join(this.#folder, String(this.files.length));
  }

  async #pause(): Promise<void> {
    if (performance.now() < this.#sliceEnd) return;
    await setImmediate();
    this.#sliceEnd = performance.now() + SLICE_MS;
  }
}

function ownPath(path: string): string {
  const segments = pathSegments(path);
  if (segments.length === 0) throw new FetchError('A file has no name.', 'Nothing was added. Ask its publisher to correct it.');
  return segments.join('/');
}

async function joined(pieces: AsyncIterable<Uint8Array>, path: string, size: number): Promise<Buffer> {
  const whole = Buffer.alloc(size);
  let length = 0;
  for await (const piece of pieces) {
    if (length + piece.length > size) throw otherSize(path);
    whole.set(piece, length);
    length += piece.length;
  }
  if (length !== size) throw otherSize(path);
  return whole;
}

function otherSize(path: string): FetchError {
  return new FetchError(`'${echo(path)}' does not have the size that is stated.`, 'Nothing was added. Ask its publisher.');
}

function inMemory(content: Buffer, executable: boolean): Pick<StagedFile, 'read' | 'moveTo'> {
  return { read: () => content, moveTo: (path) => writeFileSync(path, content, newFile(executable)) };
}

function onDisk(place: string, content: Uint8Array, executable: boolean): Pick<StagedFile, 'read' | 'moveTo'> {
  writeFileSync(place, content, newFile(executable));
  return stored(place);
}

function stored(place: string): Pick<StagedFile, 'read' | 'moveTo'> {
  return { read: () => readFileSync(place), moveTo: (path) => renameSync(place, path) };
}

function newFile(executable: boolean) {
  return { flag: 'wx', mode: modeOf(executable) };
}

function modeOf(executable: boolean): number {
  return executable ? 0o500 : 0o400;
}

function tooMuch(what: string): FetchError {
  return new FetchError(`The source has ${what}.`, 'Nothing was added. Name a smaller part of it, or ask its publisher to split it.');
}

/** Equal for two staging areas exactly when their files are. */
export function stagedDigest({ files }: Staging): string {
  const lines = files.map(({ digest, executable, path }) => `${digest} ${executable ? 'x' : '-'} ${path}\n`);
  return digestOf(lines.sort().join(''));
}
