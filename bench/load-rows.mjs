// Rows of a load: calls per second, and the duration of a call. A sample is `{ perSecond, p50 }` of one round.
import { milliseconds, row } from './report.mjs';
import { median } from './statistics.mjs';

export const IN_FLIGHT = 32;

export const of = (samples, key) => median(samples.map((sample) => sample[key]));

const perSecond = (value) => `${Math.round(value).toLocaleString('en')} / s`;

export function rate(measure, ours, name, other, limit) {
  const [one, two] = [of(ours, 'perSecond'), of(other, 'perSecond')];
  return row({
    measure: `${measure}, ${IN_FLIGHT} in flight`,
    ours: perSecond(one),
    other: `${name} ${perSecond(two)}`,
    ratio: one / two,
    largerIsBetter: true,
    limit,
  });
}

export function time(measure, ours, name, other, limit) {
  const [one, two] = [of(ours, 'p50'), of(other, 'p50')];
  return row({ measure, ours: milliseconds(one), other: `${name} ${milliseconds(two)}`, ratio: one / two, limit });
}
