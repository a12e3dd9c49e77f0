/** The command `footbridge`. */
import { runStdio } from './commands/serve.js';
import type { Io } from './io.js';
import { servingOptions } from './serving-options.js';

/** Runs a command line in its surroundings; resolves with the exit code. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    const serving = io.stdin.isTTY === true ? undefined : servingOptions(argv, io);
    if (serving === undefined) return await (await import('./program/index.js')).runProgram(argv, io);
    await runStdio(serving, io);
    return 0;
  } catch (error) {
    io.printError(`footbridge error: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}
