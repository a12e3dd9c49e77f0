/** Ending all that was started to look at it, also when somebody is tired of waiting. */
import { setTimeout } from 'node:timers/promises';

/** How long all of it may take when we are told to stop. */
const MOST_MS = 4000;

/** What has to be ended, and how. */
export interface Ending {
  add(end: () => Promise<unknown>): void;
  /** Resolves when everything is gone. */
  end(): Promise<void>;
}

/** From here on a signal ends everything first; told again, nobody waits for it. */
export function createEnding(): Ending {
  const ends: (() => Promise<unknown>)[] = [];
  const end = async () => {
    await Promise.all(ends.map((each) => each().catch(() => {})));
  };
  for (const [signal, exitCode] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const, ['SIGHUP', 129] as const]) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(exitCode));
      void Promise.race([end(), setTimeout(MOST_MS)]).finally(() => process.exit(exitCode));
    });
  }
  return { add: (each) => void ends.push(each), end };
}
