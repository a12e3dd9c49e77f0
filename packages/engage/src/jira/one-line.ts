/** What somebody else wrote, as one line of bounded length. Control characters go first: they could move a cursor, or turn the direction. */
export function oneLine(text: string, mostCharacters: number, hide: (text: string) => string = (same) => same): string {
  // Only then is a secret to be looked for: such characters could stand amid it.
  return hide(text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ''))
    .slice(0, mostCharacters)
    .toWellFormed();
}
