/** Near matches: what a caller who mistyped probably meant. */
import { distance } from 'fastest-levenshtein';
import { nameKey } from '../sources/skill-uri.js';

/** Among more candidates than this a caller of `nearest` chooses first. */
export const MOST_COMPARED = 5000;

const MOST = 5;
/** Longer texts are cut before comparing, so that a hostile name costs no more than a real one. */
const COMPARED = 128;

/** The candidates nearest to `wanted`, best first; none that has nothing in common with it. */
export function nearest(wanted: string, candidates: Iterable<string>): string[] {
  const target = nameKey(wanted.slice(0, COMPARED));
  if (target === '') return [];
  const scored: { candidate: string; score: number }[] = [];
  for (const candidate of candidates) {
    const key = nameKey(candidate);
    const contains = key.includes(target) || target.includes(key);
    const steps = Math.abs(key.length - target.length) > target.length ? Number.POSITIVE_INFINITY : distance(key, target);
    const score = contains ? Math.min(1, steps) : steps;
    if (score <= Math.max(2, target.length * 0.4)) scored.push({ candidate, score });
  }
  return scored
    .sort((one, other) => one.score - other.score)
    .slice(0, MOST)
    .map(({ candidate }) => candidate);
}
