import { describe, expect, it } from 'vitest';
import { compareSides, isWorse, type Sampled, summarize } from '../../../bench/against/compare.mjs';
import { compare, toBaseline } from '../../../bench/baseline.mjs';
import { comparisonPart, replacePart } from '../../../bench/report.mjs';

const smaller = (measure: string, value?: number) => ({ measure, value, largerIsBetter: false });
const larger = (measure: string, value?: number) => ({ measure, value, largerIsBetter: true });
const before = { date: '2026-01-01', node: 'v20.0.0', cpu: 'any', ratios: { call: 1.05, start: 20 } };

describe('bench --check', () => {
  it('reports a ratio that is more than 15 % worse', () => {
    expect(compare([smaller('call', 1.32)], before)).toEqual(['ALERT: call: 1.32 × now, 1.05 × in the baseline (26 % worse)']);
  });

  it('treats a smaller ratio as worse where larger is better', () => {
    expect(compare([larger('start', 16)], before)).toEqual(['ALERT: start: 16.00 × now, 20.00 × in the baseline (25 % worse)']);
    expect(compare([larger('start', 40)], before)).toEqual([expect.stringContaining('None of 1 ratios')]);
  });

  it('reports that nothing is worse within the tolerance', () => {
    expect(compare([smaller('call', 1.2), larger('start', 18)], before)).toEqual([
      'None of 2 ratios is more than 15 % worse than in the baseline of 2026-01-01.',
    ]);
  });

  it('names rows that the baseline does not have, and skips rows without a ratio', () => {
    expect(compare([smaller('call', 1), smaller('memory'), smaller('other', 9)], before)).toEqual([
      'None of 1 ratios is more than 15 % worse than in the baseline of 2026-01-01.',
      'New, not in the baseline: other',
    ]);
  });

  it('finds nothing worse in the run that the baseline was written from', () => {
    const rows = [smaller('call', 1.0504), larger('start', 20.7), smaller('memory')];
    const baseline = toBaseline(rows);
    expect(baseline.ratios).toEqual({ call: 1.05, start: 20.7 });
    expect(compare(rows, baseline)).toEqual([expect.stringMatching(/^None of 2 ratios/)]);
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

  it('finds the ratio in spite of disturbed rounds', () => {
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
