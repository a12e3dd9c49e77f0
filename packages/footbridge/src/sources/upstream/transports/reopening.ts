/** When a stream that ended is asked for again. */

/** So often in a row a stream that somebody waits for may fail to open. */
export const MOST_FAILURES = 5;

const FIRST_MS = 500;
const LONGEST_MS = 30_000;
/** A server that wants to be asked at once still gets time to breathe. */
const SHORTEST_MS = 50;

/** How long to wait after so many failures: as the server wishes, else twice as long each time. */
export function pause(failures: number, retryMs: number | undefined): number {
  const wished = Math.max(retryMs ?? FIRST_MS, SHORTEST_MS);
  return Math.min(wished * 2 ** Math.min(failures, 10), LONGEST_MS);
}
