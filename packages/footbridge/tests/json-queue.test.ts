/** JSON texts of a stream: their order, what overtakes, and how many one turn of the event loop takes. */
import { expect, it } from 'vitest';
import { JsonQueue } from '../src/json-queue.js';
import { LARGE_JSON, type ParsedJson } from '../src/json-turns.js';

const LIMITS = { values: 1_000_000, depth: 500 };

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
