/** A search without an index, for the moments before there is one. */
import type { Skill } from '../../sources/source.js';
import { stem } from './stemmer.js';
import { isStopWord } from './stop-words.js';
import { eachWord } from './words.js';

/** How long it may take. */
const BUDGET_MS = 4;
const MOST_WORDS = 8;
const MOST_FOUND = 50;

/** Skills with the most words of the query in their name and description, names first; as far as the time allows. */
export function scanSkills(skills: readonly Skill[], query: string, isIndexed: (skill: Skill) => boolean): readonly Skill[] {
  const words = new Set<string>();
  eachWord(query.slice(0, 500), (word) => {
    if (!isStopWord(word) && words.size < MOST_WORDS) words.add(stem(word));
  });
  const end = performance.now() + BUDGET_MS;
  const found: { readonly skill: Skill; readonly score: number }[] = [];
  for (const [index, skill] of skills.entries()) {
    if (index % 64 === 63 && performance.now() > end) break;
    if (isIndexed(skill)) continue;
    const name = skill.name.toLowerCase();
    const description = skill.description.toLowerCase();
    let score = 0;
    for (const word of words) score += name.includes(word) ? 3 : description.includes(word) ? 1 : 0;
    if (score > 0) found.push({ skill, score });
  }
  return found
    .sort((one, other) => other.score - one.score)
    .slice(0, MOST_FOUND)
    .map(({ skill }) => skill);
}
