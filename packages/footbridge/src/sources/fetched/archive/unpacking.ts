/** What archives contain. */
import { FETCH_BOUNDS } from '../bounds.js';
import { FetchError } from '../fetch-error.js';
import type { Staging } from '../staging.js';

/** Bytes that an archive may still expand to, by its own size. */
export class Expansion {
  #left: number;

  constructor(size: number) {
    this.#left = Math.min(FETCH_BOUNDS.total + FETCH_BOUNDS.expansionFree, size * FETCH_BOUNDS.expansion + FETCH_BOUNDS.expansionFree);
  }

  /** Throws if it expands to more. */
  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0)
      throw new FetchError(
        'The archive expands to far more than its size.',
        'Nothing was added. Do not use it unless you know its publisher.',
      );
  }
}

/** How the files of an archive are put into the staging area. */
export interface Unpacking {
  readonly staging: Staging;
  /** Where a file is put: its path in the staging area; undefined leaves it out. Default: the path in the archive. */
  readonly rename?: (path: string) => string | undefined;
}

export function damaged(what: string): FetchError {
  return new FetchError(`The archive is damaged: ${what}.`, 'Nothing was added. Try again, or ask its publisher to publish it again.');
}
