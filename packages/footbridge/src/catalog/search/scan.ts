/** A search without an index, for the moments before there is one: much the same ranking, by names and descriptions alone. */
import { qualifiedName } from '../../sources/skill-uri.js';
import type { Skill } from '../../sources/source.js';
import { type Concept, conceptsOf } from './query.js';
import { Terms } from './terms.js';

const MOST_FOUND = 50;
/** Matches below this fraction of the best score are dropped. */
const LEAST_SCORE = 0.2;
/** Characters of a description that are looked at. */
const LONGEST_DESCRIPTION = 1024;
/** Of a word in the description; one in the name counts 1. */
const IN_DESCRIPTION = 0.7;
/** Shorter stems are whole words only: `ci` is not in `city`. */
const WHOLE_WORD = 4;
/** Skills that are looked at however long it takes, and those between two looks at the clock. */
const LEAST_LOOKED_AT = 1000;
const STRIDE = 32;

/** A skill that has something of the query: its terms, each with what it counts there. */
interface Found {
  readonly skill: Skill;
  readonly terms: ReadonlyMap<number, number>;
}

/** The best skills first; of more than a thousand, as far as the time until `end` allows. */
export function scanSkills(skills: readonly Skill[], query: string, end: number): readonly Skill[] {
  const terms = new Terms();
  // Whatever can stand for a word of the query may be found.
  const concepts = conceptsOf(query, { size: 0, find: (text) => terms.addStem(text), text: () => '', letters: () => 0 }, () => 1);
  const byLetter = termsByLetter(terms);
  const found: Found[] = [];
  const frequencies = new Float64Array(terms.size);
  let looked = 0;
  for (const skill of skills) {
    if (++looked > LEAST_LOOKED_AT && looked % STRIDE === 0 && performance.now() > end) break;
    const here = new Map<number, number>();
    eachTerm(qualifiedName(skill).toLowerCase(), terms, byLetter, (term) => here.set(term, 1));
    eachTerm(skill.description.slice(0, LONGEST_DESCRIPTION).toLowerCase(), terms, byLetter, (term) => {
      if (!here.has(term)) here.set(term, IN_DESCRIPTION);
    });
    if (here.size === 0) continue;
    for (const [term, weight] of here) frequencies[term] = (frequencies[term] ?? 0) + weight;
    found.push({ skill, terms: here });
  }
  const rarities = frequencies.map((frequency) => Math.log(1 + (looked - frequency + 0.5) / (frequency + 0.5)));
  const ranked = found
    .map((each) => ({ skill: each.skill, score: scoreOf(each, concepts, rarities) }))
    .sort((one, other) => other.score - one.score);
  const least = (ranked[0]?.score ?? 0) * LEAST_SCORE;
  return ranked
    .filter(({ score }) => score >= least)
    .slice(0, MOST_FOUND)
    .map(({ skill }) => skill);
}

function termsByLetter(terms: Terms): ReadonlyMap<number, readonly number[]> {
  const byLetter = new Map<number, number[]>();
  for (let term = 0; term < terms.size; term++) {
    const letter = terms.text(term).charCodeAt(0);
    const alike = byLetter.get(letter);
    if (alike === undefined) byLetter.set(letter, [term]);
    else alike.push(term);
  }
  return byLetter;
}

/** Calls `each` for the terms that words of a text in lower case begin with. */
function eachTerm(text: string, terms: Terms, byLetter: ReadonlyMap<number, readonly number[]>, each: (term: number) => void): void {
  let isInside = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const wasInside = isInside;
    // Other scripts may have no blanks between words.
    isInside = isAsciiWord(code);
    if (wasInside && isInside) continue;
    for (const term of byLetter.get(code) ?? []) {
      const word = terms.text(term);
      if (!text.startsWith(word, at)) continue;
      if (isInside && word.length < WHOLE_WORD && isAsciiWord(text.charCodeAt(at + word.length))) continue;
      each(term);
    }
  }
}

function isAsciiWord(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

/** As the index does it: what stands for a word is never worth more than the word. */
function scoreOf({ terms }: Found, concepts: readonly Concept[], rarities: Float64Array): number {
  let score = 0;
  for (const { alternatives, weight } of concepts) {
    const own = alternatives.find((each) => each.weight === 1);
    const limit = own === undefined ? Number.POSITIVE_INFINITY : (rarities[own.term] ?? 0);
    let best = 0;
    for (const each of alternatives) {
      const value = (terms.get(each.term) ?? 0) * Math.min(limit, rarities[each.term] ?? 0) * each.weight;
      if (value > best) best = value;
    }
    score += best * weight;
  }
  return score;
}
