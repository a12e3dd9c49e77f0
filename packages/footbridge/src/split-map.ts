/** A map that grows in parts, each in less than a millisecond: making room in one with 65,536 entries takes V8 ten. */

/** With more entries it is in parts. */
const FEW = 4096;
/** A power of two. */
const PARTS = 32;

export class SplitMap<K, V> {
  readonly #numberOf: (key: K) => number;
  readonly #few = new Map<K, V>();
  /** Empty while there are few entries. */
  #parts: readonly Map<K, V>[] = [];

  /** `numberOf` decides about the part: always the same number for a key, and different ones for most. */
  constructor(numberOf: (key: K) => number) {
    this.#numberOf = numberOf;
  }

  get size(): number {
    return this.#parts.reduce((sum, part) => sum + part.size, this.#few.size);
  }

  get(key: K): V | undefined {
    return this.#partOf(key).get(key);
  }

  has(key: K): boolean {
    return this.#partOf(key).has(key);
  }

  set(key: K, value: V): void {
    this.#partOf(key).set(key, value);
    if (this.#few.size > FEW) this.#split();
  }

  delete(key: K): boolean {
    return this.#partOf(key).delete(key);
  }

  *keys(): Generator<K, void> {
    yield* this.#few.keys();
    for (const part of this.#parts) yield* part.keys();
  }

  *values(): Generator<V, void> {
    yield* this.#few.values();
    for (const part of this.#parts) yield* part.values();
  }

  clear(): void {
    this.#few.clear();
    this.#parts = [];
  }

  #partOf(key: K): Map<K, V> {
    return this.#parts.length === 0 ? this.#few : (this.#parts[this.#numberOf(key) & (PARTS - 1)] ?? this.#few);
  }

  #split(): void {
    this.#parts = Array.from({ length: PARTS }, () => new Map<K, V>());
    for (const [key, value] of this.#few) this.#partOf(key).set(key, value);
    this.#few.clear();
  }
}

/** For keys that are texts, or have one. */
export function numberOfText(text: string): number {
  let number = 0;
  for (let at = 0; at < text.length; at++) number = Math.imul(number ^ text.charCodeAt(at), 0x01000193);
  return number ^ (number >>> 15);
}
