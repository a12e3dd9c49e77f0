/** Documents of skills that were read once, cached on disk, so that neither the next start nor another catalog reads them again. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { appendInTurn, appendToFile, keepInTurns, shortHash } from '../../kept-file.js';
import type { Skill } from '../../sources/source.js';
import { Turns } from '../../turns.js';
import { BLOCK_SIZE, encodeBlock, type KeyedDocument, keyOf, StoredDocuments } from './blocks.js';
import type { SearchCache } from './cache.js';
import { DocumentBuilder, type DocumentText, type SearchDocument } from './document.js';
import { Terms } from './terms.js';

const PREFIX = 'search-';
/** Saved after this, so that it does not delay calls. */
const SAVE_MS = 1000;
/** Documents that are kept in memory where there is no folder for them. */
const MOST_KEPT = 20_000;
/** A larger cache is not read. */
const LARGEST_FILE = 1024 * 1024 * 1024;
/** Documents of skills that were changed or removed are no reason to write a small cache again. */
const FEW_STALE = 1000;
/** How much of `SKILL.md` is searched. */
export const OPENING_BYTES = 8192;

export class SearchDocuments {
  readonly terms = new Terms();
  readonly #builder = new DocumentBuilder(this.terms);
  readonly #cache: SearchCache;
  /** Of the last runs; only while a caller requests many. */
  #stored: Promise<StoredDocuments> | undefined;
  #found: StoredDocuments | undefined;
  #users = 0;
  /** Those that are not saved yet. */
  #unsaved: KeyedDocument[] = [];
  #saving: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(cache: SearchCache) {
    this.#cache = cache;
    cache.onClose(() => this.#close());
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
    this.terms.forgetWords();
    if (this.#users > 0 || this.#cache.folder === undefined) return;
    this.#stored = undefined;
    this.#found = undefined;
  }

  /** The whole document of a skill, if it is known. */
  find({ identity, version }: Skill): SearchDocument | undefined {
    return this.#found?.find(keyOf(identity, version));
  }

  /** From the name and the description alone. */
  outline({ name, group, description }: Omit<DocumentText, 'opening'>): SearchDocument {
    return this.#builder.build({ name, group, description });
  }

  /** From the beginning of `SKILL.md` as well. */
  read({ name, group, description, identity, version }: Skill, opening: Uint8Array): SearchDocument {
    const text = Buffer.from(opening.buffer, opening.byteOffset, Math.min(opening.length, OPENING_BYTES)).toString('utf8');
    const document = this.#builder.build({ name, group, description, opening: text });
    this.#unsaved.push({ key: keyOf(identity, version), document });
    if (this.#unsaved.length === BLOCK_SIZE) this.#save();
    else this.#saving ??= setTimeout(() => this.#save(), SAVE_MS).unref();
    return document;
  }

  /** Writes the cache again with the documents of these skills alone, if most of it is of others. */
  async tidy(skills: readonly Skill[]): Promise<void> {
    const { folder } = this.#cache;
    const stored = this.#found;
    if (folder === undefined || stored === undefined || stored.size <= 2 * skills.length + FEW_STALE) return;
    const { terms } = this;
    function* blocks(known: StoredDocuments): Generator<Uint8Array> {
      let entries: KeyedDocument[] = [];
      for (const { identity, version } of skills) {
        const key = keyOf(identity, version);
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

  #save(): void {
    const block = this.#takeBlock();
    const { folder } = this.#cache;
    if (block === undefined) return;
    // Each block follows the one before, while other work goes on.
    if (folder !== undefined) this.#writing = this.#writing.then(() => appendInTurn(folder, PREFIX, this.#name, block));
    else if (this.#found !== undefined && this.#found.size < MOST_KEPT) this.#found.addBlock(block);
  }

  #takeBlock(): Uint8Array | undefined {
    clearTimeout(this.#saving);
    this.#saving = undefined;
    const entries = this.#unsaved;
    this.#unsaved = [];
    return entries.length === 0 ? undefined : encodeBlock(entries, this.terms);
  }

  #close(): void {
    this.#isClosed = true;
    const block = this.#takeBlock();
    if (block !== undefined && this.#cache.folder !== undefined) appendToFile(this.#cache.folder, PREFIX, this.#name, block);
  }

  get #name(): string {
    return `${shortHash(this.#cache.key)}.bin`;
  }

  async #load(): Promise<StoredDocuments> {
    const stored = new StoredDocuments(this.terms);
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
