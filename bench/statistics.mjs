// Samples, taken so that noise hits all sides alike.

/** Samples each of `sides` once per round, every other round in reverse order. The first round only warms up. */
export async function interleave(rounds, sides) {
  const samples = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  const order = Object.entries(sides);
  for (let round = 0; round <= rounds; round++) {
    for (const [name, take] of round % 2 === 0 ? order : order.toReversed()) {
      const sample = await take();
      if (round > 0) samples[name].push(sample);
    }
  }
  return samples;
}

/** The value that this share of the samples does not exceed. */
export function percentile(samples, share) {
  const sorted = [...samples].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
}

export function median(samples) {
  const sorted = [...samples].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 0 ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[Math.floor(middle)];
}

/** Random numbers that are the same in every run (mulberry32). */
export function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}
