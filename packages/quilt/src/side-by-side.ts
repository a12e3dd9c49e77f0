/** Many remote calls at once, but never too many, and each with an end. */

/** Does the work for every item, at most `most` at a time; the results are in the order of the items. */
export async function sideBySide<Item, Result>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  const rest = items.entries();
  const workers = Array.from({ length: Math.min(most, items.length) }, async () => {
    for (const [index, item] of rest) results[index] = await work(item);
  });
  await Promise.all(workers);
  return results;
}
