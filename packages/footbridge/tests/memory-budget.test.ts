/** The memory that running calls share: which calls wait, in which order, and what is released. */
import { expect, it } from 'vitest';
import { MemoryBudget } from '../src/memory-budget.js';
import { Cancellation } from '../src/sources/context.js';

const MEBIBYTE = 1024 * 1024;
const MAX = 100 * MEBIBYTE;

/** Resolves with what became of a reservation so far. */
async function stateOf(taking: Promise<void> | undefined): Promise<string> {
  if (taking === undefined) return 'at once';
  const waiting = Promise.resolve('waiting');
  return Promise.race([taking.then(() => 'admitted'), waiting]);
}

it('a reservation that fits is made at once', () => {
  const budget = new MemoryBudget(MAX);
  const hold = budget.open('a');
  expect(hold.take(40 * MEBIBYTE)).toBeUndefined();
  expect(budget.held).toBe(40 * MEBIBYTE);
  hold.leave();
  expect(budget.held).toBe(0);
});

it('one caller gets half, and waits for its own calls while others continue', async () => {
  const budget = new MemoryBudget(MAX);
  const first = budget.open('a');
  first.take(40 * MEBIBYTE);
  const second = budget.open('a').take(40 * MEBIBYTE);
  expect(await stateOf(second)).toBe('waiting');
  expect(budget.open('b').take(40 * MEBIBYTE)).toBeUndefined();
  first.leave();
  await second;
  expect(budget.held).toBe(80 * MEBIBYTE);
});

it('callers that wait for the total are served in order, a large one before later small ones', async () => {
  const budget = new MemoryBudget(MAX);
  const [first, second] = [budget.open('a'), budget.open('b')];
  first.take(50 * MEBIBYTE);
  second.take(50 * MEBIBYTE);
  const large = budget.open('c').take(50 * MEBIBYTE);
  const small = budget.open('d').take(2 * MEBIBYTE);
  expect(await stateOf(small)).toBe('waiting');
  second.leave();
  await large;
  expect(await stateOf(small)).toBe('waiting');
  first.leave();
  await small;
});

it('a reservation larger than the budget is admitted alone', async () => {
  const budget = new MemoryBudget(MAX);
  const hold = budget.open('a');
  expect(hold.take(3 * MAX)).toBeUndefined();
  const other = budget.open('b').take(2 * MAX);
  expect(await stateOf(other)).toBe('waiting');
  hold.leave();
  await other;
});

it('a call does not wait for its own reservation', () => {
  const budget = new MemoryBudget(MAX);
  const hold = budget.open('a');
  hold.take(40 * MEBIBYTE);
  expect(hold.take(MAX)).toBeUndefined();
});

it('a small call never waits, but counts', () => {
  const budget = new MemoryBudget(MAX);
  budget.open('a').take(3 * MAX);
  expect(budget.open('a').take(1000)).toBeUndefined();
  expect(budget.held).toBe(3 * MAX + 1000);
});

it('many small reservations of one call count as a large one', async () => {
  const budget = new MemoryBudget(MAX);
  budget.open('a').take(3 * MAX);
  const hold = budget.open('b');
  expect(hold.take(MEBIBYTE)).toBeUndefined();
  expect(await stateOf(hold.take(1))).toBe('waiting');
});

it('a call that waits too long is rejected, and can be repeated', async () => {
  const budget = new MemoryBudget(MAX, 20);
  const hold = budget.open('a');
  hold.take(MAX);
  await expect(budget.open('b').take(MAX)).rejects.toMatchObject({ message: 'The server is busy.', retryable: true });
  hold.leave();
  expect(budget.held).toBe(0);
  expect(budget.open('b').take(MAX)).toBeUndefined();
});

it('a cancelled call leaves the queue, and later ones continue', async () => {
  const budget = new MemoryBudget(MAX);
  budget.open('a').take(50 * MEBIBYTE);
  const cancellation = new Cancellation();
  const large = budget.open('b').take(MAX, cancellation);
  const small = budget.open('c').take(40 * MEBIBYTE);
  expect(await stateOf(small)).toBe('waiting');
  cancellation.abort();
  await expect(large).rejects.toThrow('cancelled');
  await small;
});

it('a finished call leaves the queue', async () => {
  const budget = new MemoryBudget(MAX);
  budget.open('a').take(50 * MEBIBYTE);
  const hold = budget.open('b');
  const large = hold.take(MAX);
  const small = budget.open('c').take(40 * MEBIBYTE);
  hold.leave();
  await expect(large).rejects.toThrow('busy');
  await small;
});

it('a reservation is released when both its work and its client are done', () => {
  const budget = new MemoryBudget(MAX);
  const hold = budget.open('a');
  hold.enter();
  hold.take(40 * MEBIBYTE);
  hold.leave();
  expect(budget.held).toBe(40 * MEBIBYTE);
  hold.leave();
  expect(budget.held).toBe(0);
  hold.take(40 * MEBIBYTE);
  expect(budget.held).toBe(0);
});
