/** Near matches for a mistyped name. */
import { distance } from 'fastest-levenshtein';
import { nameKey } from '../sources/skill-uri.js';

/** A caller of `nearest` passes at most this many candidates. */
export const MOST_COMPARED = 5000;

const MOST = 5;
/** Longer texts are cut before comparing, which bounds the cost of hostile names. */
const COMPARED = 128;

/** The candidates nearest to `wanted`, best first, without unrelated ones. */
export function nearest(wanted: string, candidates: Iterable<string>): string[] {
  return new Spellings(candidates).nearest(wanted);
}

/** Names, prepared so that few of them have to be compared letter by letter. */
export class Spellings {
  readonly #names: string[] = [];
  readonly #keys: string[] = [];
  /** By name: which characters occur in it, as bits. */
  readonly #letters: number[] = [];

  constructor(names: Iterable<string>) {
    for (const name of names) {
      const key = nameKey(name);
      this.#names.push(name);
      this.#keys.push(key);
      this.#letters.push(lettersOf(key));
    }
  }

  nearest(wanted: string): string[] {
    return this.nearestAt(wanted).map((at) => this.#names[at] ?? '');
  }

  /** The places of the nearest names. */
  nearestAt(wanted: string): number[] {
    const target = nameKey(wanted.slice(0, COMPARED));
    if (target === '') return [];
    const letters = lettersOf(target);
    const best: { readonly at: number; readonly score: number; readonly steps: number }[] = [];
    const limit = Math.max(2, target.length * 0.4);
    const counts = countsOf(target);
    for (let at = 0; at < this.#keys.length; at++) {
      const own = this.#letters[at] ?? 0;
      const missing = bitCount(letters & ~own);
      const more = bitCount(own & ~letters);
      const key = this.#keys[at] ?? '';
      const contains = (missing === 0 && key.includes(target)) || (more === 0 && target.includes(key));
      const most = best.length < MOST ? limit : Math.min(limit, best.at(-1)?.score ?? limit);
      // Each character that only one of them has takes a step.
      if (!contains && Math.max(missing, more, Math.abs(key.length - target.length)) > most) continue;
      if (!contains && unshared(counts, key, target.length) > most) continue;
      const steps = distance(key.slice(0, COMPARED), target);
      const score = contains ? Math.min(1, steps) : steps;
      if (score > most) continue;
      best.push({ at, score, steps });
      best.sort((one, other) => one.score - other.score || one.steps - other.steps || one.at - other.at);
      if (best.length > MOST) best.pop();
    }
    return best.map(({ at }) => at);
  }
}

/** Used by `unshared` alone: a new array for each comparison would cost more than the comparison. */
const remaining = new Int16Array(32);

/** How often each character occurs, hashed to 32 places. */
function countsOf(text: string): Int16Array {
  const counts = new Int16Array(32);
  for (let at = 0; at < text.length; at++) {
    const place = text.charCodeAt(at) & 31;
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
}

/** A lower bound of the steps: the characters that only one of two texts has, of the text that has more of them. */
function unshared(counts: Int16Array, key: string, length: number): number {
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
