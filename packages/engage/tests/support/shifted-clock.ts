/** A clock of the program that the test can move. */
import { onTestFinished } from 'vitest';
import type { World } from '../../../footbridge/tests/support/folders.js';

export interface ShiftedClock {
  /** The environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Until the end of the test. */
  forward(milliseconds: number): void;
}

export function shiftedClock(world: World): ShiftedClock {
  const set = (milliseconds: number) => world.write('outside/clock', String(milliseconds));
  const file = set(0);
  const preload = world.write(
    'outside/clock.mjs',
    `import { readFileSync } from 'node:fs';
const now = Date.now;
Date.now = () => now() + Number(readFileSync(${JSON.stringify(file)}, 'utf8'));
`,
  );
  return {
    env: { NODE_OPTIONS: `--import=${preload}` },
    forward(milliseconds) {
      set(milliseconds);
      onTestFinished(() => void set(0));
    },
  };
}
