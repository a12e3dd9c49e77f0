/** The command `footbridge`. */
import { asksForJson, printFailure } from './failure.js';
import type { Io } from './io.js';
import { servingOptions } from './serving-options.js';

/** Returns the exit code. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  try {
    const serving = io.stdin.isTTY === true ? undefined : servingOptions(argv, io);
    if (serving === undefined) return await (await import('./program.js')).runProgram(argv, io);
    await (await import('./serve-stdio.js')).runStdio(serving, io);
    return 0;
  } catch (error) {
    return printFailure(error, asksForJson(argv), io);
  }
}
