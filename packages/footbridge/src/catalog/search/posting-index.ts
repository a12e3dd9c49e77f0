/** An inverted index that documents are added to and removed from at any time. */
import type { SearchDocument } from './document.js';
import type { Concept } from './query.js';
import { SEGMENT_SIZE, Segment, type WeighedConcept } from './segment.js';

/** Segments of few documents, one for each small change. */
const MAX_SMALL = 64;
const SMALL = SEGMENT_SIZE / 2;
/** What counts no more than this for a word must be more than mentioned. */
const BY_ACCIDENT = 0.5;
/** Matches below this fraction of the best score are dropped. */
const LEAST_SCORE = 0.2;
/** Matches that are ranked, within the resolution of the steps. */
const MAX_FOUND = 200;
const STEPS = 512;
/** Matches that are returned, however many are as good. */
const MAX_KEPT = 1000;

/** A document and how well it matches: the best has the highest score. */
export interface Match {
  readonly id: number;
  readonly score: number;
}

/** Documents whose ids begin at the same multiple of the size of a segment. */
interface Block {
  readonly segment: Segment;
  /** By document: whether it was removed. */
  readonly removed: Uint8Array;
  /** Documents that have not been removed. */
  left: number;
}

export class PostingIndex {
  readonly #coverage: number;
  /** By place; a place is used again when all its documents were removed or moved. */
  readonly #blocks: (Block | undefined)[] = [];
  readonly #free: number[] = [];
  #size = 0;
  #small = 0;
  /** Documents that are in no segment yet, and the place that is kept for them. */
  #unsorted: (SearchDocument | undefined)[] = [];
  #place = 0;
  #decoded: { readonly segment: Segment; readonly documents: readonly SearchDocument[] } | undefined;
  /** By term: its weights in all documents that have it. */
  #weights = new Int32Array(1024);
  /** By term, zero between uses. */
  #counts = new Int32Array(1024);

  /** `coverage`: the part of a score that depends on how much of the query was found. */
  constructor(coverage: number) {
    this.#coverage = coverage;
  }

  /** Documents that have not been removed. */
  get size(): number {
    return this.#size;
  }

  /** Whether it is in so many pieces that searches take longer: `merge` joins some of them. */
  get isFragmented(): boolean {
    return this.#small > MAX_SMALL;
  }

  /** Adds a document, known to searches after `sort`. Returns its id, which may be that of a document that was removed. */
  add(document: SearchDocument): number {
    if (this.#unsorted.length === SEGMENT_SIZE) this.sort();
    if (this.#unsorted.length === 0) this.#place = this.#free.pop() ?? this.#blocks.push(undefined) - 1;
    this.#size++;
    this.#count(document, 1);
    return this.#place * SEGMENT_SIZE + this.#unsorted.push(document) - 1;
  }

  remove(id: number): void {
    const place = Math.floor(id / SEGMENT_SIZE);
    const at = id % SEGMENT_SIZE;
    const block = this.#blocks[place];
    if (block === undefined) {
      const document = this.#unsorted[at];
      if (place !== this.#place || document === undefined) return;
      this.#unsorted[at] = undefined;
      this.#size--;
      this.#count(document, -1);
      return;
    }
    if (at >= block.segment.size || block.removed[at] === 1) return;
    // Documents that are removed one after the other are often in one segment.
    if (this.#decoded?.segment !== block.segment) this.#decoded = { segment: block.segment, documents: block.segment.documents() };
    this.#count(this.#decoded.documents[at] ?? NOTHING, -1);
    this.#size--;
    block.removed[at] = 1;
    block.left--;
    if (block.left === SMALL - 1) this.#small++;
    if (block.left === 0) this.#drop(place);
  }

  /** In how many documents a term is, each counted by its weight there: a word in passing makes it no less rare as a subject. */
  frequency(term: number): number {
    return (this.#weights[term] ?? 0) / 255;
  }

  /** Makes added documents known to searches. Takes about two milliseconds at most, since full segments are sorted by `add`. */
  sort(): void {
    const documents = this.#unsorted;
    if (documents.length === 0) return;
    this.#unsorted = [];
    this.#put(this.#place, documents);
  }

  /** Joins some of the small segments. Returns the ids of the documents that moved, before and after. */
  merge(): readonly (readonly [from: number, to: number])[] {
    this.sort();
    const small = [...this.#blocks.entries()]
      .flatMap(([place, block]) => (block !== undefined && block.left < SMALL ? [{ place, block }] : []))
      .sort((one, other) => one.block.left - other.block.left);
    const documents: SearchDocument[] = [];
    const ids: number[] = [];
    for (const { place, block } of small) {
      if (documents.length + block.left > SEGMENT_SIZE) break;
      for (const [at, document] of block.segment.documents().entries()) {
        if (block.removed[at] === 1) continue;
        documents.push(document);
        ids.push(place * SEGMENT_SIZE + at);
      }
      this.#drop(place);
    }
    const place = this.#free.pop() ?? this.#blocks.push(undefined) - 1;
    this.#put(place, documents);
    return ids.map((from, at) => [from, place * SEGMENT_SIZE + at]);
  }

  /** The best documents, best first; of equal ones those that `order` has first. Without those that `accepts` refuses. */
  find(
    concepts: readonly Concept[],
    order: (id: number) => number = (id) => id,
    accepts: ((id: number) => boolean) | undefined = undefined,
  ): readonly Match[] {
    const weighed = concepts.map((concept) => this.#weigh(concept));
    const mass = weighed.reduce((sum, { worth }) => sum + worth, 0);
    if (ranks.length < this.#blocks.length * SEGMENT_SIZE) ranks = new Float64Array(2 * this.#blocks.length * SEGMENT_SIZE);
    let highest = 0;
    let count = 0;
    for (const block of this.#blocks) {
      if (block === undefined) continue;
      const { segment, removed } = block;
      segment.score(weighed, scores, covered);
      for (let at = 0; at < segment.size; at++) {
        const score = scores[at] ?? 0;
        if (score === 0) continue;
        scores[at] = 0;
        const share = (covered[at] ?? 0) / mass;
        covered[at] = 0;
        if (removed[at] === 1 || accepts?.(segment.first + at) === false) continue;
        const rank = score * (1 - this.#coverage + this.#coverage * share);
        if (rank > highest) highest = rank;
        ranks[count] = rank;
        if (count === ids.length) ids = grown(ids);
        ids[count++] = segment.first + at;
      }
    }
    return bestOf(count, highest, order);
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

  #put(place: number, documents: readonly (SearchDocument | undefined)[]): void {
    const segment = new Segment(
      place * SEGMENT_SIZE,
      documents.map((document) => document ?? NOTHING),
      this.#counts,
    );
    const removed = Uint8Array.from(documents, (document) => (document === undefined ? 1 : 0));
    const left = documents.reduce((sum, document) => sum + (document === undefined ? 0 : 1), 0);
    this.#blocks[place] = { segment, removed, left };
    if (left < SMALL) this.#small++;
    if (left === 0) this.#drop(place);
  }

  #drop(place: number): void {
    this.#blocks[place] = undefined;
    this.#free.push(place);
    this.#small--;
  }

  #count(document: SearchDocument, by: number): void {
    for (const entry of document) {
      const term = entry >>> 8;
      if (term >= this.#weights.length) {
        const weights = new Int32Array(2 * term + 2);
        weights.set(this.#weights);
        this.#weights = weights;
        this.#counts = new Int32Array(weights.length);
      }
      this.#weights[term] = (this.#weights[term] ?? 0) + by * (entry & 255);
    }
  }
}

const NOTHING = new Uint32Array();

/** Of the documents of one segment, zero between uses. */
const scores = new Float64Array(SEGMENT_SIZE);
const covered = new Float64Array(SEGMENT_SIZE);

/** Of the documents that a search found, by the order in which it did; used by one search at a time. */
let ranks = new Float64Array(SEGMENT_SIZE);
let ids = new Uint32Array(SEGMENT_SIZE);

function grown(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}

/** Sorting all of them would take longer than finding them, so the least score that few enough have is determined first. */
function bestOf(count: number, highest: number, order: (id: number) => number): readonly Match[] {
  if (highest === 0) return [];
  const histogram = new Uint32Array(STEPS + 1);
  const step = STEPS / highest;
  for (let at = 0; at < count; at++) {
    const place = Math.floor((ranks[at] ?? 0) * step);
    histogram[place] = (histogram[place] ?? 0) + 1;
  }
  let least = STEPS;
  for (let found = 0; least > STEPS * LEAST_SCORE; least--) {
    found += histogram[least] ?? 0;
    if (found >= MAX_FOUND) break;
  }
  const kept: Ranked[] = [];
  for (let at = 0; at < count; at++) {
    const score = ranks[at] ?? 0;
    if (Math.floor(score * step) >= least) keep({ id: ids[at] ?? 0, score, order: -1 }, kept, order);
  }
  return kept;
}

interface Ranked extends Match {
  /** -1 until it is needed. */
  order: number;
}

/** Inserts one into the best so far. Texts may be so much alike that all of them have the same score. */
function keep(ranked: Ranked, kept: Ranked[], order: (id: number) => number): void {
  const last = kept.at(-1);
  if (kept.length === MAX_KEPT && last !== undefined && !isBefore(ranked, last, order)) return;
  let low = 0;
  let high = kept.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = kept[middle];
    if (other !== undefined && isBefore(ranked, other, order)) high = middle;
    else low = middle + 1;
  }
  kept.splice(low, 0, ranked);
  if (kept.length > MAX_KEPT) kept.pop();
}

function isBefore(one: Ranked, other: Ranked, order: (id: number) => number): boolean {
  if (one.score !== other.score) return one.score > other.score;
  if (one.order === -1) one.order = order(one.id);
  if (other.order === -1) other.order = order(other.id);
  return one.order < other.order;
}
