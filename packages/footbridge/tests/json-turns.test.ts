/** Large JSON is parsed over several turns, with the same result as `JSON.parse`. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ParsedJson, parseInTurns } from '../src/json-turns.js';

const LIMITS = { values: 1_000_000, depth: 500 };
const LARGE = 3 * 1024 * 1024;

function parsed(text: string): ParsedJson {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: 'invalid' };
  }
}

/** JSON with escapes and white space, and texts that are almost JSON. */
const nearJson = fc.oneof(
  fc.json({ maxDepth: 6, stringUnit: 'binary' }),
  fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value, undefined, 2)),
  fc
    .array(
      fc.constantFrom(
        ...[
          '{',
          '}',
          '[',
          ']',
          ',',
          ':',
          '"',
          '\\',
          '\\u',
          '\\u00e9',
          '\\ud83d\\ude00',
          '\\"',
          '\n',
          ' ',
          '\t',
          '\u00a0',
          '0',
          '-',
          '.5',
          'e+',
          '1',
        ],
        ...['"a"', '"__proto__"', 'true', 'null', 'nul', '01', '-0', '1e999', '"\u0001"', '\\x', '"a":1', '[1]', '{"a":{}}'],
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('')),
);

describe('parseInTurns', () => {
  it('returns the same as JSON.parse, or that the text is invalid', async () => {
    await fc.assert(
      fc.asyncProperty(nearJson, async (text) => {
        expect(await parseInTurns(text, LIMITS)).toStrictEqual(parsed(text));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['escapes', `{"a":"${'\\u0041'.repeat(LARGE / 6)}"}`],
    ['quotes and halves of pairs', `["${'\\"\\ud83d\\ude00'.repeat(LARGE / 14)}","x"]`],
    ['many keys', `{${Array.from({ length: 25_000 }, (_, index) => `"key-${index}":${index}`).join(',')}}`],
    ['white space', `${' '.repeat(LARGE)}[1 ${'\n'.repeat(LARGE)}]`],
    ['a plain text', JSON.stringify({ text: 'é'.repeat(LARGE) })],
    ['nested arrays', `${'['.repeat(500)}${'1,'.repeat(100_000)}1${']'.repeat(500)}`],
  ])('yields to other work, with %s', async (_what, text) => {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    expect(await parseInTurns(text, LIMITS)).toEqual(parsed(text));
    isOver = true;
    expect(turns).toBeGreaterThan(1);
  });

  it.each([
    ['['.repeat(501) + ']'.repeat(501), 'deep'],
    [`[${'1,'.repeat(1000)}1]`, 'values'],
    [`{${Array.from({ length: 25_001 }, (_, index) => `"key-${index}":0`).join(',')}}`, 'values'],
    [`"${'a'.repeat(LARGE)}`, 'invalid'],
    [`"${'\\'.repeat(LARGE + 1)}"`, 'invalid'],
    [`"${'\\u12'.repeat(LARGE / 4)}"`, 'invalid'],
    ['1'.repeat(LARGE), 'invalid'],
  ])('rejects too many values, too deep nesting and an incomplete text', async (text, problem) => {
    expect(await parseInTurns(text, { values: problem === 'values' && text.startsWith('[') ? 1000 : 1_000_000, depth: 500 })).toEqual({
      problem,
    });
  });
});
