import { describe, expect, it } from 'vitest';
import { compare, toBaseline } from '../../../bench/baseline.mjs';

const smaller = (measure: string, value?: number) => ({ measure, value, largerIsBetter: false });
const larger = (measure: string, value?: number) => ({ measure, value, largerIsBetter: true });
const before = { date: '2026-01-01', node: 'v20.0.0', cpu: 'any', ratios: { call: 1.05, start: 20 } };

describe('the check of a benchmark against its baseline', () => {
  it('alerts to a ratio that is over 15 % worse, and tells both', () => {
    expect(compare([smaller('call', 1.32)], before)).toEqual(['ALERT: call: 1.32 × now, 1.05 × in the baseline (26 % worse)']);
  });

  it('takes less for worse where the ratio says how much faster', () => {
    expect(compare([larger('start', 16)], before)).toEqual(['ALERT: start: 16.00 × now, 20.00 × in the baseline (25 % worse)']);
    expect(compare([larger('start', 40)], before)).toEqual([expect.stringContaining('None of 1 ratios')]);
  });

  it('says that nothing is worse where it is not by that much', () => {
    expect(compare([smaller('call', 1.2), larger('start', 18)], before)).toEqual([
      'None of 2 ratios is over 15 % worse than in the baseline of 2026-01-01.',
    ]);
  });

  it('names what the baseline does not know, and passes over what has no ratio', () => {
    expect(compare([smaller('call', 1), smaller('memory'), smaller('other', 9)], before)).toEqual([
      'None of 1 ratios is over 15 % worse than in the baseline of 2026-01-01.',
      'New, not in the baseline: other',
    ]);
  });

  it('finds nothing worse in the run that the baseline is made of', () => {
    const rows = [smaller('call', 1.0504), larger('start', 20.7), smaller('memory')];
    const baseline = toBaseline(rows);
    expect(baseline.ratios).toEqual({ call: 1.05, start: 20.7 });
    expect(compare(rows, baseline)).toEqual([expect.stringMatching(/^None of 2 ratios/)]);
  });
});
