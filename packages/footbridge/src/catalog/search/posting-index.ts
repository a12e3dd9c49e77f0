/** An inverted index that documents are added to and removed from at any time. */
import type { SearchDocument } from './document.js';
import type { Concept } from './query.js';
import { SEGMENT_SIZE, Segment, type WeighedConcept } from './segment.js';

/** Segments of fewer documents, one for each small change. */
const MOST_SMALL = 64;
/** The part of a score that depends on how much of the query was found. */
const COVERAGE = 0.4;
/** What counts no more than this for a word must be more than mentioned. */
const BY_ACCIDENT = 0.5;
/** Matches below this fraction of the best score are dropped. */
const LEAST_SCORE = 0.2;
/** Matches that are ranked, within the resolution of the steps. */
const MOST_FOUND = 200;
const STEPS = 512;

/** A document and how well it matches: the best has the highest score. */
export interface Match {
  readonly id: number;
  readonly score: number;
}

export class PostingIndex {
  /** By id; undefined once removed. */
  readonly #documents: (SearchDocument | undefined)[] = [];
  #segments: readonly Segment[] = [];
  #size = 0;
  /** The first document that is in no segment yet. */
  #unsorted = 0;
  /** By term: its weights in all documents that have it. */
  #weights = new Int32Array(1024);
  /** By term, zero between uses. */
  #counts = new Int32Array(1024);

  /** Documents that have not been removed. */
  get size(): number {
    return this.#size;
  }

  /** Whether most of its memory is for documents that were removed, or it is in so many pieces that searches take much longer. */
  get isSparse(): boolean {
    const isFragmented = this.#segments.length > MOST_SMALL + (2 * this.#documents.length) / SEGMENT_SIZE;
    return isFragmented || this.#documents.length > 1.5 * this.#size + 4 * SEGMENT_SIZE;
  }

  /** Adds a document; `sort` makes it known to searches. Returns its id, which is higher than all before. */
  add(document: SearchDocument): number {
    this.#size++;
    this.#count(document, 1);
    return this.#documents.push(document) - 1;
  }

  remove(id: number): void {
    const document = this.#documents[id];
    if (document === undefined) return;
    this.#documents[id] = undefined;
    this.#size--;
    this.#count(document, -1);
  }

  /** A document that has not been removed. */
  document(id: number): SearchDocument {
    return this.#documents[id] ?? NOTHING;
  }

  /** In how many documents a term is, each counted by its weight there: a word in passing makes it no less rare as a subject. */
  frequency(term: number): number {
    return (this.#weights[term] ?? 0) / 255;
  }

  /** Makes some hundred added documents known to searches; false when none are left. */
  sort(): boolean {
    const first = this.#unsorted;
    const documents = this.#documents.slice(first, first + SEGMENT_SIZE).map((document) => document ?? NOTHING);
    if (documents.length === 0) return false;
    this.#unsorted += documents.length;
    this.#segments = [...this.#segments, new Segment(first, documents, this.#counts)];
    return true;
  }

  /** The best documents, in no order. */
  find(concepts: readonly Concept[]): readonly Match[] {
    const scores = new Float64Array(this.#unsorted);
    const covered = new Float64Array(this.#unsorted);
    const weighed = concepts.map((concept) => this.#weigh(concept));
    const mass = weighed.reduce((sum, { worth }) => sum + worth, 0);
    for (const segment of this.#segments) segment.score(weighed, scores, covered);
    let highest = 0;
    for (let id = 0; id < scores.length; id++) {
      if (scores[id] === 0) continue;
      const isRemoved = this.#documents[id] === undefined;
      const score = isRemoved ? 0 : (scores[id] ?? 0) * (1 - COVERAGE + (COVERAGE * (covered[id] ?? 0)) / mass);
      scores[id] = score;
      if (score > highest) highest = score;
    }
    return bestOf(scores, highest);
  }

  #weigh({ alternatives, weight }: Concept): WeighedConcept {
    const weighed = alternatives.map((each) => ({
      term: each.term,
      value: this.#rarity(each.term) * each.weight * weight,
      // What stands for a word is in many texts by accident.
      mentioned: each.weight > BY_ACCIDENT,
    }));
    return { alternatives: weighed, worth: weighed.reduce((most, { value }) => Math.max(most, value), 0) };
  }

  /** Inverse document frequency, as in BM25. */
  #rarity(term: number): number {
    const frequency = this.frequency(term);
    return Math.log(1 + (this.#size - frequency + 0.5) / (frequency + 0.5));
  }

  #count(document: SearchDocument, by: number): void {
    const last = (document.at(-1) ?? 0) >>> 8;
    if (last >= this.#weights.length) {
      const weights = new Int32Array(2 * last + 2);
      weights.set(this.#weights);
      this.#weights = weights;
      this.#counts = new Int32Array(weights.length);
    }
    for (const entry of document) this.#weights[entry >>> 8] = (this.#weights[entry >>> 8] ?? 0) + by * (entry & 255);
  }
}

const NOTHING = new Uint32Array();

/** Sorting all of them would take longer than finding them, so the least score that few enough have is determined first. */
function bestOf(scores: Float64Array, highest: number): readonly Match[] {
  if (highest === 0) return [];
  const histogram = new Uint32Array(STEPS + 1);
  const step = STEPS / highest;
  for (const score of scores) if (score > 0) histogram[Math.floor(score * step)] = (histogram[Math.floor(score * step)] ?? 0) + 1;
  let least = STEPS;
  for (let count = 0; least > STEPS * LEAST_SCORE; least--) {
    count += histogram[least] ?? 0;
    if (count >= MOST_FOUND) break;
  }
  const found: Match[] = [];
  scores.forEach((score, id) => {
    if (score > 0 && Math.floor(score * step) >= least) found.push({ id, score });
  });
  return found;
}
