/** Documents of skills that were read once: kept while they are unchanged, and cached on disk for the next start. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keepFile, keepInTurns, shortHash } from '../../kept-file.js';
import type { Skill } from '../../sources/source.js';
import { Turns } from '../../turns.js';
import { decodeBlocks, encodeBlocks } from './blocks.js';
import type { SearchCache } from './cache.js';
import { DocumentBuilder, type SearchDocument } from './document.js';
import { Terms } from './terms.js';

const PREFIX = 'search-';
/** Saved after this, so that it does not delay calls. */
const SAVE_MS = 1000;
/** Documents that are kept; more skills are read again when their catalog changes. */
const MOST_KNOWN = 20_000;
/** How much of `SKILL.md` is searched. */
export const OPENING_BYTES = 8192;

/** A document of a version of a skill. */
export interface KnownDocument {
  readonly version: string;
  readonly document: SearchDocument;
}

export class SearchDocuments {
  readonly terms = new Terms();
  readonly #builder = new DocumentBuilder(this.terms);
  readonly #cache: SearchCache;
  /** By the identity of the skill: of this run, oldest first, and of the last one. */
  readonly #known = new Map<string, KnownDocument>();
  readonly #cached = new Map<string, KnownDocument>();
  #loading: Promise<void> | undefined;
  #saving: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(cache: SearchCache) {
    this.#cache = cache;
    cache.onClose(() => this.#close());
  }

  /** Whether nothing more is wanted. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Reads the cache, once. */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** The whole document of a skill, if it is known. */
  find(skill: Skill): SearchDocument | undefined {
    const { identity, version } = skill;
    const known = this.#known.get(identity);
    if (known?.version === version) return known.document;
    const cached = this.#cached.get(identity);
    this.#cached.delete(identity);
    if (cached?.version !== version) return undefined;
    this.#keep(identity, cached);
    return cached.document;
  }

  /** From the name and the description alone. */
  outline({ name, group, description }: Skill): SearchDocument {
    return this.#builder.build({ name, group, description });
  }

  /** From the beginning of `SKILL.md` as well. */
  read({ name, group, description, identity, version }: Skill, opening: Uint8Array): SearchDocument {
    const text = Buffer.from(opening.buffer, opening.byteOffset, Math.min(opening.length, OPENING_BYTES)).toString('utf8');
    const document = this.#builder.build({ name, group, description, opening: text });
    this.#keep(identity, { version, document });
    if (this.#cache.folder !== undefined) this.#saving ??= setTimeout(() => void this.#save(), SAVE_MS).unref();
    return document;
  }

  #keep(identity: string, known: KnownDocument): void {
    this.#known.delete(identity);
    this.#known.set(identity, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }

  #close(): void {
    this.#isClosed = true;
    if (this.#saving === undefined) return;
    clearTimeout(this.#saving);
    this.#saving = undefined;
    if (this.#cache.folder !== undefined) keepFile(this.#cache.folder, PREFIX, this.#name, encodeBlocks(this.#known, this.terms));
  }

  get #name(): string {
    return `${shortHash(this.#cache.key)}.bin`;
  }

  async #load(): Promise<void> {
    if (this.#cache.folder === undefined) return;
    const bytes = await readFile(join(this.#cache.folder, `${PREFIX}${this.#name}`)).catch(() => undefined);
    if (bytes === undefined) return;
    const turns = new Turns();
    try {
      for (const [identity, known] of decodeBlocks(bytes, this.terms)) {
        this.#cached.set(identity, known);
        if (turns.isOver) await turns.next();
      }
    } catch {
      // A damaged cache: what follows is read again.
    }
  }

  async #save(): Promise<void> {
    this.#saving = undefined;
    if (this.#cache.folder !== undefined) await keepInTurns(this.#cache.folder, PREFIX, this.#name, encodeBlocks(this.#known, this.terms));
  }
}
