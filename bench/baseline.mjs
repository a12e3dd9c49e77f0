// The ratios of an earlier run. Comparing ratios, not times, works on any machine.
import { cpus } from 'node:os';

/** How much worse a ratio may be before it is reported. */
const TOLERANCE = 0.15;

/** The content of `bench/baseline.json`: the ratios of a run by measure, and the machine it ran on. */
export function toBaseline(rows) {
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    cpu: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}`,
    ratios: Object.fromEntries(rows.filter(hasRatio).map(({ measure, value }) => [measure, Number(value.toFixed(3))])),
  };
}

/** Lines that report which ratios are more than 15 % worse than in the baseline, and which it does not contain. At least one line. */
export function compare(rows, baseline) {
  const compared = rows.filter(hasRatio);
  const known = compared.filter(({ measure }) => Object.hasOwn(baseline.ratios, measure));
  const fresh = compared.filter((row) => !known.includes(row)).map(({ measure }) => `New, not in the baseline: ${measure}`);
  const alerts = known.flatMap((row) => alert(row, baseline.ratios[row.measure]));
  const none = `None of ${known.length} ratios is more than ${TOLERANCE * 100} % worse than in the baseline of ${baseline.date}.`;
  return [...(alerts.length === 0 ? [none] : alerts), ...fresh];
}

function alert({ measure, value, largerIsBetter }, before) {
  const worse = (largerIsBetter ? before / value : value / before) - 1;
  if (worse <= TOLERANCE) return [];
  return [`ALERT: ${measure}: ${value.toFixed(2)} × now, ${before.toFixed(2)} × in the baseline (${(worse * 100).toFixed(0)} % worse)`];
}

function hasRatio({ value }) {
  return value !== undefined;
}
