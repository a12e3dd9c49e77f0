/** Pseudo-random numbers that are the same in every run. */

/** Returns a function that returns the next number from 0 to 1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One element of a list. */
export function pick<Element>(random: () => number, list: readonly Element[]): Element {
  const element = list[Math.floor(random() * list.length)];
  if (element === undefined) throw new RangeError('The list is empty.');
  return element;
}
