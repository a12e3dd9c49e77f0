/** Hash tables for very many values. Keys are not stored, but computed from the values. */

/** The operations of a map. */
export interface Entries<V> {
  readonly size: number;
  get(key: string): V | undefined;
  set(key: string, value: V): unknown;
  delete(key: string): boolean;
}

/** The maximum load factor. */
const LOAD = 0.6;
const LEAST_PLACES = 16;

let last = { text: '', hash: hashText('') };

/** A key is mostly looked up, in one table after the other, before it is set. */
function hashOf(text: string): number {
  if (last.text !== text) last = { text, hash: hashText(text) };
  return last.hash;
}

function hashText(text: string): number {
  let hash = 0x811c9dc5 | 0;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    hash ^= hash >>> 15;
  }
  return hash;
}

/** A map to values that contain their keys. It takes twelve bytes per slot, and stores no text. */
export class KeyedTable<V extends object> implements Entries<V> {
  readonly #keyOf: (value: V) => string;
  #hashes: Int32Array;
  #values: (V | undefined)[];
  #size = 0;

  /** With room for `expected` values. */
  constructor(keyOf: (value: V) => string, expected = 0) {
    this.#keyOf = keyOf;
    const places = placesFor(expected);
    this.#hashes = new Int32Array(places);
    this.#values = new Array<V | undefined>(places).fill(undefined);
  }

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    return this.#values[this.#find(hashOf(key), key)];
  }

  set(key: string, value: V): void {
    if (this.#size + 1 > LOAD * this.#values.length) this.#grow();
    const hash = hashOf(key);
    const at = this.#find(hash, key);
    if (this.#values[at] === undefined) this.#size++;
    this.#values[at] = value;
    this.#hashes[at] = hash;
  }

  delete(key: string): boolean {
    let free = this.#find(hashOf(key), key);
    if (this.#values[free] === undefined) return false;
    const last = this.#values.length - 1;
    // Displaced entries behind it move up.
    for (let at = (free + 1) & last; this.#values[at] !== undefined; at = (at + 1) & last) {
      const home = (this.#hashes[at] ?? 0) & last;
      if (((at - home) & last) < ((at - free) & last)) continue;
      this.#values[free] = this.#values[at];
      this.#hashes[free] = this.#hashes[at] ?? 0;
      free = at;
    }
    this.#values[free] = undefined;
    this.#size--;
    return true;
  }

  /** The slot of a key, or the one where it would be inserted. */
  #find(hash: number, key: string): number {
    const last = this.#values.length - 1;
    for (let at = hash & last; ; at = (at + 1) & last) {
      const value = this.#values[at];
      if (value === undefined || (this.#hashes[at] === hash && this.#keyOf(value) === key)) return at;
    }
  }

  #grow(): void {
    const [hashes, values] = [this.#hashes, this.#values];
    const places = 2 * values.length;
    this.#hashes = new Int32Array(places);
    this.#values = new Array<V | undefined>(places).fill(undefined);
    for (const [from, value] of values.entries()) {
      if (value === undefined) continue;
      const hash = hashes[from] ?? 0;
      let at = hash & (places - 1);
      while (this.#values[at] !== undefined) at = (at + 1) & (places - 1);
      this.#values[at] = value;
      this.#hashes[at] = hash;
    }
  }
}

function placesFor(expected: number): number {
  let places = LEAST_PLACES;
  while (LOAD * places < expected) places *= 2;
  return places;
}
