/** A clock that the test moves: the program is started with it, and looks at each call how far it is off. */
import { onTestFinished } from 'vitest';
import type { World } from '../../../footbridge/tests/support/folders.js';

export interface ShiftedClock {
  /** What the program is started with. */
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
