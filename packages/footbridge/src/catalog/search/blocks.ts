/** Documents as bytes, in blocks that are each read and written in a few milliseconds. */
import type { KnownDocument } from './documents.js';
import type { Terms } from './terms.js';

/** Raise it whenever what is stored, or how text becomes terms, changes. In the byte order of this machine. */
const FORMAT = Uint32Array.of(0xf0b5_0003);
/** Documents of a block. */
const BLOCK = 200;

interface BlockHead {
  readonly identities: readonly string[];
  readonly versions: readonly string[];
  /** Terms of each document. */
  readonly sizes: readonly number[];
  readonly words: readonly string[];
}

export function* encodeBlocks(known: ReadonlyMap<string, KnownDocument>, terms: Terms): Generator<Uint8Array> {
  yield bytesOf(FORMAT);
  // A copy, since more may become known while it is written.
  const entries = [...known];
  for (let at = 0; at < entries.length; at += BLOCK) yield* encodeBlock(entries.slice(at, at + BLOCK), terms);
}

function* encodeBlock(entries: readonly (readonly [string, KnownDocument])[], terms: Terms): Generator<Uint8Array> {
  const numbers = new Map<number, number>();
  const data = new Uint32Array(entries.reduce((sum, [, { document }]) => sum + document.length, 0));
  let filled = 0;
  for (const [, { document }] of entries) {
    for (const entry of document) {
      const term = entry >>> 8;
      const number = numbers.get(term) ?? numbers.size;
      numbers.set(term, number);
      data[filled++] = number * 256 + (entry & 255);
    }
  }
  const head: BlockHead = {
    identities: entries.map(([identity]) => identity),
    versions: entries.map(([, { version }]) => version),
    sizes: entries.map(([, { document }]) => document.length),
    words: [...numbers.keys()].map((term) => terms.text(term)),
  };
  const json = Buffer.from(JSON.stringify(head));
  const padding = (4 - (json.length % 4)) % 4;
  yield bytesOf(Uint32Array.of(json.length, data.length));
  yield json;
  yield new Uint8Array(padding);
  yield bytesOf(data);
}

/** Throws at what we never write. */
export function* decodeBlocks(bytes: Uint8Array, terms: Terms): Generator<readonly [identity: string, known: KnownDocument]> {
  const numbers = new Uint32Array(new Uint8Array(bytes.subarray(0, bytes.length - (bytes.length % 4))).buffer);
  if (numbers[0] !== FORMAT[0]) return;
  for (let at = 1; at < numbers.length; ) {
    const [length = 0, size = 0] = numbers.subarray(at, at + 2);
    const start = (at + 2) * 4;
    const head = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + start, length).toString('utf8')) as BlockHead;
    const first = at + 2 + Math.ceil(length / 4);
    const data = numbers.subarray(first, first + size);
    const found = head.words.map((word) => terms.addStem(word));
    let from = 0;
    for (const [index, identity] of head.identities.entries()) {
      const count = head.sizes[index] ?? 0;
      yield [identity, { version: head.versions[index] ?? '', document: decode(data.subarray(from, from + count), found) }];
      from += count;
    }
    at = first + size;
  }
}

function decode(stored: Uint32Array, found: readonly number[]): Uint32Array {
  return stored
    .map((entry) => {
      const term = found[entry >>> 8];
      if (term === undefined || term < 0) throw new Error('the cache is damaged, or has more words than the dictionary');
      return term * 256 + (entry & 255);
    })
    .sort();
}

function bytesOf(numbers: Uint32Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}
