// Turns the samples of two builds into ratios. Sample n of both sides was taken in the same round.
import { generator, percentile } from '../statistics.mjs';

/** How much worse a row may be before it is reported. */
const TOLERANCE = 0.05;
const RESAMPLES = 300;
const INTERVAL = 0.95;

/**
 * Compares the two sides of one row. Each side is represented by its better quartile, because other work on the machine only ever
 * makes a sample worse; a quotient or difference, which it can move either way, by its median. The ratio is NaN if one of them is not
 * positive.
 *
 * `spread` is half the width of the 95 % interval of the ratio, as a share of it. It comes from resampling blocks of `block` rounds,
 * because rounds of the same two processes are not independent.
 */
export function compareSides({ measure, unit, samples, block = 1 }) {
  const largerIsBetter = unit === 'perSecond';
  const share = { perSecond: 0.75, times: 0.5, added: 0.5 }[unit] ?? 0.25;
  const quartile = (values) => percentile(values, share);
  const ratioOf = (rounds) => {
    const [one, other] = [samples.new, samples.old].map((values) => quartile(rounds.map((round) => values[round])));
    return one > 0 && other > 0 ? one / other : Number.NaN;
  };
  const rounds = [...samples.new.keys()];
  const blocks = Array.from({ length: Math.ceil(rounds.length / block) }, (_, index) => rounds.slice(index * block, (index + 1) * block));
  const random = generator(rounds.length);
  const resample = () => ratioOf(blocks.flatMap(() => blocks[Math.floor(random() * blocks.length)]));
  const resampled = Array.from({ length: RESAMPLES }, resample);
  const ratio = ratioOf(rounds);
  const [low, high] = [(1 - INTERVAL) / 2, (1 + INTERVAL) / 2].map((share) => percentile(resampled, share));
  return {
    measure,
    unit,
    new: quartile(samples.new),
    old: quartile(samples.old),
    ratio,
    spread: (high - low) / 2 / ratio,
    worse: (largerIsBetter ? 1 / ratio : ratio) - 1,
    rounds: rounds.length,
  };
}

export const isWorse = ({ worse }) => worse > TOLERANCE;

/** One line that names the rows that are more than 5 % worse. A row whose spread is as large as the difference is marked. */
export function summarize(compared) {
  const worse = compared.filter(isWorse);
  if (worse.length === 0) return `None of ${compared.length} rows is more than ${TOLERANCE * 100} % worse.`;
  const named = worse.map((row) => {
    const doubt = row.spread >= row.worse ? ', within the spread' : '';
    return `${row.measure} (${(row.worse * 100).toFixed(0)} % worse${doubt})`;
  });
  return `${worse.length} of ${compared.length} rows are more than ${TOLERANCE * 100} % worse: ${named.join('; ')}.`;
}
