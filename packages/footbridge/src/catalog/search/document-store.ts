/** Documents that were made once, cached on disk, so that neither the next start nor another catalog makes them again. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { appendInTurn, appendToFile, keepInTurns, shortHash } from '../../kept-file.js';
import { Turns } from '../../turns.js';
import { BLOCK_SIZE, encodeBlock, type KeyedDocument, StoredDocuments } from './blocks.js';
import type { SearchCache } from './cache.js';
import type { SearchDocument } from './document.js';
import type { Terms } from './terms.js';

const PREFIX = 'search-';
/** Saved after this, so that it does not delay calls. */
const SAVE_MS = 1000;
/** Documents that are kept in memory where there is no folder for them. */
const MAX_KEPT = 20_000;
/** A larger cache is not read. */
const LARGEST_FILE = 1024 * 1024 * 1024;

export class DocumentStore {
  readonly #cache: SearchCache;
  readonly #terms: Terms;
  readonly #name: string;
  /** Documents that are of no use any more are no reason to write a small cache again. */
  readonly #fewStale: number;
  readonly #forget: () => void;
  /** Of the last runs; only while a caller requests many. */
  #stored: Promise<StoredDocuments> | undefined;
  #found: StoredDocuments | undefined;
  #users = 0;
  /** Those that are not saved yet. */
  #unsaved: KeyedDocument[] = [];
  #saving: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;

  /** `kind` names what the documents are of; each has a file. */
  constructor(cache: SearchCache, terms: Terms, kind: string, fewStale: number) {
    this.#cache = cache;
    this.#terms = terms;
    this.#name = `${shortHash(cache.key + kind)}.bin`;
    this.#fewStale = fewStale;
    this.#forget = cache.onClose(() => this.close());
  }

  /** Whether nothing more is wanted. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Reads the cache, for `find`, until `release` was called as often. */
  async load(): Promise<void> {
    this.#users++;
    this.#stored ??= this.#load();
    this.#found = await this.#stored;
  }

  /** Ends the use of the cache. */
  release(): void {
    this.#users--;
    if (this.#users > 0 || this.#cache.folder === undefined) return;
    this.#stored = undefined;
    this.#found = undefined;
  }

  find(key: number): SearchDocument | undefined {
    return this.#found?.find(key);
  }

  add(key: number, document: SearchDocument): void {
    this.#unsaved.push({ key, document });
    if (this.#unsaved.length === BLOCK_SIZE) this.#save();
    else this.#saving ??= setTimeout(() => this.#save(), SAVE_MS).unref();
  }

  /** Writes the cache again with the documents of these keys alone, if most of it is of others. */
  async tidy(count: number, keys: () => Iterable<number>): Promise<void> {
    const { folder } = this.#cache;
    const stored = this.#found;
    if (folder === undefined || stored === undefined || stored.size <= 2 * count + this.#fewStale) return;
    const terms = this.#terms;
    function* blocks(known: StoredDocuments): Generator<Uint8Array> {
      let entries: KeyedDocument[] = [];
      for (const key of keys()) {
        const document = known.find(key);
        if (document !== undefined) entries.push({ key, document });
        if (entries.length < BLOCK_SIZE) continue;
        yield encodeBlock(entries, terms);
        entries = [];
      }
      if (entries.length > 0) yield encodeBlock(entries, terms);
    }
    this.#writing = this.#writing.then(() => keepInTurns(folder, PREFIX, this.#name, blocks(stored)));
    await this.#writing;
  }

  /** Saves what is not saved yet. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#forget();
    const block = this.#takeBlock();
    if (block !== undefined && this.#cache.folder !== undefined) appendToFile(this.#cache.folder, PREFIX, this.#name, block);
  }

  #save(): void {
    const block = this.#takeBlock();
    const { folder } = this.#cache;
    if (block === undefined) return;
    // Each block follows the one before, while other work goes on.
    if (folder !== undefined) this.#writing = this.#writing.then(() => appendInTurn(folder, PREFIX, this.#name, block));
    else if (this.#found !== undefined && this.#found.size < MAX_KEPT) this.#found.addBlock(block);
  }

  #takeBlock(): Uint8Array | undefined {
    clearTimeout(this.#saving);
    this.#saving = undefined;
    const entries = this.#unsaved;
    this.#unsaved = [];
    return entries.length === 0 ? undefined : encodeBlock(entries, this.#terms);
  }

  async #load(): Promise<StoredDocuments> {
    const stored = new StoredDocuments(this.#terms);
    const { folder } = this.#cache;
    if (folder === undefined) return stored;
    await this.#writing;
    const file = join(folder, `${PREFIX}${this.#name}`);
    const size = await stat(file).then(
      (stats) => (stats.isFile() ? stats.size : 0),
      () => 0,
    );
    const bytes = size === 0 ? undefined : size > LARGEST_FILE ? new Uint8Array() : await readFile(file).catch(() => undefined);
    if (bytes === undefined) return stored;
    const turns = new Turns();
    const blocks = stored.add(bytes);
    let step = blocks.next();
    for (; step.done !== true; step = blocks.next()) if (turns.isOver) await turns.next();
    // What is appended to a damaged file could not be read again.
    if (step.value < bytes.length || bytes.length === 0)
      this.#writing = keepInTurns(folder, PREFIX, this.#name, [bytes.subarray(0, step.value)]);
    return stored;
  }
}
