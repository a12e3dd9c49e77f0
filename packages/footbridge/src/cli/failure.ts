/** Why a command failed, printed the same way by every command. */
import { reasonOf } from '../errors.js';
import type { Io } from './io.js';

/** Thrown by a command; `main` prints it. `actions` say what to do next. */
export class CommandError extends Error {
  constructor(
    readonly code: CommandErrorCode,
    message: string,
    readonly actions: readonly string[] = [],
    readonly exitCode = 1,
  ) {
    super(message);
  }
}

/** `usage`: the command line is invalid. `failed`: everything that is neither of the others. */
export type CommandErrorCode = 'usage' | 'not-found' | 'failed';

/** Prints the error, as JSON to stdout for `--json`, and returns the exit code. */
export function printFailure(error: unknown, isJson: boolean, io: Io): number {
  const { actions, code, exitCode, message } =
    error instanceof CommandError ? error : new CommandError('failed', error instanceof Error ? error.message : reasonOf(error));
  if (isJson) io.printJson({ error: { code, message, actions } });
  else io.printError([`footbridge error: ${message}`, ...actions].join('\n'));
  return exitCode;
}

/** Whether the command line asks for JSON. What follows `--` belongs to another program. */
export function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json');
}
