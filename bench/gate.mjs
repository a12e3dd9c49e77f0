// The regression gate: the ratios of a run against the limits in `limits.json`. A ratio fails if it misses its limit every time.

/** How often a ratio is measured before it fails. */
export const ATTEMPTS = 3;

/**
 * Measures each group of `limits` once, and again only where a ratio missed its limit. `measure` resolves with the rows of a group;
 * `report` gets a line for each ratio that missed. Resolves with how many ratios were compared, and with those that never held.
 */
export async function checkLimits(limits, measure, report) {
  const ratios = Object.entries(limits).flatMap(([group, ofGroup]) =>
    Object.entries(ofGroup).map(([measure, limit]) => ({ group, measure, limit })),
  );
  let missed = ratios;
  for (let attempt = 1; attempt <= ATTEMPTS && missed.length > 0; attempt++) {
    const values = await valuesOf(new Set(missed.map(({ group }) => group)), measure, report);
    missed = missed.filter(({ measure, limit }) => !holds(values.get(measure), limit));
    for (const { measure, limit } of missed) report(line(measure, values.get(measure), limit, attempt));
  }
  return { compared: ratios.length, failed: missed.map(({ measure }) => measure) };
}

/** The ratios of these groups by measure. A group that fails has none, so its limits are missed. */
async function valuesOf(groups, measure, report) {
  const values = new Map();
  for (const group of groups) {
    try {
      for (const row of await measure(group)) values.set(row.measure, row.value);
    } catch (error) {
      report(`The group '${group}' could not be measured: ${error.message}`);
    }
  }
  return values;
}

function holds(value, { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY }) {
  return value !== undefined && value >= least && value <= most;
}

function line(measure, value, { least, most }, attempt) {
  const measured = value === undefined ? 'not measured' : `${value.toFixed(2)} ×`;
  const limit = most === undefined ? `at least ${least}` : `at most ${most}`;
  return `MISSED: ${measure}: ${measured}, limit: ${limit} × (${attempt} of ${ATTEMPTS})`;
}
