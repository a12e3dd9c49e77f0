/** Rate and concurrency limits, tested over random sequences of calls. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLimiter } from '../src/serve/http/limiter.js';
import { DEFAULT_HTTP_LIMITS } from '../src/serve/http/options.js';

const limitsOf = (callsPerMinute: number, burst: number) => ({ ...DEFAULT_HTTP_LIMITS, callsPerMinute, burst, concurrent: 3 });

/** A limiter with a fake clock and a recording ledger. */
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

/** The number of consecutive calls that are allowed. */
function allowance({ limiter }: ReturnType<typeof setUp>, caller: string, kind: 'work' | 'list' = 'work'): number {
  for (let calls = 0; ; calls++) if (limiter.take(caller, kind) > 0) return calls;
}

/** The heap in use after garbage collection. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

const rates = fc.record({ perMinute: fc.integer({ min: 1, max: 6000 }), burst: fc.integer({ min: 1, max: 200 }) });
const kinds = fc.constantFrom('work' as const, 'list' as const);

describe('the rate limit', () => {
  it('never allows more calls in a period than burst plus refill', () => {
    fc.assert(
      fc.property(rates, kinds, fc.array(fc.nat({ max: 3000 }), { maxLength: 300 }), ({ perMinute, burst }, kind, pauses) => {
        const { limiter, clock } = setUp(perMinute, burst);
        const factor = kind === 'list' ? 10 : 1;
        const passed: number[] = [];
        for (const pause of pauses) {
          clock.now += pause < 2000 ? 0 : pause;
          if (limiter.take('ada', kind) === 0) passed.push(clock.now);
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

  it('allows a call after the stated seconds, and not a second earlier', () => {
    fc.assert(
      fc.property(rates, kinds, fc.nat({ max: 400 }), ({ perMinute, burst }, kind, elsewhere) => {
        const world = setUp(perMinute, burst);
        const { limiter, clock, spent, spendElsewhere } = world;
        allowance(world, 'ada', kind);
        for (const key of spent.keys()) spendElsewhere(key, elsewhere);
        const seconds = limiter.take('ada', kind);
        expect(seconds).toBeGreaterThanOrEqual(1);
        expect(Number.isInteger(seconds)).toBe(true);
        // Elsewhere can cost a caller no more than one burst.
        expect(seconds).toBeLessThanOrEqual(Math.ceil(((burst + 1) * 60) / perMinute));
        clock.now += (seconds - 1) * 1000 - 1;
        if (seconds > 1) expect(limiter.take('ada', kind)).toBeGreaterThan(0);
        clock.now += 1001;
        // A thousandth more than exact: the refill is a fraction.
        clock.now += 1;
        expect(limiter.take('ada', kind)).toBe(0);
      }),
    );
  });

  it('is full again after a pause, however long', () => {
    const world = setUp(60, 5);
    expect(allowance(world, 'ada')).toBe(5);
    world.clock.now += 2000;
    expect(allowance(world, 'ada')).toBe(2);
    world.clock.now += 3_600_000;
    expect(allowance(world, 'ada')).toBe(5);
  });

  it('allows ten times as many lists, counted separately', () => {
    const world = setUp(60, 5);
    expect(allowance(world, 'ada', 'list')).toBe(50);
    expect(allowance(world, 'ada', 'work')).toBe(5);
    world.clock.now += 1000;
    expect(allowance(world, 'ada', 'list')).toBe(10);
    expect(allowance(world, 'ada', 'work')).toBe(1);
  });

  it('is separate for each caller', () => {
    const world = setUp(60, 5);
    allowance(world, 'ada');
    expect(allowance(world, 'bob')).toBe(5);
  });
});

describe('usage on other replicas', () => {
  it('counts like local usage', () => {
    const [here, there] = [setUp(60, 5), setUp(60, 5)];
    for (let count = 0; count < 3; count++) there.limiter.take('ada', 'work');
    for (const [key, amount] of there.spent) here.spendElsewhere(key, amount);
    expect(allowance(here, 'ada')).toBe(2);
  });

  it('is sent under a key that does not reveal the caller', () => {
    const { limiter, spent } = setUp();
    limiter.take('token-hunter2', 'work');
    limiter.take('token-hunter2', 'list');
    limiter.take('token-hunter2', 'list');
    expect([...spent.values()]).toEqual([1, 2]);
    expect([...spent.keys()].join()).not.toContain('hunter2');
  });

  it('includes only calls that were allowed', () => {
    const world = setUp(60, 5);
    for (let count = 0; count < 20; count++) world.limiter.take('ada', 'work');
    expect([...world.spent.values()]).toEqual([5]);
  });
});

describe('memory', () => {
  it('keeps only callers with running calls or a bucket that is not full', () => {
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

describe('the concurrency limit', () => {
  it('allows another call for each that has ended', () => {
    const { limiter } = setUp();
    expect([1, 2, 3, 4].map(() => limiter.enter('ada'))).toEqual([true, true, true, false]);
    expect(limiter.enter('bob')).toBe(true);
    limiter.leave('ada');
    expect([1, 2].map(() => limiter.enter('ada'))).toEqual([true, false]);
    for (let count = 0; count < 10; count++) limiter.leave('ada');
    limiter.leave('carol');
    expect([1, 2, 3, 4].map(() => limiter.enter('ada'))).toEqual([true, true, true, false]);
  });
});
