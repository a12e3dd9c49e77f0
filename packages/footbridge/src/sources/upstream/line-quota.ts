/** How much of a server's stderr reaches our log. */

/** So many lines pass at once, and so many per second from then on. */
const BURST = 500;
const PER_SECOND = 50;
const SECOND_MS = 1000;

/** Passes lines on, and in place of those that are too many, how many they were. */
export function withinQuota(pass: (line: string) => void): (line: string) => void {
  let left = BURST;
  let refilledAt = Date.now();
  let omitted = 0;
  const report = () => {
    pass(omitted === 1 ? '(1 line left out)' : `(${omitted} lines left out)`);
    omitted = 0;
  };
  return (line) => {
    const seconds = Math.floor((Date.now() - refilledAt) / SECOND_MS);
    if (seconds > 0) {
      left = Math.min(BURST, left + seconds * PER_SECOND);
      refilledAt += seconds * SECOND_MS;
    }
    if (omitted === 0 && left > 0) {
      left--;
      return pass(line);
    }
    if (omitted++ === 0) setTimeout(report, SECOND_MS).unref();
  };
}
