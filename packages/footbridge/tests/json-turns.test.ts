/** Large JSON is parsed over several turns, with the same result as `JSON.parse`. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonQueue, LARGE_JSON, type ParsedJson, parseInTurns } from '../src/json-turns.js';

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

it('later texts wait for a large one unless they are urgent, and their stream is paused when many wait', async () => {
  const seen: unknown[] = [];
  const input = { pause: () => void seen.push('paused'), resume: () => void seen.push('resumed') };
  const take = (each: ParsedJson) => seen.push('value' in each ? String(each.value).length : each.problem);
  const queue = new JsonQueue(input, LIMITS, take, (text) => text === '"urgent"');
  queue.push('"a"');
  queue.push(JSON.stringify('b'.repeat(LARGE_JSON)));
  queue.push('"cc"');
  queue.push('{');
  expect(seen).toEqual([1]);
  queue.push('"urgent"');
  queue.push(JSON.stringify('d'.repeat(2 * LARGE_JSON)));
  expect(seen).toEqual([1, 6, 'paused']);
  await queue.idle;
  expect(seen).toEqual([1, 6, 'paused', LARGE_JSON, 2, 'invalid', 2 * LARGE_JSON, 'resumed']);
  expect(queue.idle).toBeUndefined();
});

it('many small texts are taken in several turns, in order', async () => {
  const seen: unknown[] = [];
  const input = { pause: () => void seen.push('paused'), resume: () => void seen.push('resumed') };
  const queue = new JsonQueue(input, LIMITS, (each) => {
    seen.push('value' in each ? each.value : each.problem);
    // As long as handling many messages takes.
    const end = performance.now() + 2;
    while (performance.now() < end);
  });
  const turns: number[] = [];
  const count = () => {
    turns.push(seen.length);
    if (seen.at(-1) !== 'resumed') setImmediate(count);
  };
  for (let text = 0; text < 40; text++) queue.push(String(text));
  expect(seen.length).toBeLessThan(30);
  count();
  await queue.idle;
  expect(seen.filter((each) => typeof each === 'number')).toEqual(Array.from({ length: 40 }, (_, index) => index));
  expect(seen.at(-1)).toBe('resumed');
  expect(turns.length).toBeGreaterThan(4);
  // The slice of the next turn is its own.
  await new Promise(setImmediate);
  queue.push('"next"');
  expect(seen.at(-1)).toBe('next');
});

it('counts what texts lead to before it takes more of them', async () => {
  let taken = 0;
  const queue = new JsonQueue({ pause: () => {}, resume: () => {} }, LIMITS, () => {
    taken++;
    void Promise.resolve().then(() => {
      const end = performance.now() + 2;
      while (performance.now() < end);
    });
  });
  const perTurn: number[] = [];
  for (let text = 0; text < 80; text++) queue.push(String(text));
  for (let before = 0; before < 80; before = taken) {
    perTurn.push(taken - before);
    await new Promise(setImmediate);
  }
  expect(Math.max(...perTurn)).toBeLessThan(20);
  expect(perTurn.length).toBeGreaterThan(10);
});
