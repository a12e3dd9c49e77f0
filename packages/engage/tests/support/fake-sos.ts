/** A PATH that contains only an sos chosen by the test. */
import { chmodSync, mkdirSync } from 'node:fs';
import type { World } from '../../../footbridge/tests/support/folders.js';

export interface FakeSos {
  /** The command that starts the program. */
  readonly through: readonly string[];
  /** Uses the installed sos. */
  real(): void;
  /** Uses a shell script; `$DIR` is the folder of the job. */
  script(lines: string): void;
  none(): void;
}

const { PATH = '' } = process.env;

export function fakeSos(world: World): FakeSos {
  const file = 'outside/bin/sos';
  const write = (lines: string) => chmodSync(world.write(file, `#!/bin/sh\nPATH='${PATH}'; export PATH\n${lines}\n`), 0o755);
  mkdirSync(world.path('outside/bin'), { recursive: true });
  return {
    through: ['env', `PATH=${world.path('outside/bin')}`],
    real: () => write('exec sos "$@"'),
    script: (lines) => write(`DIR="$4"\n${lines}`),
    none: () => world.remove(file),
  };
}
