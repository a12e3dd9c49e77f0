/** Our own entry, for hosts that start a program. */
import { CommandError } from '../failure.js';
import type { StartWords } from '../this-program.js';
import { NOT_FOR_CMD } from './wrapping.js';

/** Throws if no command line has these arguments. */
export function ownCommand(start: StartWords, args: readonly string[]): { readonly command: string; readonly args: string[] } {
  const words = start(args);
  if (words === undefined) throw new CommandError('usage', NOT_FOR_CMD);
  const [command = '', ...others] = words;
  return { command, args: others };
}
