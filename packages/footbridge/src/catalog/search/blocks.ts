/** Documents as bytes, in blocks that are each read and written in a few milliseconds. */
import { SplitMap } from '../../split-map.js';
import type { SearchDocument } from './document.js';
import type { Terms } from './terms.js';

/** Raise it whenever what is stored, or how text becomes terms, changes. In the byte order of this machine. */
const FORMAT = 0xf0b5_0007;
/** Documents of a block. */
export const BLOCK_SIZE = 200;
/** Numbers before the content: the format, the bytes of the words, the documents, and the entries of all documents. */
const HEAD = 4;

/** A document, and what it was made of: see `contentKey`. */
export interface KeyedDocument {
  readonly key: number;
  readonly document: SearchDocument;
}

/** At most 200 documents. Their words are stored beside them, since numbers of terms differ from run to run. */
export function encodeBlock(entries: readonly KeyedDocument[], terms: Terms): Uint8Array {
  const numbers = new Map<number, number>();
  const total = entries.reduce((sum, { document }) => sum + document.length, 0);
  const data = new Uint32Array(total);
  let filled = 0;
  for (const { document } of entries) {
    for (const entry of document) {
      const term = entry >>> 8;
      const number = numbers.get(term) ?? numbers.size;
      numbers.set(term, number);
      data[filled++] = number * 256 + (entry & 255);
    }
  }
  const words = Buffer.from(JSON.stringify(Array.from(numbers.keys(), (term) => terms.text(term))));
  const keys = Float64Array.from(entries, ({ key }) => key);
  const sizes = Uint32Array.from(entries, ({ document }) => document.length);
  const padding = new Uint8Array((4 - (words.length % 4)) % 4);
  return Buffer.concat(
    [Uint32Array.of(FORMAT, words.length, entries.length, total), keys, sizes, data].map(bytesOf).concat(words, padding),
  );
}

/** Documents of earlier runs, or of this one, each decoded when it is asked for. */
export class StoredDocuments {
  readonly #terms: Terms;
  readonly #blocks: Block[] = [];
  /** By key: the block, and the place in it. */
  readonly #places = new SplitMap<number, number>((key) => key);

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  get size(): number {
    return this.#places.size;
  }

  /** Adds the blocks of a file, one with each step. Returns how many bytes are sound: the rest is not ours, or was cut off. */
  *add(bytes: Uint8Array): Generator<void, number> {
    const numbers = new Uint32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 4));
    let at = 0;
    while (at + HEAD <= numbers.length) {
      const [format = 0, length = 0, count = 0, total = 0] = numbers.subarray(at, at + HEAD);
      const end = at + HEAD + 3 * count + total + Math.ceil(length / 4);
      if (format !== FORMAT || count > BLOCK_SIZE || end > numbers.length) break;
      this.#blocks.push(new Block(numbers.subarray(at, end), length, count, total));
      const number = this.#blocks.length - 1;
      // A copy, since the numbers must begin at a multiple of eight.
      const keys = new Float64Array(numbers.slice(at + HEAD, at + HEAD + 2 * count).buffer);
      for (const [place, key] of keys.entries()) this.#places.set(key, number * BLOCK_SIZE + place);
      at = end;
      yield;
    }
    return at * 4;
  }

  /** Adds a block that was just encoded. */
  addBlock(bytes: Uint8Array): void {
    this.add(bytes).next();
  }

  /** Undefined where it is not known, or what is stored is damaged. */
  find(key: number): SearchDocument | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    try {
      return this.#blocks[Math.floor(place / BLOCK_SIZE)]?.document(place % BLOCK_SIZE, this.#terms);
    } catch {
      return undefined;
    }
  }
}

class Block {
  readonly #numbers: Uint32Array;
  readonly #length: number;
  readonly #count: number;
  readonly #total: number;
  /** Where each document begins, and what term each number stands for. */
  #starts: Uint32Array | undefined;
  #found: Int32Array | undefined;

  constructor(numbers: Uint32Array, length: number, count: number, total: number) {
    this.#numbers = numbers;
    this.#length = length;
    this.#count = count;
    this.#total = total;
  }

  /** Throws at what we never write. */
  document(place: number, terms: Terms): SearchDocument {
    const first = HEAD + 3 * this.#count;
    this.#starts ??= startsOf(this.#numbers.subarray(HEAD + 2 * this.#count, first));
    this.#found ??= this.#termsOf(first + this.#total, terms);
    const found = this.#found;
    return this.#numbers.subarray(first + (this.#starts[place] ?? 0), first + (this.#starts[place + 1] ?? 0)).map((entry) => {
      const term = found[entry >>> 8] ?? -1;
      if (term < 0) throw new Error('the cache is damaged, or has more words than the dictionary');
      return term * 256 + (entry & 255);
    });
  }

  #termsOf(first: number, terms: Terms): Int32Array {
    const json = Buffer.from(this.#numbers.buffer, this.#numbers.byteOffset + first * 4, this.#length).toString('utf8');
    const words: unknown = JSON.parse(json);
    if (!Array.isArray(words)) throw new Error('the cache is damaged');
    return Int32Array.from(words, (word: unknown) => (typeof word === 'string' ? terms.addStem(word) : -1));
  }
}

function startsOf(sizes: Uint32Array): Uint32Array {
  const starts = new Uint32Array(sizes.length + 1);
  for (const [at, size] of sizes.entries()) starts[at + 1] = (starts[at] ?? 0) + size;
  return starts;
}

function bytesOf(numbers: Uint32Array | Float64Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}
