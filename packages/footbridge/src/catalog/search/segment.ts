/** Postings of some hundred documents: which of them have a term, and with which weight. Immutable. */
import type { SearchDocument } from './document.js';

/** The least weight of a word that is more than mentioned once in a text. */
const MENTIONED = 40;
/** The part that counts of a second alternative for the same word. */
const FURTHER = 0.3;

export class Segment {
  /** Terms in ascending order; the postings of each begin at its offset. */
  readonly #terms: Uint32Array;
  readonly #offsets: Uint32Array;
  /** Where those begin that only mention it. */
  readonly #mentions: Uint32Array;
  /** `document << 8 | weight`, documents counted from the first. */
  readonly #postings: Uint32Array;

  /** Of documents whose ids follow each other, beginning with `first`. `counts` has a zero for each term, before and after. */
  constructor(
    readonly first: number,
    documents: readonly SearchDocument[],
    counts: Int32Array,
  ) {
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
    this.#postings = new Uint32Array(size);
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

  /**
   * For each document that has the term: `weight` × its weight there, in full if that is more than what `best` has. Without those
   * that only mention it unless `mentioned`.
   */
  score(term: number, weight: number, best: Float64Array, mentioned: boolean): void {
    const at = this.#find(term);
    if (at === -1) return;
    const end = (mentioned ? this.#offsets[at + 1] : this.#mentions[at]) ?? 0;
    for (let index = this.#offsets[at] ?? 0; index < end; index++) {
      const posting = this.#postings[index] ?? 0;
      const document = this.first + (posting >>> 8);
      const score = weight * (posting & 255);
      const before = best[document] ?? 0;
      best[document] = score > before ? score + FURTHER * before : before + FURTHER * score;
    }
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
