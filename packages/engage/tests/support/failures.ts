/** The `Failure` that a promise rejects with. */
import { Failure } from '../../src/failure.js';

export async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  try {
    await promise;
  } catch (cause) {
    if (cause instanceof Failure) return cause;
    throw cause;
  }
  throw new Error('expected a Failure');
}
