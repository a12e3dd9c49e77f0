/** Lists that AWS gives page by page. */

/** Whatever a list may hold, an answer holds no more. */
const MOST_PAGES = 100;

/**
 * The entries of all pages, or of as many as hold `enough`, empty ones not being the end; `isWhole` is false where there were more
 * pages than anybody wants to read.
 */
export async function allPages<Entry>(
  page: (NextToken: string | undefined) => Promise<{ readonly entries: readonly Entry[]; readonly next: string | undefined }>,
  enough = Number.POSITIVE_INFINITY,
): Promise<{ readonly entries: readonly Entry[]; readonly isWhole: boolean }> {
  const all: Entry[] = [];
  let next: string | undefined;
  for (let count = 0; count < MOST_PAGES; count++) {
    const answer = await page(next);
    for (const entry of answer.entries) all.push(entry);
    next = answer.next;
    if (next === undefined || next === '' || all.length >= enough) return { entries: all, isWhole: true };
  }
  return { entries: all, isWhole: false };
}

/** The token of the page after this one, where there is one. */
export function following(NextToken: string | undefined): { NextToken?: string } {
  return NextToken === undefined ? {} : { NextToken };
}
