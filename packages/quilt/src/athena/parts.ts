/** What is asked of many things alike, some of which may fail. */
import { Failure } from '../failure.js';

/** Athena allows few calls a second. */
export const CALLS_AT_ONCE = 8;

/** One of many: that it fails is told in its place, unless no other could succeed either. */
export async function partly<T, Good, Bad>(
  work: () => Promise<T>,
  good: (value: T) => Good,
  bad: (failure: Failure) => Bad,
): Promise<Good | Bad> {
  try {
    return good(await work());
  } catch (cause) {
    if (!(cause instanceof Failure) || cause.kind === 'login') throw cause;
    return bad(cause);
  }
}
