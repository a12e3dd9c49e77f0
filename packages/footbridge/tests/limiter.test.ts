/** The limits of a caller: whatever they do, over any time, they get what is theirs and no more. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLimiter } from '../src/serve/http/limiter.js';
import { DEFAULT_HTTP_LIMITS } from '../src/serve/http/options.js';

const limitsOf = (callsPerMinute: number, burst: number) => ({ ...DEFAULT_HTTP_LIMITS, callsPerMinute, burst, concurrent: 3 });

/** A limiter with a clock that stands still, and a ledger that is looked into. */
function setUp(callsPerMinute = 60, burst = 5) {
  const clock = { now: 0 };
  const spent = new Map<string, number>();
  let tell = (_key: string, _amount: number) => {};
  const limiter = createLimiter(
    limitsOf(callsPerMinute, burst),
    {
      spend: (key, amount) => spent.set(key, (spent.get(key) ?? 0) + amount),
      onSpentElsewhere(listener) {
        tell = listener;
        return () => {};
      },
    },
    () => clock.now,
  );
  return { limiter, clock, spent, spendElsewhere: (key: string, amount: number) => tell(key, amount) };
}

/** How many calls in a row may go on. */
function allowance({ limiter }: ReturnType<typeof setUp>, caller: string, kind: 'work' | 'list' = 'work'): number {
  for (let calls = 0; ; calls++) if (limiter.take(caller, kind) > 0) return calls;
}

/** What is in use after all that is not has been collected. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

const rates = fc.record({ perMinute: fc.integer({ min: 1, max: 6000 }), burst: fc.integer({ min: 1, max: 200 }) });
const kinds = fc.constantFrom('work' as const, 'list' as const);

describe('calls over time', () => {
  it('are never more in any span than came at once and were refilled in it', () => {
    fc.assert(
      fc.property(rates, kinds, fc.array(fc.nat({ max: 3000 }), { maxLength: 300 }), ({ perMinute, burst }, kind, pauses) => {
        const { limiter, clock } = setUp(perMinute, burst);
        const factor = kind === 'list' ? 10 : 1;
        const passed: number[] = [];
        for (const pause of pauses) {
          clock.now += pause < 2000 ? 0 : pause;
          if (limiter.take('somebody', kind) === 0) passed.push(clock.now);
        }
        for (const [from, start] of passed.entries()) {
          for (const [more, end] of passed.slice(from).entries()) {
            const allowed = factor * (burst + ((end - start) * perMinute) / 60_000);
            expect(more + 1).toBeLessThanOrEqual(allowed + 1e-6);
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  it('may go on after the seconds that were said, and not a second before', () => {
    fc.assert(
      fc.property(rates, kinds, fc.nat({ max: 400 }), ({ perMinute, burst }, kind, elsewhere) => {
        const world = setUp(perMinute, burst);
        const { limiter, clock, spent, spendElsewhere } = world;
        allowance(world, 'somebody', kind);
        for (const key of spent.keys()) spendElsewhere(key, elsewhere);
        const seconds = limiter.take('somebody', kind);
        expect(seconds).toBeGreaterThanOrEqual(1);
        expect(Number.isInteger(seconds)).toBe(true);
        // Elsewhere can cost a caller no more than one burst.
        expect(seconds).toBeLessThanOrEqual(Math.ceil(((burst + 1) * 60) / perMinute));
        clock.now += (seconds - 1) * 1000 - 1;
        if (seconds > 1) expect(limiter.take('somebody', kind)).toBeGreaterThan(0);
        clock.now += 1001;
        // A thousandth more than exact: the refill is a fraction.
        clock.now += 1;
        expect(limiter.take('somebody', kind)).toBe(0);
      }),
    );
  });

  it('are as many again after a rest, however long', () => {
    const world = setUp(60, 5);
    expect(allowance(world, 'somebody')).toBe(5);
    world.clock.now += 2000;
    expect(allowance(world, 'somebody')).toBe(2);
    world.clock.now += 3_600_000;
    expect(allowance(world, 'somebody')).toBe(5);
  });

  it('are ten times as many for lists, counted apart', () => {
    const world = setUp(60, 5);
    expect(allowance(world, 'somebody', 'list')).toBe(50);
    expect(allowance(world, 'somebody', 'work')).toBe(5);
    world.clock.now += 1000;
    expect(allowance(world, 'somebody', 'list')).toBe(10);
    expect(allowance(world, 'somebody', 'work')).toBe(1);
  });

  it('of one caller are nothing to another', () => {
    const world = setUp(60, 5);
    allowance(world, 'somebody');
    expect(allowance(world, 'somebody else')).toBe(5);
  });
});

describe('calls on other replicas', () => {
  it('count as those here', () => {
    const [here, there] = [setUp(60, 5), setUp(60, 5)];
    for (let count = 0; count < 3; count++) there.limiter.take('somebody', 'work');
    for (const [key, amount] of there.spent) here.spendElsewhere(key, amount);
    expect(allowance(here, 'somebody')).toBe(2);
  });

  it('are told under a key that does not give the caller away', () => {
    const { limiter, spent } = setUp();
    limiter.take('token-hunter2', 'work');
    limiter.take('token-hunter2', 'list');
    limiter.take('token-hunter2', 'list');
    expect([...spent.values()]).toEqual([1, 2]);
    expect([...spent.keys()].join()).not.toContain('hunter2');
  });

  it('are told only when they went on', () => {
    const world = setUp(60, 5);
    for (let count = 0; count < 20; count++) world.limiter.take('somebody', 'work');
    expect([...world.spent.values()]).toEqual([5]);
  });
});

describe('callers', () => {
  it('are forgotten when they could begin anew, but for those who still have something running or to wait for', () => {
    const { limiter, clock, spent, spendElsewhere } = setUp(60, 5);
    for (let count = 0; count < 3; count++) limiter.enter('busy');
    const before = heapInUse();
    for (let number = 0; number < 100_000; number++) {
      clock.now += 100;
      limiter.take(`caller ${number}`, 'work');
      spendElsewhere(`work:caller elsewhere ${number}`, 1);
      spent.clear();
    }
    // All of them would take more than thirty million bytes.
    expect(heapInUse() - before).toBeLessThan(10_000_000);
    expect(limiter.enter('busy')).toBe(false);
    const greedy = setUp(60, 5);
    expect(allowance(greedy, 'greedy')).toBe(5);
    for (let number = 0; number < 5000; number++) greedy.limiter.take(`caller ${number}`, 'work');
    expect(greedy.limiter.take('greedy', 'work')).toBe(1);
  });
});

describe('calls side by side', () => {
  it('are as many as may be, and one more for each that ended', () => {
    const { limiter } = setUp();
    expect([1, 2, 3, 4].map(() => limiter.enter('somebody'))).toEqual([true, true, true, false]);
    expect(limiter.enter('somebody else')).toBe(true);
    limiter.leave('somebody');
    expect([1, 2].map(() => limiter.enter('somebody'))).toEqual([true, false]);
    for (let count = 0; count < 10; count++) limiter.leave('somebody');
    limiter.leave('nobody');
    expect([1, 2, 3, 4].map(() => limiter.enter('somebody'))).toEqual([true, true, true, false]);
  });
});
