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
