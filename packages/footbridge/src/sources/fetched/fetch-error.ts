/** Why something cannot be fetched or used. */

/** The problem and what to do, one sentence each. */
export class FetchError extends Error {
  override readonly name = 'FetchError';

  constructor(
    message: string,
    readonly action: string,
  ) {
    super(message);
  }
}
