/** Why a command failed, printed the same way by every command. */
import { reasonOf } from '../errors.js';
import type { Io } from './io.js';

/** Thrown by a command; `main` prints it. `actions` are the next steps. */
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
  const failure = commandError(error);
  if (isJson) io.printJson(failureFields(failure));
  else printNotice('error', [failure.message, ...failure.actions].join('\n'), io);
  return failure.exitCode;
}

/** The part of JSON output with the reason why a command failed. */
export function failureFields({ actions, code, message }: CommandError) {
  return { error: { code, message, actions } };
}

/** A line on stderr that looks like one of the log. */
export function printNotice(level: 'error' | 'warn', text: string, io: Io): void {
  io.printError(`footbridge ${level}: ${text}`);
}

function commandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (!(error instanceof Error)) return new CommandError('failed', reasonOf(error));
  // Those of a lock and of a source contain the next steps, and may quote fetched content.
  const actions = 'action' in error && typeof error.action === 'string' ? error.action.split('\n') : [];
  return new CommandError('failed', visible(error.message), actions.map(visible));
}

/** Keeps line ends. */
function visible(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, ' ');
}

/** Whether the command line asks for JSON. What follows `--` belongs to another program. */
export function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  return (
    words.includes('--json') || words.includes('--format=json') || words.some((word, at) => word === '--format' && words[at + 1] === 'json')
  );
}
