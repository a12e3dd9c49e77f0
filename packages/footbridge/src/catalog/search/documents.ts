/** Documents of skills: read once, and stored. */
import { contentKey } from '../../content-key.js';
import type { Skill } from '../../sources/source.js';
import type { SearchCache } from './cache.js';
import { DocumentBuilder, type DocumentText, type SearchDocument } from './document.js';
import { DocumentStore } from './document-store.js';
import { isSearchedSkill, type Searched } from './searched.js';
import { Terms } from './terms.js';

const FEW_STALE = 1000;
/** How much of `SKILL.md` is searched. */
export const OPENING_BYTES = 8192;

export class SearchDocuments {
  readonly terms = new Terms();
  readonly #builder = new DocumentBuilder(this.terms);
  readonly #store: DocumentStore;

  constructor(cache: SearchCache) {
    this.#store = new DocumentStore(cache, this.terms, '', FEW_STALE);
  }

  /** Whether nothing more is wanted. */
  get isClosed(): boolean {
    return this.#store.isClosed;
  }

  /** Reads the cache, for `find`, until `release` was called as often. */
  load(): Promise<void> {
    return this.#store.load();
  }

  /** Ends the use of the cache. */
  release(): void {
    this.terms.forgetWords();
    this.#store.release();
  }

  /** The whole document of a skill, if it is known. */
  find({ identity, version }: Skill): SearchDocument | undefined {
    return this.#store.find(contentKey(identity, version));
  }

  /** From the name and the description alone. */
  outline({ name, group, description }: Omit<DocumentText, 'opening'>): SearchDocument {
    return this.#builder.build({ name, group, description });
  }

  /** From the beginning of `SKILL.md` as well. */
  read({ name, group, description, identity, version }: Skill, opening: Uint8Array): SearchDocument {
    const text = Buffer.from(opening.buffer, opening.byteOffset, Math.min(opening.length, OPENING_BYTES)).toString('utf8');
    const document = this.#builder.build({ name, group, description, opening: text });
    this.#store.add(contentKey(identity, version), document);
    return document;
  }

  /** Writes the cache again with the documents of these skills alone, if most of it is of others. What else is searched follows them. */
  tidy(searched: readonly Searched[]): Promise<void> {
    // From the end, since there may be very many skills.
    const count = searched.findLastIndex(isSearchedSkill) + 1;
    return this.#store.tidy(count, function* () {
      for (const each of searched) if (isSearchedSkill(each)) yield contentKey(each.identity, each.version);
    });
  }
}
