/** A request for a tool as concepts: what it is about, and what is to be done with that. */
import { type Concept, conceptsOf, type Vocabulary } from './query.js';
import { thesaurus } from './synonyms.js';
import type { Terms } from './terms.js';
import { actionsIn } from './tool-actions.js';
import { TOOL_EVERYDAY_WORDS } from './tool-everyday-words.js';
import { TOOL_WORDS } from './tool-words.js';
import { eachWord } from './words.js';

/** How much what is to be done counts, beside each word of what it is about. */
const ACTION = 0.9;
const LONGEST = 1000;

const VOCABULARY: Vocabulary = {
  synonymsOf: thesaurus({ hint: `${TOOL_WORDS}${TOOL_EVERYDAY_WORDS}` }),
  closeness: { form: 0.8, same: 0.7, hint: 0.75, product: 0.75 },
  weightOf: () => 1,
};

const ISSUE_KEY = /^[A-Z][A-Z0-9]{1,9}-\d{1,7}[.,:;?!]?$/;

/** Addresses and keys of tickets stand for what they name; their parts say nothing. */
function meaningOf(word: string): string {
  if (/^https?:\/\//i.test(word)) return 'url';
  const at = word.indexOf('@');
  if (at > 0 && word.indexOf('.', at) !== -1) return 'email';
  return ISSUE_KEY.test(word) ? 'issue' : word;
}

export function toolConceptsOf(given: string, terms: Terms, frequency: (term: number) => number): readonly Concept[] {
  const query = given.slice(0, LONGEST).split(' ').map(meaningOf).join(' ');
  const words: string[] = [];
  eachWord(query, (word) => words.push(word));
  const alternatives = [...actionsIn(words)].flatMap(([text, weight]) => {
    const term = terms.find(text);
    return term === undefined ? [] : [{ term, weight }];
  });
  const concepts = conceptsOf(query, terms, frequency, VOCABULARY);
  return alternatives.length === 0 ? concepts : [...concepts, { alternatives, weight: ACTION }];
}
