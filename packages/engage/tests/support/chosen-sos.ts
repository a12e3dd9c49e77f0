/** A PATH with nothing on it but an sos that the test chooses. */
import { chmodSync, mkdirSync } from 'node:fs';
import type { World } from '../../../footbridge/tests/support/folders.js';

export interface ChosenSos {
  /** What starts the program. */
  readonly through: readonly string[];
  /** The one that is installed on this machine. */
  real(): void;
  /** Lines of a shell script, for what the real one never does; `$DIR` is the folder of the job. */
  script(lines: string): void;
  none(): void;
}

const { PATH = '' } = process.env;

export function chosenSos(world: World): ChosenSos {
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
