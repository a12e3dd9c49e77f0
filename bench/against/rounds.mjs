// Rounds in which both builds take the same turn, one right after the other.
import { compareSides } from './compare.mjs';

/** A row is known well enough when its spread is this small. */
const PRECISION = 0.02;
/** Time for one set of rows, after which it ends at the next restart, however large the spread is. */
const MAX_MS = 60_000;

/**
 * Measures rows on both builds, each with processes of its own. `open(build)` starts what is measured and resolves with
 * `{ turn, close }`; `turn()` resolves with one sample for each key of `rows`, which says what is measured and its unit.
 *
 * Two processes of the same build can differ by a few per cent for as long as they live, so both are started again several times.
 * Ends when the spread of every row that is not `rough` is small or the time is up, but not before `least` restarts, and after an even number of them, so that each side was first as often.
 */
export async function takeRounds(builds, rows, { open, turns, least }) {
  const samples = Object.fromEntries(Object.keys(rows).map((key) => [key, { new: [], old: [] }]));
  const compare = () => Object.entries(rows).map(([key, row]) => compareSides({ ...row, samples: samples[key], block: turns }));
  const end = performance.now() + MAX_MS;
  for (let restart = 1; ; restart++) {
    const order = restart % 2 === 0 ? ['new', 'old'] : ['old', 'new'];
    const sides = {};
    for (const name of order) sides[name] = await open(builds[name]);
    for (let turn = 0; turn < turns; turn++) {
      for (const name of turn % 2 === 0 ? order : order.toReversed()) {
        for (const [key, value] of Object.entries(await sides[name].turn())) samples[key][name].push(value);
      }
    }
    for (const name of order) await sides[name].close();
    if (restart < least || restart % 2 === 1) continue;
    const compared = compare();
    const steady = Object.values(rows).every(({ rough }, index) => rough || compared[index].spread <= PRECISION);
    if (steady || performance.now() >= end) return compared;
  }
}
