/** What is wrong with a configuration, where, and what to do. */
import { echo } from '../../errors.js';
import { redact } from '../../redact.js';
import { plural } from '../terminal.js';

/** The way to a value: keys, and places in lists. */
export type ConfigPath = readonly (string | number)[];

export interface ConfigProblem {
  /** Where in the text. */
  readonly offset: number;
  readonly path: ConfigPath;
  /** What is wrong. It repeats no value of the file, since that may be a secret. */
  readonly message: string;
  /** What to do. */
  readonly action: string;
}

/** A configuration that is refused; the message is for the person who wrote it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(
    message: string,
    /** Each problem by itself, where there is a file to have them. */
    readonly problems: readonly PlacedProblem[] = [],
  ) {
    super(message);
  }
}

/** A problem as people are told of it. */
export interface PlacedProblem {
  /** File, line and column. */
  readonly place: string;
  readonly message: string;
  readonly action: string;
}

/** All problems of a file, in its order, each with its place. */
export function configError(file: string, text: string, problems: readonly ConfigProblem[]): ConfigError {
  const placed = [...problems]
    .sort((one, other) => one.offset - other.offset)
    .map(({ offset, path, message, action }) => {
      const way = pathText(path);
      return { place: `${file}:${placeOf(text, offset)}`, message: `${way === '' ? '' : `${way}: `}${message}`, action };
    });
  const lines = placed.flatMap(({ place, message, action }) => [`${place}: ${message}`, `  ${action}`]);
  return new ConfigError([`${file} is refused: ${plural(problems.length, 'problem')}.`, ...lines].join('\n'), placed);
}

/** A key as it may be repeated: somebody may have put a secret in its place. */
export function keyText(key: string): string {
  return redact(echo(key));
}

function pathText(path: ConfigPath): string {
  return path.reduce<string>((way, step) => {
    if (typeof step === 'number') return `${way}[${step}]`;
    if (!/^[\w$-]+$/.test(step)) return `${way}[${JSON.stringify(keyText(step))}]`;
    return way === '' ? keyText(step) : `${way}.${keyText(step)}`;
  }, '');
}

/** Line and column, both from 1. */
function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return `${before.length}:${(before.at(-1) ?? '').length + 1}`;
}
