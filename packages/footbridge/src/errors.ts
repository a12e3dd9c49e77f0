/** The one family of errors that reaches a host, whatever room it began in. */

/** What kind of failure it is; a host's model can act on it without reading the message. */
export type ErrorCode =
  | 'InvalidURI'
  | 'MissingTemplateVariable'
  | 'InvalidTemplateVariable'
  | 'Unauthorized'
  | 'NotFound'
  | 'ResourceExecutionError';

export interface FootbridgeErrorOptions {
  /** What to do next, in the imperative; never empty. */
  readonly suggestedActions: readonly string[];
  /** Technical detail that is safe to show: no path, no secret. */
  readonly details?: string;
  /** Whether the same call may succeed later. */
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

/** An error with a code, a message and the way out. Its texts may be shown to anyone who may call. */
export class FootbridgeError extends Error {
  readonly code: ErrorCode;
  readonly details: string | undefined;
  readonly suggestedActions: readonly string[];
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options: FootbridgeErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'FootbridgeError';
    this.code = code;
    this.details = options.details;
    this.suggestedActions = options.suggestedActions;
    this.retryable = options.retryable ?? false;
  }
}

/** The code of a Node system error, such as `ENOENT`; undefined for anything else. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

const LONGEST_ECHO = 200;

/** A caller's text made safe to repeat in a message: one line, no control characters, bounded. */
export function echo(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ');
  return line.length > LONGEST_ECHO ? `${line.slice(0, LONGEST_ECHO)}…` : line;
}
