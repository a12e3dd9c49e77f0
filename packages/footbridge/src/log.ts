/** Logging to stderr, since stdout carries the protocol. */

export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Log {
  error(message: string): void;
  warn(message: string): void;
  info(message: string): void;
  debug(message: string): void;
  /** False where nothing is logged at `debug`, so that such messages need not be built. */
  readonly debugs?: boolean;
}

/** A log that writes lines of `level` and above to `write`. */
export function createLog(level: LogLevel, write: (line: string) => void = (line) => process.stderr.write(line)): Log {
  return leveled(level, (at, message) => write(`footbridge ${at}: ${message}\n`));
}

/** What may end a line, or hide or reorder what a terminal shows. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu;

/** A log that passes on messages of `level` and above, each on one line. */
export function leveled(level: LogLevel, write: (at: LogLevel, message: string) => void): Log {
  const threshold = LOG_LEVELS.indexOf(level);
  const at = (name: Exclude<LogLevel, 'silent'>) =>
    LOG_LEVELS.indexOf(name) <= threshold ? (message: string) => write(name, message.replace(INVISIBLE, ' ')) : () => {};
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug'), debugs: level === 'debug' };
}

export const silentLog: Log = createLog('silent');
