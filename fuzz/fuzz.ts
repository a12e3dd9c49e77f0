/** Generates cases and runs them until the time is over or one of them is a finding. */
import fc from 'fast-check';
import { type Case, ENTRIES, type Entry } from './case.js';
import { casesOf } from './generate/index.js';
import { NOTHING, type Outcome, type Session } from './session.js';

/** How many cases are generated from one seed. */
const BATCH = 500;

export interface Plan {
  readonly entries: readonly Entry[];
  readonly seed: number;
  readonly milliseconds: number;
  /** Stops after so many cases, so that a run is the same everywhere. Default: when the time is over. */
  readonly most?: number;
}

export interface Finding {
  readonly seed: number;
  readonly problems: readonly string[];
  readonly case: Case;
}

export interface Slowest {
  readonly entry: Entry;
  readonly cpu: number;
  readonly case: Case;
}

export interface Result {
  readonly counts: Readonly<Record<Entry, number>>;
  /** The case with the longest turn of each entry point. */
  readonly slowest: readonly Slowest[];
  readonly slowestPingMs: number;
  readonly finding: Finding | undefined;
}

export async function fuzz(session: Session, { entries, seed, milliseconds, most = Number.POSITIVE_INFINITY }: Plan): Promise<Result> {
  const counts = Object.fromEntries(ENTRIES.map((entry) => [entry, 0])) as Record<Entry, number>;
  const slowest = new Map<Entry, Slowest>();
  let slowestPingMs = 0;
  const end = performance.now() + milliseconds;
  const note = (given: Case, { pingMs, turn }: Outcome) => {
    counts[given.entry]++;
    slowestPingMs = Math.max(slowestPingMs, pingMs);
    if (turn.cpu > (slowest.get(given.entry)?.cpu ?? 0)) slowest.set(given.entry, { entry: given.entry, cpu: turn.cpu, case: given });
  };
  const result = (finding?: Finding): Result => ({ counts, slowest: [...slowest.values()], slowestPingMs, finding });
  for (let batch = 0, done = 0; performance.now() < end && done < most; batch++, done += BATCH) {
    let last: readonly string[] = [];
    const property = fc.asyncProperty(casesOf(entries), async (given) => {
      // That a program does not start, for example, is the fuzzer's own failure.
      const outcome = await session
        .run(given)
        .catch((cause: unknown) => ({ ...NOTHING, problems: [`the fuzzer failed: ${String(cause)}`] }));
      note(given, outcome);
      if (outcome.problems.length === 0) return true;
      last = outcome.problems;
      return false;
    });
    const details = await fc.check(property, {
      seed: seed + batch,
      numRuns: Math.min(BATCH, most - done),
      interruptAfterTimeLimit: Math.max(1, end - performance.now()),
      maxSkipsPerRun: 1000,
    });
    const [given] = details.counterexample ?? [];
    if (details.failed && given !== undefined) return result({ seed: seed + batch, problems: last, case: given });
  }
  return result();
}
