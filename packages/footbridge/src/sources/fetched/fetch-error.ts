/** Why something cannot be fetched or used. */

/** The problem, and what to do about it: each a sentence for people. */
export class FetchError extends Error {
  override readonly name = 'FetchError';

  constructor(
    message: string,
    readonly action: string,
  ) {
    super(message);
  }
}
