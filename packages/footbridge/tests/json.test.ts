import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDeep, MAX_VALUES, parseBounded, shapeOf } from '../src/json.js';

const MANY = Number.POSITIVE_INFINITY;
/** Texts with what JSON escapes, and what it means outside of texts, before and after the characters that are compared one by one. */
const oddText = fc
  .array(fc.constantFrom('"', '\\', '[', '{', ',', ']', 'a'.repeat(31), 'a'.repeat(40), '\\'.repeat(33), 'é'), { maxLength: 40 })
  .map((parts) => parts.join(''));

describe('shapeOf', () => {
  it('counts the values of any JSON, whatever its strings contain', () => {
    fc.assert(
      fc.property(fc.array(oddText, { minLength: 1 }), (texts) => {
        const padded = ['x'.repeat(1000), ...texts];
        // The array, its texts, and what comes before the first comma.
        expect(shapeOf(JSON.stringify(padded), MANY)).toEqual({ isDeep: false, values: padded.length + 1 });
        const nested = `${'['.repeat(501)}${JSON.stringify(texts)}${']'.repeat(501)}`;
        expect(isDeep(nested)).toBe(true);
        expect(isDeep(JSON.stringify({ nested }))).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  it('is not confused by an unterminated string', () => {
    for (const text of [`"${'a'.repeat(2000)}`, `"${'\\'.repeat(2001)}"`, `"${'a'.repeat(2000)}\\"`])
      expect(shapeOf(text, MANY)).toEqual({ isDeep: false, values: 1 });
  });
});

describe('parseBounded', () => {
  it('parses at most as many values as allowed', () => {
    const list = (values: number) => `[${'1,'.repeat(values - 2)}1]`;
    expect(parseBounded(list(MAX_VALUES))).toHaveLength(MAX_VALUES - 1);
    expect(parseBounded(list(MAX_VALUES + 1))).toBeUndefined();
    expect(parseBounded('{"a":[')).toBeUndefined();
  });
});
