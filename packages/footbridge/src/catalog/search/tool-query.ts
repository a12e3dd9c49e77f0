/** A request for a tool as concepts: what it is about, and what is to be done with that. */
import { type Concept, conceptsOf, type Vocabulary } from './query.js';
import { thesaurus } from './synonyms.js';
import type { Terms } from './terms.js';
import { actionsIn } from './tool-actions.js';
import { TOOL_WORDS } from './tool-words.js';
import { eachWord } from './words.js';

/** How much what is to be done counts, beside each word of what it is about. */
const ACTION = 0.9;
const LONGEST = 1000;

const VOCABULARY: Vocabulary = {
  synonymsOf: thesaurus({ hint: TOOL_WORDS }),
  closeness: { form: 0.8, same: 0.7, hint: 0.75, product: 0.75 },
  weightOf: () => 1,
};

export function toolConceptsOf(query: string, terms: Terms, frequency: (term: number) => number): readonly Concept[] {
  const words: string[] = [];
  eachWord(query.slice(0, LONGEST), (word) => words.push(word));
  const alternatives = [...actionsIn(words)].flatMap(([text, weight]) => {
    const term = terms.find(text);
    return term === undefined ? [] : [{ term, weight }];
  });
  const concepts = conceptsOf(query, terms, frequency, VOCABULARY);
  return alternatives.length === 0 ? concepts : [...concepts, { alternatives, weight: ACTION }];
}
