/** Problems of a configuration. */
import { type ParseError, printParseErrorCode } from 'jsonc-parser';
import { echo } from '../../errors.js';
import { redact } from '../../redact.js';
import { plural } from '../terminal.js';

/** Keys and indices. */
export type ConfigPath = readonly (string | number)[];

export interface ConfigProblem {
  readonly offset: number;
  readonly path: ConfigPath;
  /** Contains no value of the file, which may be a secret. */
  readonly message: string;
  readonly action: string;
}

/** An invalid configuration. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(
    message: string,
    /** Empty where the file as a whole is the problem. */
    readonly problems: readonly PlacedProblem[] = [],
  ) {
    super(message);
  }
}

interface PlacedProblem {
  /** File, line and column. */
  readonly place: string;
  readonly message: string;
  readonly action: string;
}

/** How many problems are examined and reported: a file may have one for each of its characters. */
export const MAX_PROBLEMS = 100;

/** In the order of the file. */
export function configError(file: string, text: string, problems: readonly ConfigProblem[]): ConfigError {
  const place = placesIn(text);
  const placed = [...problems]
    .sort((one, other) => one.offset - other.offset)
    .slice(0, MAX_PROBLEMS)
    .map(({ offset, path, message, action }) => {
      const name = pathText(path);
      const { line, column } = place(offset);
      return { place: `${file}:${line}:${column}`, message: `${name === '' ? '' : `${name}: `}${message}`, action };
    });
  const lines = placed.flatMap(({ place, message, action }) => [`${place}: ${message}`, `  ${action}`]);
  const count = problems.length > MAX_PROBLEMS ? `more than ${MAX_PROBLEMS} problems` : plural(problems.length, 'problem');
  return new ConfigError([`${file} is invalid: ${count}.`, ...lines].join('\n'), placed);
}

/** A key for a message. It may be a misplaced secret. */
export function keyText(key: string): string {
  return redact(echo(key));
}

function pathText(path: ConfigPath): string {
  return path.reduce<string>((name, step) => {
    if (typeof step === 'number') return `${name}[${step}]`;
    if (!/^[\w$-]+$/.test(step)) return `${name}[${JSON.stringify(keyText(step))}]`;
    return name === '' ? keyText(step) : `${name}.${keyText(step)}`;
  }, '');
}

interface TextPlace {
  /** Both start at 1. */
  readonly line: number;
  readonly column: number;
}

export function placeAt(text: string, offset: number): TextPlace {
  return placesIn(text)(offset);
}

/** Takes offsets in ascending order, so that the text is read once. */
function placesIn(text: string): (offset: number) => TextPlace {
  const ends = /\r\n?|\n/g;
  let [line, start] = [1, 0];
  let next = ends.exec(text);
  return (offset) => {
    for (; next !== null && ends.lastIndex <= offset; next = ends.exec(text)) {
      line++;
      start = ends.lastIndex;
    }
    return { line, column: offset - start + 1 };
  };
}

const MESSAGES: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'Expected a key in double quotes.',
  ValueExpected: 'Expected a value.',
  ColonExpected: 'Expected a colon.',
  CommaExpected: 'Expected a comma before this.',
  CloseBraceExpected: 'Expected a closing }.',
  CloseBracketExpected: 'Expected a closing ].',
  InvalidSymbol: 'Unquoted text is not JSON.',
  EndOfFileExpected: 'Unexpected content after the end of the configuration.',
  UnexpectedEndOfComment: 'Unclosed comment.',
  UnexpectedEndOfString: 'Unclosed string.',
};

export function syntaxMessage({ error }: Pick<ParseError, 'error'>): string {
  return MESSAGES[printParseErrorCode(error)] ?? 'Invalid JSON.';
}
