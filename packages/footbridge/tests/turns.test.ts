/** Work in slices runs at most one slice in each turn of the event loop. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { inTurns, Turns, type Urgency } from '../src/turns.js';

/** Counts turns of the event loop until it is stopped. */
function countTurns() {
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  return {
    get turn() {
      return turn;
    },
    stop() {
      isOver = true;
    },
  };
}

/** Computes in so many slices, and calls `begun` at the beginning of each but the first. */
async function work(slices: number, urgency: Urgency, begun: () => void) {
  const turns = new Turns(urgency, 0);
  for (let slice = 0; slice < slices; slice++) {
    await turns.next();
    begun();
  }
}

describe('work in slices', () => {
  it('begins one slice in a turn of the event loop, however many pieces of work there are', async () => {
    const counter = countTurns();
    const begun: number[] = [];
    const kinds: readonly Urgency[] = ['background', 'background', 'call', 'background', 'call'];
    await Promise.all(kinds.map((urgency) => work(20, urgency, () => begun.push(counter.turn))));
    counter.stop();
    expect(begun).toHaveLength(100);
    expect(new Set(begun).size).toBe(100);
  });

  it('lets calls go before work in the background, which goes on', async () => {
    const order: Urgency[] = [];
    await Promise.all((['background', 'call'] as const).map((urgency) => work(24, urgency, () => order.push(urgency))));
    expect(order.slice(0, 9)).toEqual([...new Array<Urgency>(8).fill('call'), 'background']);
    expect(order).toHaveLength(48);
  });

  it('takes turns among pieces of the same urgency', async () => {
    const order: string[] = [];
    await Promise.all(['a', 'b', 'c'].map((name) => work(3, 'background', () => order.push(name))));
    expect(order.join('')).toBe('abcabcabc');
  });

  it('shares a slice among pieces of work that follow each other in one turn', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const one = new Turns('background', 10);
    await one.next();
    vi.advanceTimersByTime(8);
    const other = new Turns('background', 10);
    expect(other.isOver).toBe(false);
    vi.advanceTimersByTime(3);
    expect([one.isOver, other.isOver]).toEqual([true, true]);
    await other.next();
    expect(other.isOver).toBe(false);
  });

  it('begins a slice with work in another turn', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    await new Turns('background', 10).next();
    vi.advanceTimersByTime(8);
    await nextTurn();
    const turns = new Turns('background', 10);
    vi.advanceTimersByTime(8);
    expect(turns.isOver).toBe(false);
    vi.advanceTimersByTime(3);
    expect(turns.isOver).toBe(true);
  });

  it('resolves with what the steps lead to', async () => {
    function* steps(): Generator<void, string> {
      yield;
      yield;
      return 'done';
    }
    expect(await inTurns(steps())).toBe('done');
  });
});
