/** Sorts many texts in steps, so that other tasks get their turn. */

/** Texts that are sorted at once. */
export const SORTED_TOGETHER = 2000;

/** Like `sort`: sorts parts of the list, and merges them. */
export function* sortedSteps(texts: readonly string[]): Generator<void, readonly string[]> {
  let runs: (readonly string[])[] = [];
  for (let at = 0; at < texts.length; at += SORTED_TOGETHER) {
    runs.push(texts.slice(at, at + SORTED_TOGETHER).sort());
    yield;
  }
  while (runs.length > 1) {
    const merged: (readonly string[])[] = [];
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* mergedSteps(runs[at] ?? [], runs[at + 1] ?? []));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergedSteps(one: readonly string[], other: readonly string[]): Generator<void, readonly string[]> {
  const merged: string[] = [];
  let [at, beside] = [0, 0];
  while (at < one.length || beside < other.length) {
    const [first, second] = [one[at], other[beside]];
    if (first !== undefined && (second === undefined || first <= second)) {
      merged.push(first);
      at++;
    } else {
      merged.push(second ?? '');
      beside++;
    }
    if (merged.length % SORTED_TOGETHER === 0) yield;
  }
  return merged;
}
