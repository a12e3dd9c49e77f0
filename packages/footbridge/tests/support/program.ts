/** The program, started as people start it and run to its end. */
import { execFile } from 'node:child_process';
import { command, environment } from './client.js';
import type { Outcome } from './command.js';
import type { World } from './folders.js';
import { named } from './start.js';

/** Starts the program in the working folder of a world. */
export function runProgram(world: World, ...args: string[]): Promise<Outcome> {
  return runProgramWith(world, {}, ...args);
}

/** Like `runProgram`, with additional environment variables. */
export function runProgramWith(world: World, variables: Readonly<Record<string, string>>, ...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [command(), ...named({ args, cwd: world.project })],
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
