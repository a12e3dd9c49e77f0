import { systemCode } from '../../../errors.js';

/** Why a sign-in failed, for people. Contains no token, code or secret, and no text of the server except short error codes. */
export class SignInError extends Error {
  /** Whether the same attempt may succeed later. */
  readonly retryable: boolean;
  /** The error code of the authorization server. */
  readonly code: string | undefined;

  constructor(message: string, { code, retryable = false }: { readonly retryable?: boolean; readonly code?: string | undefined } = {}) {
    super(message);
    this.name = 'SignInError';
    this.retryable = retryable;
    this.code = code;
  }
}

/** Why a login could not be stored in a file: the code of the file system, or the error's own message. */
export function storageProblem(cause: unknown): SignInError {
  if (cause instanceof SignInError) return cause;
  const code = systemCode(cause);
  if (code === undefined && cause instanceof Error) return new SignInError(`The login cannot be stored. ${cause.message}`);
  return new SignInError(
    `The login cannot be stored (${code ?? 'unknown reason'}). Make the folder \`logins\` in the folder for application state writable, or set XDG_STATE_HOME to a folder of your own.`,
    { retryable: true },
  );
}
