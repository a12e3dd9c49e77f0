/** How much a case may cost, and how the speed of this machine is taken into account. */

/** What one turn of the event loop may compute on a machine that is not busy with other things. */
const TURN_MS = 50;
/** A busy machine computes slower, but not without end. */
const SLOWEST = 5;
/** Memory beyond that of the start, in MiB. */
export const MAX_GROWTH = 256;
/** Of that, what is still used after garbage was collected. */
export const MAX_KEPT = 96;

/** What a turn may take on a machine that computes other things at the same time. */
export function loadedTurnLimit(): number {
  return TURN_MS * SLOWEST;
}

let fastest = Number.POSITIVE_INFINITY;

/** How many milliseconds of the processor a turn may take right now: the limit, times how much slower than usual this machine computes. */
export function turnLimit(): number {
  const now = calibration();
  fastest = Math.min(fastest, now);
  return TURN_MS * Math.min(SLOWEST, Math.max(1, now / fastest));
}

/** The processor time of always the same work, the best of a few. */
function calibration(): number {
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    let value = 1;
    for (let index = 0; index < 2_000_000; index++) value = (Math.imul(value, 48_271) + index) | 0;
    const { user, system } = process.cpuUsage(before);
    return value === 0 ? 0 : user + system;
  });
  return Math.max(1, Math.min(...times));
}
