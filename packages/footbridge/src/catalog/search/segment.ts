/** Postings of some hundred documents: which of them have a term, and with which weight. Immutable. */
import type { SearchDocument } from './document.js';

/** The least weight of a word that is more than mentioned once in a text. */
const MENTIONED = 40;
/** The part that counts of a second alternative for the same word. */
const FURTHER = 0.3;

/** Documents of one segment: sorting them takes about two milliseconds. */
export const SEGMENT_SIZE = 256;

/** A concept of a query, with what its terms are worth in an index. */
export interface WeighedConcept {
  /** `mentioned`: whether documents that only mention the term count. */
  readonly alternatives: readonly { readonly term: number; readonly value: number; readonly mentioned: boolean }[];
  /** Of its best alternative. */
  readonly worth: number;
}

/** By document of a segment, zero between uses: small enough to stay in the processor's cache. */
const best = new Float64Array(SEGMENT_SIZE);
/** Those that have something of a concept. */
const found = new Uint16Array(SEGMENT_SIZE);

export class Segment {
  /** Terms in ascending order; the postings of each begin at its offset. */
  readonly #terms: Uint32Array;
  readonly #offsets: Uint32Array;
  /** Where those begin that only mention it. */
  readonly #mentions: Uint32Array;
  /** `document << 8 | weight`, documents counted from the first. */
  readonly #postings: Uint16Array;
  /** Documents, those that were removed since included. */
  readonly size: number;

  /** At most 256 documents whose ids follow each other, beginning with `first`. `counts` has a zero for each term, before and after. */
  constructor(
    readonly first: number,
    documents: readonly SearchDocument[],
    counts: Int32Array,
  ) {
    this.size = documents.length;
    const terms: number[] = [];
    let size = 0;
    for (const document of documents) {
      size += document.length;
      for (const entry of document) {
        const term = entry >>> 8;
        const count = counts[term] ?? 0;
        if (count === 0) terms.push(term);
        counts[term] = count + 1;
      }
    }
    this.#terms = Uint32Array.from(terms).sort();
    this.#offsets = new Uint32Array(terms.length + 1);
    this.#mentions = new Uint32Array(terms.length);
    this.#postings = new Uint16Array(size);
    let offset = 0;
    this.#terms.forEach((term, index) => {
      this.#offsets[index] = offset;
      offset += counts[term] ?? 0;
      // From here on, where the next posting of the term goes.
      counts[term] = offset - (counts[term] ?? 0);
    });
    this.#offsets[terms.length] = size;
    this.#fill(documents, counts, (weight) => weight >= MENTIONED);
    this.#terms.forEach((term, index) => {
      this.#mentions[index] = counts[term] ?? 0;
    });
    this.#fill(documents, counts, (weight) => weight < MENTIONED);
    for (const term of terms) counts[term] = 0;
  }

  #fill(documents: readonly SearchDocument[], places: Int32Array, accepts: (weight: number) => boolean): void {
    documents.forEach((document, index) => {
      for (const entry of document) {
        if (!accepts(entry & 255)) continue;
        const place = places[entry >>> 8] ?? 0;
        this.#postings[place] = index * 256 + (entry & 255);
        places[entry >>> 8] = place + 1;
      }
    });
  }

  /** The documents, put together again. */
  documents(): readonly SearchDocument[] {
    const lengths = new Uint32Array(this.size);
    for (const posting of this.#postings) lengths[posting >>> 8] = (lengths[posting >>> 8] ?? 0) + 1;
    const documents = Array.from(lengths, (length) => new Uint32Array(length));
    lengths.fill(0);
    this.#each((document, entry) => {
      const at = lengths[document] ?? 0;
      const entries = documents[document];
      if (entries !== undefined) entries[at] = entry;
      lengths[document] = at + 1;
    });
    return documents;
  }

  #each(take: (document: number, entry: number) => void): void {
    for (let at = 0; at < this.#terms.length; at++) {
      const term = (this.#terms[at] ?? 0) * 256;
      const end = this.#offsets[at + 1] ?? 0;
      for (let index = this.#offsets[at] ?? 0; index < end; index++) {
        const posting = this.#postings[index] ?? 0;
        take(posting >>> 8, term + (posting & 255));
      }
    }
  }

  /**
   * Adds to the score of each document, counted from the first, what it has of the concepts, and to `covered` what each concept is
   * worth that it has something of.
   */
  score(concepts: readonly WeighedConcept[], scores: Float64Array, covered: Float64Array): void {
    for (const { alternatives, worth } of concepts) {
      let count = 0;
      for (const { term, value, mentioned } of alternatives) {
        const at = this.#find(term);
        if (at !== -1)
          count = this.#collect(this.#offsets[at] ?? 0, (mentioned ? this.#offsets[at + 1] : this.#mentions[at]) ?? 0, value, count);
      }
      for (let index = 0; index < count; index++) {
        const document = found[index] ?? 0;
        scores[document] = (scores[document] ?? 0) + (best[document] ?? 0);
        covered[document] = (covered[document] ?? 0) + worth;
        best[document] = 0;
      }
    }
  }

  /**
   * For the document of each posting: `value` × its weight there, in full if that is more than what `best` has. Returns how many
   * documents are found, of which there were `count` before.
   */
  #collect(start: number, end: number, value: number, count: number): number {
    let filled = count;
    for (let index = start; index < end; index++) {
      const posting = this.#postings[index] ?? 0;
      const document = posting >>> 8;
      const score = value * (posting & 255);
      const before = best[document] ?? 0;
      if (before === 0) {
        found[filled++] = document;
        best[document] = score;
      } else best[document] = score > before ? score + FURTHER * before : before + FURTHER * score;
    }
    return filled;
  }

  #find(term: number): number {
    let low = 0;
    let high = this.#terms.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = this.#terms[middle] ?? 0;
      if (found === term) return middle;
      if (found < term) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}
