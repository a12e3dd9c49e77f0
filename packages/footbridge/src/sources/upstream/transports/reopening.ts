/** Back-off for event streams. */

/** Consecutive failures before a call gives up. */
export const MOST_FAILURES = 5;

const FIRST_MS = 500;
const LONGEST_MS = 30_000;
/** Lower bound for the server's `retry`. */
const SHORTEST_MS = 50;

/** The server's delay or ours, doubled with each failure. */
export function pause(failures: number, retryMs: number | undefined): number {
  const wished = Math.max(retryMs ?? FIRST_MS, SHORTEST_MS);
  return Math.min(wished * 2 ** Math.min(failures, 10), LONGEST_MS);
}
