/** Plain numbers counted while requests are served, and handed over when somebody looks: a label costs more than a count. */
import type { Observer } from '../observer.js';

export const OUTCOMES = ['ok', 'tool_error', 'error'] as const;
type OutcomeName = (typeof OUTCOMES)[number];

/** Upper bounds in seconds. */
export const BUCKETS: readonly number[] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What any name that is not ours is counted under. */
export const OTHER = 'other';

type Outcomes = Record<OutcomeName, number>;

/** What is counted of one method. */
export interface MethodTally {
  readonly outcomes: Readonly<Outcomes>;
  /** How many fell into each of `BUCKETS`, not summed up; the last one holds what took longer. */
  readonly buckets: readonly number[];
  readonly seconds: number;
}

/** What is counted of all requests, by the names that there may be. */
export interface Tallies {
  readonly observer: Observer;
  readonly methods: ReadonlyMap<string, MethodTally>;
  readonly tools: ReadonlyMap<string, Readonly<Outcomes>>;
}

/** Tallies of these methods and tools; any other is counted as `other`. */
export function createTallies(methodNames: Iterable<string>, toolNames: Iterable<string>): Tallies {
  const otherMethods = newMethod();
  const otherTools = noneYet();
  const methods = new Map([...methodNames].map((name) => [name, newMethod()]));
  const tools = new Map([...toolNames].map((name) => [name, noneYet()]));
  const observer: Observer = {
    begin({ method, target }) {
      const tally = methods.get(method) ?? otherMethods;
      const tool = method === 'tools/call' ? (tools.get(target ?? '') ?? otherTools) : undefined;
      const began = performance.now();
      return ({ errorType }) => {
        const seconds = (performance.now() - began) / 1000;
        const outcome = errorType === undefined ? 'ok' : errorType === 'tool_error' ? 'tool_error' : 'error';
        tally.outcomes[outcome]++;
        tally.seconds += seconds;
        const bucket = bucketOf(seconds);
        tally.buckets[bucket] = (tally.buckets[bucket] ?? 0) + 1;
        if (tool !== undefined) tool[outcome]++;
      };
    },
  };
  return { observer, methods: methods.set(OTHER, otherMethods), tools: tools.set(OTHER, otherTools) };
}

function newMethod() {
  return { outcomes: noneYet(), buckets: Array.from({ length: BUCKETS.length + 1 }, () => 0), seconds: 0 };
}

function noneYet(): Outcomes {
  return { ok: 0, tool_error: 0, error: 0 };
}

function bucketOf(seconds: number): number {
  let bucket = 0;
  for (const bound of BUCKETS) {
    if (seconds <= bound) return bucket;
    bucket++;
  }
  return bucket;
}
