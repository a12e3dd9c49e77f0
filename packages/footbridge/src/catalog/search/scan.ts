/** A search without an index, for the moments before there is one. */
import { qualifiedName } from '../../sources/skill-uri.js';
import type { Skill } from '../../sources/source.js';
import { stem } from './stemmer.js';
import { isStopWord } from './stop-words.js';
import { eachWord } from './words.js';

/** How long it may take. */
const BUDGET_MS = 8;
const MOST_WORDS = 12;
const MOST_FOUND = 50;
/** A word in the name counts as much as this many in the description. */
const IN_NAME = 2;

/** Skills with the rarest words of the query in their names and descriptions; as far as the time allows. */
export function scanSkills(skills: readonly Skill[], query: string): readonly Skill[] {
  const unique = new Set<string>();
  eachWord(query.slice(0, 500), (word) => {
    if (!isStopWord(word) && unique.size < MOST_WORDS) unique.add(stem(word));
  });
  const words = [...unique];
  const frequencies = words.map(() => 0);
  const end = performance.now() + BUDGET_MS;
  const found: { readonly skill: Skill; readonly weights: readonly number[] }[] = [];
  for (const [index, skill] of skills.entries()) {
    if (index % 64 === 63 && performance.now() > end) break;
    const name = qualifiedName(skill).toLowerCase();
    const description = skill.description.toLowerCase();
    const weights = words.map((word) => (name.includes(word) ? IN_NAME : description.includes(word) ? 1 : 0));
    if (weights.every((weight) => weight === 0)) continue;
    weights.forEach((weight, at) => {
      if (weight > 0) frequencies[at] = (frequencies[at] ?? 0) + 1;
    });
    found.push({ skill, weights });
  }
  const rarities = frequencies.map((count) => Math.log(1 + skills.length / (1 + count)));
  return found
    .map(({ skill, weights }) => ({ skill, score: weights.reduce((sum, weight, at) => sum + weight * (rarities[at] ?? 0), 0) }))
    .sort((one, other) => other.score - one.score)
    .slice(0, MOST_FOUND)
    .map(({ skill }) => skill);
}
