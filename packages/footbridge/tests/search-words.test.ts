/** Words that lead to others can each be reached from a request. */
import { describe, expect, it } from 'vitest';
import { EVERYDAY_HINTS } from '../src/catalog/search/everyday-hints.js';
import { HINTS } from '../src/catalog/search/hints.js';
import { IRREGULAR } from '../src/catalog/search/irregular.js';
import { OTHER_LANGUAGES } from '../src/catalog/search/other-languages.js';
import { PHRASES } from '../src/catalog/search/phrases.js';
import { conceptsOf } from '../src/catalog/search/query.js';
import { stem } from '../src/catalog/search/stemmer.js';
import { SYNONYMS, synonymsOf } from '../src/catalog/search/synonyms.js';
import { Terms } from '../src/catalog/search/terms.js';
import { TOOL_HINTS } from '../src/catalog/search/tool-hints.js';

/** Words, and phrases without their quotes. */
function wordsIn(line: string): readonly string[] {
  return (line.match(/"[^"]+"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
}

const hints = [HINTS, EVERYDAY_HINTS, PHRASES, OTHER_LANGUAGES, TOOL_HINTS].flatMap((list) => list.trim().split(/[;\n]/));
const groups = [SYNONYMS, IRREGULAR.replaceAll(':', '')].flatMap((list) => list.trim().split(/[;\n]/));
const keys = new Set([...hints.flatMap((line) => wordsIn(line.split(':')[0] ?? '')), ...groups.flatMap(wordsIn)]);

/** The stems that a request may be about. */
function stemsOf(request: string): ReadonlySet<string> {
  const terms = new Terms();
  // A dictionary that has every word.
  const dictionary = { size: 0, find: (text: string) => terms.addStem(text), text: () => '', letters: () => 0 };
  const concepts = conceptsOf(request, dictionary, () => 0.1);
  return new Set(concepts.flatMap(({ alternatives }) => alternatives.map(({ term }) => terms.text(term))));
}

describe('synonyms', () => {
  it('are all found within a request, also phrases of stop words', () => {
    expect(keys.size).toBeGreaterThan(500);
    const lost = [...keys].filter((key) => {
      const leadsTo = synonymsOf(key.split(/[ /]/).map(stem).join(' ')).flatMap(({ stems }) => stems);
      const reached = stemsOf(`qwertz ${key} qwertz`);
      return leadsTo.length === 0 || !leadsTo.every((each) => reached.has(each));
    });
    expect(lost).toEqual([]);
  });

  it('are found for phrases of up to three words, also with common verbs', () => {
    expect(stemsOf('explain it step by step please')).toContain(stem('walkthrough'));
    expect(stemsOf('back up the disk')).toContain(stem('backup'));
    expect(stemsOf('will it go down on Monday')).toContain(stem('outage'));
    expect(stemsOf('pull this request')).toContain('pr');
    expect(stemsOf('put it online')).toContain(stem('deploy'));
  });

  it('are reached from other languages, with or without accents', () => {
    expect(stemsOf('eine Rechnung')).toContain(stem('invoice'));
    expect(stemsOf('übersetzen')).toContain(stem('translation'));
    expect(stemsOf('traducción')).toContain(stem('translation'));
    expect(stemsOf('合同')).toContain(stem('contract'));
    expect(stemsOf('сайт')).toContain(stem('website'));
  });
});
