/** A search without an index, for the moments before there is one: much the same ranking, by names and descriptions alone. */
import { qualifiedName } from '../../sources/skill-uri.js';
import type { Skill } from '../../sources/source.js';
import { inTurns, Turns } from '../../turns.js';
import { type Concept, conceptsOf } from './query.js';
import { Terms } from './terms.js';

const MAX_FOUND = 50;
/** Matches below this fraction of the best score are dropped. */
const LEAST_SCORE = 0.2;
/** Characters of a description that are looked at. */
const LONGEST_DESCRIPTION = 1024;
/** Of a word in the description; one in the name counts 1. */
const IN_DESCRIPTION = 0.7;
/** Shorter stems are whole words only: `ci` is not in `city`. */
const WHOLE_WORD = 4;
/** Skills that are looked at however long it takes, and those of a step. */
const LEAST_LOOKED_AT = 1000;
const STRIDE = 32;

/** What is looked at: a skill, or something like one. */
type Scanned = Pick<Skill, 'name' | 'group' | 'description'>;

/** A skill that has something of the query: its terms, each with what it counts there. */
interface Found<T> {
  readonly skill: T;
  readonly terms: ReadonlyMap<number, number>;
}

/** The best skills first; of more than a thousand, as far as the time until `end` allows. */
export async function scanSkills<T extends Scanned>(skills: readonly T[], query: string, end: number): Promise<readonly T[]> {
  // This is the first search, and loading the code that it runs has taken as long as a slice.
  await new Turns('call').next();
  return inTurns(stepsToScan(skills, query, end), 'call');
}

function* stepsToScan<T extends Scanned>(skills: readonly T[], query: string, end: number): Generator<void, readonly T[]> {
  const terms = new Terms();
  // Whatever can stand for a word of the query may be found.
  const dictionary = { size: 0, find: (text: string) => terms.addStem(text), text: () => '', letters: () => 0 };
  const concepts = conceptsOf(query, dictionary, () => UNKNOWN);
  yield;
  const eachTerm = finderOf(terms);
  const found: Found<T>[] = [];
  const frequencies = new Float64Array(terms.size);
  let looked = 0;
  for (const skill of skills) {
    if (++looked % STRIDE === 0) {
      if (looked > LEAST_LOOKED_AT && performance.now() > end) break;
      yield;
    }
    const here = new Map<number, number>();
    eachTerm(qualifiedName(skill).toLowerCase(), (term) => here.set(term, 1));
    eachTerm(skill.description.slice(0, LONGEST_DESCRIPTION).toLowerCase(), (term) => {
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
    .slice(0, MAX_FOUND)
    .map(({ skill }) => skill);
}

/** The frequency of any term before a skill was looked at: some may have it, and none is known to be about it. */
const UNKNOWN = 0.1;

/** Calls `each` for the terms that words of a text in lower case begin with. */
type TermFinder = (text: string, each: (term: number) => void) => void;

/** One pattern for all terms: code that runs for the first time is too slow to look at each character. */
function finderOf(terms: Terms): TermFinder {
  const all = Array.from({ length: terms.size }, (_, term) => ({ term, word: terms.text(term) }));
  const words = all.filter(({ word }) => isAsciiWord(word.charCodeAt(0))).sort((one, other) => other.word.length - one.word.length);
  // Other scripts may have no blanks between words.
  const unspaced = all.filter(({ word }) => !isAsciiWord(word.charCodeAt(0)));
  const pattern = words.length === 0 ? /(?!)/g : new RegExp(`(?<![a-z0-9])(?:${words.map(patternOf).join('|')})`, 'g');
  // The longest is matched, and what it begins with is found as well.
  const found = new Map(words.map(({ word }) => [word, words.filter((other) => begins(word, other.word)).map(({ term }) => term)]));
  return (text, each) => {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) found.get(match[0])?.forEach(each);
    for (const { term, word } of unspaced) if (text.includes(word)) each(term);
  };
}

function patternOf({ word }: { readonly word: string }): string {
  const escaped = word.replace(/[^a-z0-9]/g, '\\$&');
  return word.length < WHOLE_WORD ? `${escaped}(?![a-z0-9])` : escaped;
}

function begins(text: string, word: string): boolean {
  return text.startsWith(word) && (word.length >= WHOLE_WORD || !isAsciiWord(text.charCodeAt(word.length)));
}

function isAsciiWord(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

/** As the index does it: what stands for a word is never worth more than the word. */
function scoreOf({ terms }: Found<unknown>, concepts: readonly Concept[], rarities: Float64Array): number {
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
