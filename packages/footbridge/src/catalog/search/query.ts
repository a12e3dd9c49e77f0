/** A query as concepts: terms of which any one will do, each with a weight. */
import { bitCount, lettersOf } from '../near.js';
import { stem } from './stemmer.js';
import { isEveryday, isStopWord, isVerb } from './stop-words.js';
import { type Closeness, type Synonym, synonymsOf } from './synonyms.js';
import type { Terms } from './terms.js';
import { eachWord } from './words.js';

/** Characters and words that are looked at: the rest of a longer query is ignored. */
const LONGEST_QUERY = 1000;
const MAX_WORDS = 32;
/** Words of the longest phrase that something stands for. */
const LONGEST_PHRASE = 3;
/** How many terms the unknown words of a query are compared with, all together: with a large dictionary, only the first words. */
const MAX_COMPARISONS = 250_000;
/** How many of them are compared letter by letter: a dictionary may be made of words that all look alike. */
const MAX_SPELLED = 10_000;

/** How much what stands for a word counts, compared with the word itself. */
const CLOSENESS = { form: 0.7, same: 0.6, hint: 0.5, product: 0.5 } as const satisfies Record<Closeness, number>;
/** Of each of several words that mean the same as one. */
const ONE_OF_SEVERAL = 0.8;
/** `webhook` for `web hook`. */
const JOINED = 0.9;
const LONGER = 0.6;
/** Less, since an unknown word is more often a name than a mistake. */
const CORRECTED = 0.4;
const EVERYDAY = 0.8;
/** The frequency of a term that at least one document is about. */
const ONE_DOCUMENT = 0.2;
/** Words that a query's word is completed to, and corrected to. */
const MAX_LONGER = 8;
const MAX_NEAR = 3;

export interface Concept {
  readonly alternatives: readonly { readonly term: number; readonly weight: number }[];
  /** How much it counts among the concepts of the query. */
  readonly weight: number;
}

/** Statistics of a term in an index: in how many of its documents it is. */
type Frequency = (term: number) => number;

/** What a query needs to know of a dictionary. */
type Dictionary = Pick<Terms, 'find' | 'letters' | 'size' | 'text'>;

/** How the words of a query are understood. */
export interface Vocabulary {
  /** What can stand for stems, joined by a blank. */
  synonymsOf(stems: string): readonly Synonym[];
  /** How much what stands for a word counts, compared with the word itself. */
  readonly closeness: Readonly<Record<Closeness, number>>;
  /** How much a word counts. */
  weightOf(word: string): number;
  /** Whether a word says something about what is looked for, between these. */
  isSignificant(word: string, before: string, next: string): boolean;
  /** Letters of the shortest word that longer ones are found for. */
  readonly shortestBeginning: number;
}

/** Neither grammar nor politeness. */
export function saysSomething(word: string, before: string, next: string): boolean {
  return !isStopWord(word) && !isVerb(word, before, next);
}

/** Of requests for skills. */
const SKILL_VOCABULARY: Vocabulary = {
  synonymsOf,
  closeness: CLOSENESS,
  weightOf: (word) => (isEveryday(word) || isSmallNumber(stem(word)) ? EVERYDAY : 1),
  isSignificant: saysSomething,
  shortestBeginning: 3,
};

export function conceptsOf(
  query: string,
  terms: Dictionary,
  frequency: Frequency,
  vocabulary: Vocabulary = SKILL_VOCABULARY,
): readonly Concept[] {
  const words = wordsOf(query, vocabulary);
  const phrases = phrasesIn(words, vocabulary);
  const concepts: Concept[] = [];
  const seen = new Set<string>();
  let comparisons = 0;
  const spelled = { left: MAX_SPELLED };
  const known = (text: string) => {
    const term = terms.find(text);
    return term !== undefined && frequency(term) > 0 ? term : undefined;
  };
  for (const [index, { word, text, counts }] of words.entries()) {
    const phrase = phrases.get(index) ?? [];
    if (phrase.length === 0 && (!counts || seen.has(text))) continue;
    seen.add(text);
    const alternatives = new Map<number, number>();
    const offer = (term: number | undefined, weight: number) => {
      if (term !== undefined && (alternatives.get(term) ?? 0) < weight) alternatives.set(term, weight);
    };
    // What a product is for matters where nothing is about the product itself.
    const isSubject = frequency(terms.find(text) ?? -1) >= ONE_DOCUMENT;
    const offerAll = (synonyms: readonly Synonym[]) => {
      for (const { stems, closeness } of synonyms) {
        if (closeness === 'product' && isSubject) continue;
        const weight = vocabulary.closeness[closeness] * (stems.length === 1 ? 1 : ONE_OF_SEVERAL);
        for (const each of stems) offer(known(each), weight);
      }
    };
    offerAll(phrase);
    if (counts) {
      offer(known(text), 1);
      offerAll(vocabulary.synonymsOf(text));
      // `pull the request`, `web hook`: the next significant word.
      const next = words.find((other, at) => at > index && other.counts);
      if (next !== undefined) offerAll(vocabulary.synonymsOf(`${text} ${next.text}`));
      offer(known(stem(`${word}${next?.word ?? ''}`)), JOINED);
      if (alternatives.size === 0 && comparisons < MAX_COMPARISONS) {
        comparisons += terms.size;
        for (const [term, weight] of similarTerms(text, terms, frequency, spelled, vocabulary.shortestBeginning)) offer(term, weight);
      }
    }
    if (alternatives.size > 0)
      concepts.push({
        alternatives: [...alternatives].map(([term, weight]) => ({ term, weight })),
        weight: counts ? vocabulary.weightOf(word) : 1,
      });
  }
  return concepts;
}

/** A word of a query, its stem, and whether it is significant. */
interface QueryWord {
  readonly word: string;
  readonly text: string;
  readonly counts: boolean;
}

/** All words of a query. If none is significant, each counts as if it were. */
function wordsOf(query: string, vocabulary: Vocabulary): readonly QueryWord[] {
  const all: string[] = [];
  eachWord(query.slice(0, LONGEST_QUERY), (word) => {
    if (all.length < MAX_WORDS * 4) all.push(word);
  });
  const significant = new Set<number>();
  all.forEach((word, at) => {
    if (vocabulary.isSignificant(word, all[at - 1] ?? '', all[at + 1] ?? '')) significant.add(at);
  });
  const isSignificant = (at: number) => significant.size === 0 || significant.has(at);
  let left = MAX_WORDS;
  return all.map((word, at) => ({ word, text: stem(word), counts: isSignificant(at) && left-- > 0 }));
}

/** What may stand between the words of a phrase: `put this online`. */
const FILLERS: ReadonlySet<string> = new Set('a an the this that these those it them my our your his her their'.split(' '));

/** What stands for several words in a row, such as `log in` and `step by step`, by the place of the first of them that counts. */
function phrasesIn(words: readonly QueryWord[], { synonymsOf }: Vocabulary): ReadonlyMap<number, readonly Synonym[]> {
  const phrases = new Map<number, readonly Synonym[]>();
  const row = [...words.entries()].filter(([, { word }]) => !FILLERS.has(word));
  for (let start = 0; start < row.length; ) {
    let length = Math.min(LONGEST_PHRASE, row.length - start);
    for (; length > 1; length--) {
      const phrase = row.slice(start, start + length);
      const synonyms = synonymsOf(phrase.map(([, { text }]) => text).join(' '));
      if (synonyms.length === 0) continue;
      const [place = 0] = phrase.find(([, { counts }]) => counts) ?? phrase[0] ?? [];
      phrases.set(place, synonyms);
      break;
    }
    start += Math.max(1, length);
  }
  return phrases;
}

function isSmallNumber(text: string): boolean {
  return /^\d{1,3}$/.test(text);
}

/** For a word that no document has: words that begin with it, else words that are spelled almost like it. */
function similarTerms(
  text: string,
  terms: Dictionary,
  frequency: Frequency,
  spelled: { left: number },
  shortestBeginning: number,
): readonly (readonly [term: number, weight: number])[] {
  if (text.length < 3) return [];
  const letters = lettersOf(text);
  const most = /\d/.test(text) || text.length < 4 ? 0 : text.length < 8 ? 1 : 2;
  const longer: { term: number; length: number }[] = [];
  const near: { term: number; steps: number; frequency: number }[] = [];
  for (let term = 0; term < terms.size; term++) {
    const other = terms.letters(term);
    // Most terms lack more letters than that, so nothing else is done for them.
    let missing = letters & ~other;
    for (let step = 0; step < most; step++) missing &= missing - 1;
    if (missing !== 0 || frequency(term) === 0) continue;
    const candidate = terms.text(term);
    if (text.length >= shortestBeginning && candidate.length > text.length && candidate.startsWith(text))
      longer.push({ term, length: candidate.length });
    else if (most > 0 && Math.abs(candidate.length - text.length) <= most && bitCount(other & ~letters) <= most) {
      if (spelled.left-- <= 0) continue;
      const steps = stepsBetween(text, candidate, most);
      if (steps <= most) near.push({ term, steps, frequency: frequency(term) });
    }
  }
  if (longer.length > 0)
    return longer
      .sort((one, other) => one.length - other.length || one.term - other.term)
      .slice(0, MAX_LONGER)
      .map(({ term }) => [term, LONGER]);
  return near
    .sort((one, other) => one.steps - other.steps || other.frequency - one.frequency || one.term - other.term)
    .slice(0, MAX_NEAR)
    .map(({ term, steps }) => [term, CORRECTED / steps]);
}

/** Rows of `stepsBetween`, for words of up to 40 letters: new ones for each comparison would cost more than the comparison. */
const rows: [Uint8Array, Uint8Array, Uint8Array] = [new Uint8Array(64), new Uint8Array(64), new Uint8Array(64)];

/** Letters to add, drop, replace or swap; more than `most` where it is more. Looks only at what `most` steps can reach. */
function stepsBetween(one: string, other: string, most: number): number {
  const beyond = most + 1;
  let [before, last, current] = rows;
  if (Math.abs(one.length - other.length) > most || other.length + 1 >= current.length) return beyond;
  for (let column = 0; column <= beyond; column++) last[column] = column;
  for (let row = 1; row <= one.length; row++) {
    const start = Math.max(1, row - most);
    const end = Math.min(other.length, row + most);
    current[start - 1] = start === 1 ? Math.min(row, beyond) : beyond;
    let least = current[start - 1] ?? beyond;
    for (let column = start; column <= end; column++) {
      const same = one.charCodeAt(row - 1) === other.charCodeAt(column - 1);
      let steps = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + (same ? 0 : 1));
      const swapped =
        row > 1 &&
        column > 1 &&
        one.charCodeAt(row - 1) === other.charCodeAt(column - 2) &&
        one.charCodeAt(row - 2) === other.charCodeAt(column - 1);
      if (swapped) steps = Math.min(steps, (before[column - 2] ?? 0) + 1);
      current[column] = Math.min(steps, beyond);
      least = Math.min(least, steps);
    }
    if (least > most) return beyond;
    // The next row looks one place further.
    current[end + 1] = beyond;
    [before, last, current] = [last, current, before];
  }
  return last[other.length] ?? beyond;
}
