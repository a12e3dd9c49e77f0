import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compareSides, isWorse, type Sampled, summarize } from '../../../bench/against/compare.mjs';
import { checkLimits } from '../../../bench/gate.mjs';
import { comparisonPart, replacePart } from '../../../bench/report.mjs';
import { interleave, median } from '../../../bench/statistics.mjs';

describe('bench --check', () => {
  const limits = { calls: { call: { most: 1.5 }, read: { most: 2 } }, starts: { start: { least: 3 } } };
  /** Measures a group by taking the next of its results each time. */
  async function checked(results: Record<string, (Record<string, number> | Error)[]>) {
    const [measured, lines]: [string[], string[]] = [[], []];
    const measure = async (group: string) => {
      measured.push(group);
      const result = results[group]?.shift();
      if (result === undefined || result instanceof Error) throw result ?? new Error('measured too often');
      return Object.entries(result).map(([measure, value]) => ({ measure, value }));
    };
    return { ...(await checkLimits(limits, measure, (line) => lines.push(line))), measured, lines };
  }

  it('measures each group once if all ratios are within their limits', async () => {
    const outcome = await checked({ calls: [{ call: 1.5, read: 1 }], starts: [{ start: 3, other: 99 }] });
    expect(outcome).toEqual({ compared: 3, failed: [], measured: ['calls', 'starts'], lines: [] });
  });

  it('repeats only the groups that missed a limit', async () => {
    const outcome = await checked({
      calls: [
        { call: 1.6, read: 1 },
        { call: 1.4, read: 1 },
      ],
      starts: [{ start: 4 }],
    });
    expect(outcome).toMatchObject({ failed: [], measured: ['calls', 'starts', 'calls'] });
    expect(outcome.lines).toEqual(['MISSED: call: 1.60 ×, limit: at most 1.5 × (1 of 3)']);
  });

  it('does not fail a ratio that was within its limit once', async () => {
    const calls = [
      { call: 9, read: 1 },
      { call: 9, read: 9 },
      { call: 1, read: 9 },
    ];
    expect(await checked({ calls, starts: [{ start: 4 }] })).toMatchObject({ failed: [] });
  });

  it('fails a ratio that missed its limit three times', async () => {
    const calls = [{ call: 1, read: 1 }];
    const outcome = await checked({ calls, starts: [{ start: 2.9 }, { start: 2 }, { start: 1 }, { start: 9 }] });
    expect(outcome).toMatchObject({ compared: 3, failed: ['start'], measured: ['calls', 'starts', 'starts', 'starts'] });
    expect(outcome.lines.at(-1)).toBe('MISSED: start: 1.00 ×, limit: at least 3 × (3 of 3)');
  });

  it('fails a ratio that is no longer measured, and a group that cannot be measured', async () => {
    const broken = () => new Error('the server exited');
    const calls = [{ call: 1 }, { call: 1 }, { call: 1 }];
    const outcome = await checked({ calls, starts: [broken(), broken(), broken()] });
    expect(outcome.failed).toEqual(['read', 'start']);
    expect(outcome.lines).toContain('MISSED: read: not measured, limit: at most 2 × (1 of 3)');
    expect(outcome.lines).toContain("The group 'starts' could not be measured: the server exited");
  });

  it('fails an artificially slowed row, and passes the original', async () => {
    /** Computes for so long, and returns the CPU time it took: other work on the machine does not count. */
    const compute = (milliseconds: number) => {
      const begin = process.cpuUsage();
      let took = 0;
      while (took < milliseconds) {
        const { user, system } = process.cpuUsage(begin);
        took = (user + system) / 1000;
      }
      return took;
    };
    const check = (slower: number) =>
      checkLimits(
        { work: { work: { most: 2 } } },
        async () => {
          const samples = await interleave(5, { ours: async () => compute(slower), peer: async () => compute(1) });
          return [{ measure: 'work', value: median(samples.ours) / median(samples.peer) }];
        },
        () => {},
      );
    expect((await check(1)).failed).toEqual([]);
    expect((await check(10)).failed).toEqual(['work']);
  });

  it('has limits only for groups that exist, each with one bound', () => {
    const bench = join(import.meta.dirname, '../../../bench');
    const stored: Record<string, Record<string, object>> = JSON.parse(readFileSync(join(bench, 'limits.json'), 'utf8'));
    const groups = readFileSync(join(bench, '../scripts/bench.mjs'), 'utf8');
    for (const [group, ofGroup] of Object.entries(stored)) {
      expect(groups).toMatch(new RegExp(`^  '?${group}'?: measure`, 'm'));
      for (const limit of Object.values(ofGroup)) expect(Object.keys(limit)).toEqual([expect.stringMatching(/^(?:least|most)$/)]);
    }
  });

  it('is run by CI, and fails it', () => {
    const ci = readFileSync(join(import.meta.dirname, '../../../.ci/run'), 'utf8');
    expect(ci).toMatch(/^timeout \d+ npm run -s bench -- --check$/m);
  });
});

describe('bench --against', () => {
  /** Samples around `level` in which every third round is disturbed: slower by half. */
  const noisy = (level: number, unit: Sampled['unit'], phase: number) =>
    Array.from({ length: 60 }, (_, round) => {
      const disturbed = (round + phase) % 3 === 0 ? 1.5 : 1;
      const jitter = 1 + ((round * 7 + phase) % 5) / 200;
      return unit === 'perSecond' ? level / disturbed / jitter : level * disturbed * jitter;
    });
  const compared = (unit: Sampled['unit'], newLevel: number, oldLevel: number) =>
    compareSides({ measure: 'call', unit, samples: { new: noisy(newLevel, unit, 0), old: noisy(oldLevel, unit, 1) } });

  it('finds the ratio despite disturbed rounds', () => {
    expect(compared('ms', 1.1, 1).ratio).toBeCloseTo(1.1, 2);
    expect(compared('perSecond', 1300, 1000).ratio).toBeCloseTo(1.3, 2);
  });

  it('reports a longer time and a lower throughput as worse', () => {
    expect(compared('ms', 1.1, 1).worse).toBeCloseTo(0.1, 2);
    expect(compared('perSecond', 1000, 1100).worse).toBeCloseTo(0.1, 2);
    expect(compared('perSecond', 1100, 1000).worse).toBeLessThan(0);
    expect(compared('bytes', 1.1, 1).worse).toBeCloseTo(0.1, 2);
  });

  it('represents a quotient by its median', () => {
    const samples = { new: [1, 1.2, 1.1], old: [1, 1.3, 1.2] };
    expect(compareSides({ measure: 'quotient', unit: 'times', samples })).toMatchObject({ new: 1.1, old: 1.2 });
  });

  it('has no ratio for a difference that is not positive, and does not call it worse', () => {
    const row = compareSides({ measure: 'added', unit: 'added', samples: { new: [2, 3, 2], old: [-1, 0, 1] } });
    expect(row).toMatchObject({ new: 2, old: 0, ratio: Number.NaN });
    expect(isWorse(row)).toBe(false);
  });

  it('gives a larger spread to samples that vary more', () => {
    const samples = (noise: number) => ({
      new: Array.from({ length: 30 }, (_, round) => 1 + ((round * 11) % 7) * noise),
      old: Array.from({ length: 30 }, (_, round) => 1 + ((round * 5) % 7) * noise),
    });
    const spread = (noise: number) => compareSides({ measure: 'call', unit: 'ms', samples: samples(noise) }).spread;
    expect(spread(0)).toBe(0);
    expect(spread(0.1)).toBeGreaterThan(spread(0.01));
  });

  it('gives a larger spread to processes that differ than to rounds that do', () => {
    const samples = {
      new: Array.from({ length: 40 }, (_, round) => (Math.floor(round / 10) === 1 ? 1.2 : 1) + (round % 10) / 1000),
      old: Array.from({ length: 40 }, (_, round) => (Math.floor(round / 10) < 3 ? 1.2 : 1) + (round % 10) / 1000),
    };
    const spread = (block: number) => compareSides({ measure: 'call', unit: 'ms', samples, block }).spread;
    expect(spread(10)).toBeGreaterThan(spread(1));
  });

  it('gives the same spread for the same samples', () => {
    expect(compared('ms', 1, 1)).toEqual(compared('ms', 1, 1));
  });

  it('names the rows that are more than 5 % worse', () => {
    const row = { ...compared('ms', 1, 1), spread: 0.01 };
    const rows = [
      { ...row, measure: 'start', worse: 0.049 },
      { ...row, measure: 'call', worse: 0.08 },
      { ...row, measure: 'list', worse: 0.06, spread: 0.07 },
    ];
    expect(rows.map(isWorse)).toEqual([false, true, true]);
    expect(summarize(rows)).toBe('2 of 3 rows are more than 5 % worse: call (8 % worse); list (6 % worse, within the spread).');
    expect(summarize(rows.slice(0, 1))).toBe('None of 1 rows is more than 5 % worse.');
  });

  it('replaces its own section of the result file and keeps the rest', () => {
    const first = replacePart('# Benchmark\n', { comparison: comparisonPart('abc1234', 'first table') });
    expect(first).toMatch(/^# Benchmark\n\n## Compared with abc1234\n.*first table\n$/s);
    const second = replacePart(first, { comparison: comparisonPart('def5678', 'second table') });
    expect(second).toMatch(/^# Benchmark\n\n## Compared with def5678\n.*second table\n$/s);
    expect(second).not.toContain('first table');
    expect(replacePart(second, { main: '# Another run\n' })).toMatch(/^# Another run\n\n## Compared with def5678\n/);
  });
});
