/** Where a search keeps what it read. Catalogs with the same one share it; it is light, since every start makes one. */
export class SearchCache {
  /** A folder; without one nothing is kept after the end of the process. */
  readonly folder: string | undefined;
  /** What the catalogs are for, such as a working folder: each has a file of its own. */
  readonly key: string;
  readonly #closes = new Set<() => void>();

  constructor(folder?: string, key = '') {
    this.folder = folder;
    this.key = key;
  }

  /** Called by `close`, unless the function that is returned was called before. */
  onClose(close: () => void): () => void {
    this.#closes.add(close);
    return () => void this.#closes.delete(close);
  }

  /** Saves what has not been saved yet. */
  close(): void {
    for (const close of this.#closes) close();
  }
}
