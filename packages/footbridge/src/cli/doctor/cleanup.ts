/** Ends everything that was started for the examination, also on a signal. */
import { setTimeout } from 'node:timers/promises';

const CLEANUP_MS = 4000;

export interface Cleanup {
  add(end: () => Promise<unknown>): void;
  run(): Promise<void>;
}

/** From here on a signal runs the cleanup before the process exits. A second signal exits at once. */
export function createCleanup(): Cleanup {
  const ends: (() => Promise<unknown>)[] = [];
  const run = async () => {
    await Promise.all(ends.map((end) => end().catch(() => {})));
  };
  for (const [signal, exitCode] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const, ['SIGHUP', 129] as const]) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(exitCode));
      void Promise.race([run(), setTimeout(CLEANUP_MS)]).finally(() => process.exit(exitCode));
    });
  }
  return { add: (end) => void ends.push(end), run };
}
