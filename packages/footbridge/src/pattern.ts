/** Patterns in which `*` stands for any run of characters. */

/** Whether the whole text fits the pattern. Without regular expressions, which a pattern could make slow. */
export function matches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split(/\*+/);
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** In the second pattern of `meet`: any run of characters without a slash. */
export const SEGMENT = '\0';

/** Whether some text fits both patterns. */
export function meet(one: string, other: string): boolean {
  const [first, second] = [one.replace(/\*+/g, '*'), other.replace(/\*+/g, '*')];
  // Row by row from the end: whether what is left of `one` meets what is left of `other`.
  let below: readonly boolean[] = [];
  for (let i = first.length; i >= 0; i--) {
    const row: boolean[] = [];
    for (let j = second.length; j >= 0; j--)
      row[j] = meetsFrom(first[i], second[j], { down: below[j], right: row[j + 1], both: below[j + 1] });
    below = row;
  }
  return below[0] ?? false;
}

/** `down` is without the next character of the first, `right` of the second, `both` of both. */
function meetsFrom(
  a: string | undefined,
  b: string | undefined,
  { down = false, right = false, both = false }: { down?: boolean | undefined; right?: boolean | undefined; both?: boolean | undefined },
): boolean {
  if (a === '*') return down || (b !== undefined && right);
  if (b === '*' || b === SEGMENT) return right || (a !== undefined && (b === '*' || a !== '/') && down);
  return a === b && (a === undefined || both);
}
