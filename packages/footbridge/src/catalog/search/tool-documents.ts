/** Documents of tools: made once, and stored, so that the next start need not parse their definitions. */
import { type ContributedTool, isUpstreamTool, nameOfTool } from '../../sources/source.js';
import type { SearchCache } from './cache.js';
import { DocumentBuilder, type SearchDocument } from './document.js';
import { DocumentStore } from './document-store.js';
import { Terms } from './terms.js';
import { toolDocument } from './tool-document.js';

/** Callers may see different tools of the same servers, whose documents are in one file. */
const FEW_STALE = 20_000;

export class ToolDocuments {
  readonly terms = new Terms();
  readonly #builder = new DocumentBuilder(this.terms);
  readonly #store: DocumentStore;

  constructor(cache: SearchCache) {
    this.#store = new DocumentStore(cache, this.terms, '\ntools', FEW_STALE);
  }

  /** Reads what is stored, until `release`. */
  load(): Promise<void> {
    return this.#store.load();
  }

  /** Ends the use of what is stored. If most of that is of other tools, it is written again with these alone. */
  async release(tools: ReadonlyMap<string, { readonly key: number }>): Promise<void> {
    await this.#store.tidy(tools.size, function* () {
      for (const { key } of tools.values()) yield key;
    });
    this.terms.forgetWords();
    this.#store.release();
  }

  /** `key` stands for everything that the document depends on. */
  of(tool: ContributedTool, key: number): SearchDocument {
    const stored = this.#store.find(key);
    if (stored !== undefined) return stored;
    const server = isUpstreamTool(tool) ? tool.upstream.name : '';
    const document = this.#builder.compose(toolDocument({ ...tool.entry, name: nameOfTool(tool) }, server));
    this.#store.add(key, document);
    return document;
  }

  /** Saves what is not saved yet. */
  close(): void {
    this.#store.close();
  }
}
