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

/** Whether some text fits both patterns. */
export function meet(one: string, other: string): boolean {
  // Row by row: whether what is left of `one` from here meets what is left of `other`.
  const [first, second] = [one.replace(/\*+/g, '*'), other.replace(/\*+/g, '*')];
  let below: boolean[] = [];
  for (let i = first.length; i >= 0; i--) {
    const row: boolean[] = new Array(second.length + 1).fill(false);
    for (let j = second.length; j >= 0; j--) {
      const [a, b] = [first[i], second[j]];
      if (a === undefined && b === undefined) row[j] = true;
      else if (a === '*') row[j] = (below[j] ?? false) || (b !== undefined && (row[j + 1] ?? false));
      else if (b === '*') row[j] = (row[j + 1] ?? false) || (a !== undefined && (below[j] ?? false));
      else row[j] = a !== undefined && a === b && (below[j + 1] ?? false);
    }
    below = row;
  }
  return below[0] ?? false;
}
