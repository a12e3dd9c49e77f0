/** Near matches for a mistyped name. */
import { distance } from 'fastest-levenshtein';
import { nameKey } from '../sources/skill-uri.js';

/** A caller of `nearest` passes at most this many candidates. */
export const MAX_COMPARED = 5000;

const MAX = 5;
/** How many names are compared in full. The nearest are nearly always among the first of them. */
export const MAX_SPELLED = 1000;
/** Longer texts are cut before comparing, which bounds the cost of hostile names. */
const COMPARED = 128;

/** The candidates nearest to `wanted`, best first, without unrelated ones. */
export function nearest(wanted: string, candidates: Iterable<string>): string[] {
  return new Spellings(candidates).nearest(wanted);
}

/** An index of names, so that few of them have to be compared in full. */
export class Spellings {
  readonly #names: string[] = [];
  readonly #keys: string[] = [];
  /** The characters of each name, as bits: those that occur, then those that occur at least twice, and so on. */
  readonly #letters: Int32Array;

  constructor(names: Iterable<string>) {
    for (const name of names) {
      this.#names.push(name);
      this.#keys.push(nameKey(name));
    }
    this.#letters = new Int32Array(this.#keys.length * LETTER_COUNTS);
    for (const [at, key] of this.#keys.entries()) countLetters(key, this.#letters, at * LETTER_COUNTS);
  }

  nearest(wanted: string): string[] {
    return this.nearestAt(wanted).map((at) => this.#names[at] ?? '');
  }

  /** The places of the nearest names. */
  nearestAt(wanted: string): number[] {
    const target = nameKey(wanted.slice(0, COMPARED));
    if (target === '') return [];
    const best: { readonly at: number; readonly score: number; readonly steps: number }[] = [];
    const limit = Math.max(2, target.length * 0.4);
    const counts = letterCountsOf(target);
    let spelled = 0;
    // Starts with the lowest bounds, since a near match rules out the rest.
    for (const [least, places] of this.#promising(target, limit).entries()) {
      for (const place of places) {
        const most = best.length < MAX ? limit : Math.min(limit, best.at(-1)?.score ?? limit);
        if (least > most || ++spelled > MAX_SPELLED) return best.map(({ at }) => at);
        const contains = place < 0;
        const at = contains ? ~place : place;
        const key = this.#keys[at] ?? '';
        if (!contains && unshared(counts, key, target.length) > most) continue;
        const steps = distance(key.slice(0, COMPARED), target);
        const score = contains ? Math.min(1, steps) : steps;
        if (score > most) continue;
        best.push({ at, score, steps });
        best.sort((one, other) => one.score - other.score || one.steps - other.steps || one.at - other.at);
        if (best.length > MAX) best.pop();
      }
    }
    return best.map(({ at }) => at);
  }

  /** Indices of names by the lower bound of their edit distance from a key; inverted if one contains the other. */
  #promising(target: string, limit: number): readonly (readonly number[])[] {
    const letters = new Int32Array(LETTER_COUNTS);
    countLetters(target, letters, 0);
    const promising: number[][] = Array.from({ length: Math.floor(limit) + 1 }, () => []);
    for (let at = 0; at < this.#keys.length; at++) {
      const key = this.#keys[at] ?? '';
      const apart = Math.abs(key.length - target.length);
      // Each character that only one of them has takes an edit.
      let missing = 0;
      let more = 0;
      for (let time = 0; time < LETTER_COUNTS && !(missing > 0 && more > 0 && apart > limit); time++) {
        const wanted = letters[time] ?? 0;
        const own = this.#letters[at * LETTER_COUNTS + time] ?? 0;
        missing += bitCount(wanted & ~own);
        more += bitCount(own & ~wanted);
      }
      if ((missing === 0 && key.includes(target)) || (more === 0 && target.includes(key))) promising[0]?.push(~at);
      else promising[Math.max(missing, more, apart)]?.push(at);
    }
    return promising;
  }
}

/** Up to how many times a character is counted. */
export const LETTER_COUNTS = 4;

/** Sets the bits of the characters of a text, hashed to 32: in the first number for the first time, and so on. */
export function countLetters(text: string, counts: Int32Array, first: number): void {
  for (let at = 0; at < text.length; at++) {
    const bit = 1 << (text.charCodeAt(at) & 31);
    let time = 0;
    while (time < LETTER_COUNTS - 1 && ((counts[first + time] ?? 0) & bit) !== 0) time++;
    counts[first + time] = (counts[first + time] ?? 0) | bit;
  }
}

/** Used by `unshared` alone: a new array for each comparison would cost more than the comparison. */
const remaining = new Int16Array(32);

/** How often each character occurs, hashed to 32 places. */
export function letterCountsOf(text: string): Int16Array {
  const counts = new Int16Array(32);
  for (let at = 0; at < text.length; at++) {
    const place = text.charCodeAt(at) & 31;
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
}

/** A lower bound of the edit distance: the larger number of characters that one text has and the other lacks. */
export function unshared(counts: Int16Array, key: string, length: number): number {
  remaining.set(counts);
  let more = 0;
  for (let at = 0; at < key.length; at++) {
    const place = key.charCodeAt(at) & 31;
    const count = remaining[place] ?? 0;
    if (count > 0) remaining[place] = count - 1;
    else more++;
  }
  return Math.max(more, length - (key.length - more));
}

/** The set of characters of a text, hashed to 32 bits. */
export function lettersOf(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at++) bits |= 1 << (text.charCodeAt(at) & 31);
  return bits;
}

/** How many bits are set. */
export function bitCount(bits: number): number {
  let rest = bits - ((bits >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
