/** Parsers for arguments and options. */
import { CommanderError, InvalidArgumentError, Option } from 'commander';

/** The default of a list, which help need not mention. */
export const NO_DEFAULT = 'none';

/** Sets the exit code of the process. */
export type Exit = (code: number) => void;

/** Exits with this code if the command line is invalid, so that it differs from the results of the command. */
export function failWith(code: number): (error: CommanderError) => never {
  return ({ code: reason, exitCode, message }) => {
    throw new CommanderError(exitCode === 0 ? 0 : code, reason, message);
  };
}

/** A value that is not empty. */
export function given(value: string): string {
  if (value === '') throw new InvalidArgumentError('The name is empty; is a variable unset?');
  return value;
}

/** An option that may be repeated. */
export function repeatable(flags: string, description: string): Option {
  return new Option(flags, description)
    .default([], NO_DEFAULT)
    .argParser((value: string, before: readonly string[]) => [...before, given(value)]);
}

/** For an option that takes several names, and may be repeated. */
export function severalNames(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), given(value)];
}

export function seconds(value: string): number {
  const number = Number(value);
  // Timers cannot hold much more.
  if (!(number > 0 && number <= 86_400)) throw new InvalidArgumentError('Use a number of seconds, such as 30.');
  return number;
}

/** `[HOST:]PORT`. */
export function httpAddress(value: string): { host: string; port: number } {
  const match = /^(?:(?:\[([^\]]+)\]|([^:]+)):)?(\d{1,5})$/.exec(value);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) throw new InvalidArgumentError('Use [HOST:]PORT, such as 3333 or 127.0.0.1:3333.');
  return { host: match[1] ?? match[2] ?? '127.0.0.1', port };
}
