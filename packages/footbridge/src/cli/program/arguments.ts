/** What the command line takes, checked as it is read. */
import { CommanderError, InvalidArgumentError } from 'commander';

/** What a subcommand ends the process with. */
export type Exit = (code: number) => void;

/** Ends a command whose command line is wrong with this exit code, which its own results do not use. */
export function failWith(code: number): (error: CommanderError) => never {
  return ({ code: reason, exitCode, message }) => {
    throw new CommanderError(exitCode === 0 ? 0 : code, reason, message);
  };
}

/** A value that says something; an empty one is an unset variable. */
export function given(value: string): string {
  if (value === '') throw new InvalidArgumentError('The name is empty; is a variable unset?');
  return value;
}

/** Of an option that may be repeated: all values so far. */
export function several(value: string, before: readonly string[]): readonly string[] {
  return [...before, given(value)];
}

/** A time that a timer can hold. */
export function seconds(value: string): number {
  const number = Number(value);
  // Longer ones are more than a timer can hold.
  if (!(number > 0 && number <= 86_400)) throw new InvalidArgumentError('Give a number of seconds, such as 30.');
  return number;
}

/** `[HOST:]PORT`. */
export function httpAddress(value: string): { host: string; port: number } {
  const match = /^(?:(?:\[([^\]]+)\]|([^:]+)):)?(\d{1,5})$/.exec(value);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) throw new InvalidArgumentError(`'${value}' is not [HOST:]PORT, such as 3333 or 127.0.0.1:3333.`);
  return { host: match[1] ?? match[2] ?? '127.0.0.1', port };
}
