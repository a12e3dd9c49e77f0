/** Why a sign-in failed, for people: no token, code or secret, and nothing that the other side wrote except short error codes. */
export class SignInError extends Error {
  constructor(
    message: string,
    /** Whether the same attempt may succeed later. */
    readonly retryable = false,
  ) {
    super(message);
    this.name = 'SignInError';
  }
}
