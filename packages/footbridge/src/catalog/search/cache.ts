/** Where a search keeps what it read. Catalogs with the same one share it; it is light, since every start makes one. */
export class SearchCache {
  /** A folder; without one nothing is kept after the end of the process. */
  readonly folder: string | undefined;
  /** What the catalogs are for, such as a working folder: each has a file of its own. */
  readonly key: string;
  #close: (() => void) | undefined;

  constructor(folder?: string, key = '') {
    this.folder = folder;
    this.key = key;
  }

  /** Called by `close`. */
  onClose(close: () => void): void {
    this.#close = close;
  }

  /** Saves what has not been saved yet. */
  close(): void {
    this.#close?.();
  }
}
