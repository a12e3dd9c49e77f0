/** The command line run to its end. */
import { execFile } from 'node:child_process';
import { ENTRY, environment } from './client.js';
import type { World } from './folders.js';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in the working folder of a world. */
export function run(world: World, ...args: string[]): Promise<Outcome> {
  return runWith(world, {}, ...args);
}

/** As `run`, with more in the environment. */
export function runWith(world: World, variables: Readonly<Record<string, string>>, ...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [ENTRY, ...args],
      { cwd: world.project, env: environment(world.home, variables), encoding: 'latin1', maxBuffer: 2 ** 26 },
      (error, stdout, stderr) =>
        resolve({
          code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1,
          stdout: utf8(stdout),
          stderr: utf8(stderr),
        }),
    );
    child.stdin?.end();
  });
}

const utf8 = (text: string) => Buffer.from(text, 'latin1').toString('utf8');
