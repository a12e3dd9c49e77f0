/** What the Athena resources share: pages, partial failures and times. */
import { Failure } from '../failure.js';

/** Athena allows few calls per second. */
export const MAX_CONCURRENT_CALLS = 8;
const MAX_PAGES = 100;

/** Reads pages until the last one, or until there are `enough` entries. An empty page is not the end. */
export async function readPages<Entry>(
  read: (next: { NextToken?: string }) => Promise<{ readonly entries: readonly Entry[]; readonly next: string | undefined }>,
  enough = Number.POSITIVE_INFINITY,
): Promise<{ readonly entries: readonly Entry[]; readonly isComplete: boolean }> {
  const entries: Entry[] = [];
  let next: string | undefined;
  for (let count = 0; count < MAX_PAGES; count++) {
    const page = await read(next ? { NextToken: next } : {});
    for (const entry of page.entries) entries.push(entry);
    next = page.next;
    if (!next || entries.length >= enough) return { entries, isComplete: true };
  }
  return { entries, isComplete: false };
}

/** One of many calls: its failure is a result, unless it is a login failure, which affects all. */
export async function settle<T, Success, Error>(
  run: () => Promise<T>,
  onSuccess: (value: T) => Success,
  onFailure: (failure: Failure) => Error,
): Promise<Success | Error> {
  try {
    return onSuccess(await run());
  } catch (cause) {
    if (!(cause instanceof Failure) || cause.kind === 'login') throw cause;
    return onFailure(cause);
  }
}

/** Null if the date is missing or invalid. */
export function isoTime(date: Date | undefined): string | null {
  return date === undefined || Number.isNaN(date.getTime()) ? null : date.toISOString();
}
