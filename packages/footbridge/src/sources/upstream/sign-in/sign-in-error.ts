/** Why a sign-in failed, for people: no token, code or secret, and nothing that the other side wrote except short error codes. */
export class SignInError extends Error {
  /** Whether the same attempt may succeed later. */
  readonly retryable: boolean;
  /** What the authorization server refused it with. */
  readonly code: string | undefined;

  constructor(message: string, { code, retryable = false }: { readonly retryable?: boolean; readonly code?: string | undefined } = {}) {
    super(message);
    this.name = 'SignInError';
    this.retryable = retryable;
    this.code = code;
  }
}
