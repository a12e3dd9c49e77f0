/** Limits and options for unpacking archives. */
import { FETCH_BOUNDS } from '../bounds.js';
import { FetchError } from '../fetch-error.js';
import type { Staging } from '../staging.js';

/** The remaining size that an archive may expand to, given its own size. */
export class Expansion {
  #bytes: number;
  #entries: number;

  constructor(size: number) {
    const { archived, entriesFree, entryBytes, expansion, expansionFree, unpacked } = FETCH_BOUNDS;
    this.#bytes = Math.min(unpacked, size * expansion + expansionFree);
    this.#entries = Math.min(archived, size / entryBytes + entriesFree);
  }

  /** Throws if it expands to more bytes. */
  take(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes < 0) throw tooMuch('expands to far more than its size');
  }

  /** Throws if it has more entries. */
  count(): void {
    this.#entries -= 1;
    if (this.#entries < 0) throw tooMuch('has far more files than archives of its size');
  }
}

function tooMuch(what: string): FetchError {
  return new FetchError(`The archive ${what}.`, 'Nothing was added. Do not use it unless you know its publisher.');
}

/** How the files of an archive are staged. */
export interface Unpacking {
  readonly staging: Staging;
  /** The path of a file in the staging area; undefined skips it. Default: the path in the archive. */
  readonly rename?: (path: string) => string | undefined;
}

export function damaged(what: string): FetchError {
  return new FetchError(`The archive is damaged: ${what}.`, 'Nothing was added. Try again, or ask its publisher to publish it again.');
}
