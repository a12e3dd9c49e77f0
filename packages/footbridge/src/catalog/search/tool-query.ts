/** A request for a tool as concepts: what it is about, and what is to be done with that. */
import { type Concept, conceptsOf, saysSomething, type Vocabulary } from './query.js';
import { stem } from './stemmer.js';
import { type Synonym, thesaurus } from './synonyms.js';
import type { Terms } from './terms.js';
import { actionsIn } from './tool-actions.js';
import { TOOL_EVERYDAY_WORDS } from './tool-everyday-words.js';
import { TOOL_GENERAL_WORDS } from './tool-general-words.js';
import { phrasesOf } from './tool-phrases.js';
import { TOOL_WORDS } from './tool-words.js';
import { eachWord } from './words.js';

/** How much what is to be done counts, beside each word of what it is about. */
const ACTION = 0.9;
/** What a phrase means, compared with a word of the request. */
const PHRASE = 0.8;
/** When something happened or is to happen, which tools rarely say. */
const TIME = 0.5;
const LONGEST = 1000;

const synonymsIn = thesaurus({ hint: `${TOOL_WORDS}${TOOL_EVERYDAY_WORDS}`, product: TOOL_GENERAL_WORDS });

const VOCABULARY: Vocabulary = {
  synonymsOf: (stems) => [...synonymsIn(stems), ...numberOf(stems), ...doerOf(stems)],
  closeness: { form: 0.8, same: 0.7, hint: 0.75, product: 0.75 },
  weightOf: (word) => (TIMES.has(word) || /^\d{1,4}$/.test(word) ? TIME : 1),
  isSignificant: saysSomething,
  // Shorter ones are mostly endings of files: `mov` is not the beginning of `move`.
  shortestBeginning: 4,
};

/** Of a request that says nothing otherwise: `go live`. */
const EVERY_WORD: Vocabulary = { ...VOCABULARY, isSignificant: () => true };

/** What a request means. */
export interface ToolRequest {
  /** What it is about. */
  readonly subjects: readonly Concept[];
  /** What is to be done with that. */
  readonly action: Concept | undefined;
}

const TIMES: ReadonlySet<string> = new Set(
  `today tomorrow yesterday tonight now week weeks month months year years day days hour hours minute minutes morning afternoon evening night
  weekend second seconds monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november
  december recent recently last next past new newest time first am pm one two three four five six seven eight nine
  ten dozen hundred thousand half`.split(/\s+/),
);

/** `dsn` and `dsns`: the stems of words without vowels keep their endings. */
function numberOf(stems: string): readonly Synonym[] {
  if (!/^[b-df-hj-np-tv-xz]{3,}$/.test(stems)) return [];
  return [{ stems: [stems.endsWith('s') ? stems.slice(0, -1) : `${stems}s`], closeness: 'form' }];
}

/** `scan` for `scanner`, and the other way round. */
function doerOf(stems: string): readonly Synonym[] {
  if (stems.length < 4 || stems.includes(' ')) return [];
  const last = stems.slice(-1);
  const base = stems.endsWith('er') ? stems.slice(0, -2) : undefined;
  const others =
    base === undefined
      ? [`${stems}er`, `${stems}${last}er`]
      : [base, ...(base.at(-1) === base.at(-2) ? [base.slice(0, -1)] : [])].filter(({ length }) => length > 2);
  return others.map((other) => ({ stems: [other], closeness: 'form' }));
}

const ISSUE_KEY = /^[A-Z][A-Z0-9]{1,9}-\d{1,7}[.,:;?!]?$/;

/** Nobody is absent. */
const LEAVE_A = /\bleave (?=(?:an?|the|my|our) )/gi;

/** Addresses and keys of tickets stand for what they name; their parts say nothing. */
function meaningOf(word: string): string {
  if (/^https?:\/\//i.test(word)) return 'url';
  const at = word.indexOf('@');
  if (at > 0 && word.indexOf('.', at) !== -1) return 'email';
  return ISSUE_KEY.test(word) ? 'issue' : word;
}

/** In the terms that some texts have. With `every`, words of grammar count as well. */
export function toolRequestOf(given: string, terms: Terms, frequency: (term: number) => number, every = false): ToolRequest {
  const query = given.slice(0, LONGEST).replace(LEAVE_A, 'write ').split(' ').map(meaningOf).join(' ');
  const words: string[] = [];
  eachWord(query, (word) => words.push(word));
  const phrases = phrasesOf(words);
  const alternatives = [...actionsIn([...phrases.flatMap(([first = '']) => first), ...words])].flatMap(([text, weight]) => {
    const term = terms.find(text);
    return term === undefined ? [] : [{ term, weight }];
  });
  const subjects = [...conceptsOf(query, terms, frequency, every ? EVERY_WORD : VOCABULARY)];
  for (const phrase of phrases) {
    const meant = phrase.flatMap((word) => {
      const term = terms.find(stem(word));
      return term === undefined || frequency(term) === 0 ? [] : [{ term, weight: PHRASE }];
    });
    if (meant.length > 0) subjects.push({ alternatives: meant, weight: 1 });
  }
  return { subjects, action: alternatives.length === 0 ? undefined : { alternatives, weight: ACTION } };
}
