/** The index in the cache folder: what the last run found, so that a start need not read every file again. */
import { closeSync, read, readSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keepFile, keepInTurns, openKept, shortHash } from '../../kept-file.js';
import { inTurns } from '../../turns.js';
import type { SkillRoot } from './folders.js';
import { piecesOf, revive } from './stored-forest.js';
import type { Forest } from './tree.js';

const PREFIX = 'skills-';

interface IndexFile {
  /** Empty when there is no index, or it is not one of ours. Calls `counting` first with about how many skills it has. */
  load(counting?: (skills: number) => void): Promise<Forest>;
  save(forest: Forest): void;
  /** The same while other work goes on. */
  saveInTurns(forest: Forest): Promise<void>;
}

/** An index that is kept in `folder` for one set of configured folders. */
export function indexFile(folder: string, roots: readonly SkillRoot[]): IndexFile {
  const key = JSON.stringify(roots);
  const name = `${shortHash(key)}.bin`;
  return {
    async load(counting) {
      try {
        return await inTurns(revive(await readWhole(join(folder, `${PREFIX}${name}`), counting), key, roots));
      } catch {
        return new Map();
      }
    },
    save(forest) {
      keepFile(folder, PREFIX, name, piecesOf(forest, key));
    },
    saveInTurns(forest) {
      return keepInTurns(folder, PREFIX, name, piecesOf(forest, key));
    },
  };
}

/** Up to this size a synchronous read is faster than the thread pool. */
const SMALL = 1024 * 1024;
const LARGEST = 1024 * 1024 * 1024;
/** Bytes for a skill, about. */
const USUAL = 300;
const readAsync = promisify(read);

async function readWhole(file: string, counting: ((skills: number) => void) | undefined): Promise<Buffer> {
  const { descriptor, size } = openKept(file);
  try {
    if (size > LARGEST) throw new Error('the index is too large');
    counting?.(size / USUAL);
    // One of its own: numbers are read in place.
    const bytes = Buffer.allocUnsafeSlow(size);
    let filled = 0;
    while (filled < size) {
      const count =
        size <= SMALL
          ? readSync(descriptor, bytes, filled, size - filled, filled)
          : (await readAsync(descriptor, bytes, filled, size - filled, filled)).bytesRead;
      if (count === 0) throw new Error('the index is cut off');
      filled += count;
    }
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}
