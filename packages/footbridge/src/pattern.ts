/** Patterns in which `*` stands for any run of characters. */

/** Whether the pattern matches the whole text. Not a regular expression, which a pattern could make slow. */
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

const STAR = 0x2a;
const ANY_OF_SEGMENT = 0;
const SLASH = 0x2f;

/** Whether a text exists that matches both patterns. Takes time proportional to the product of their lengths, if they begin alike. */
export function meet(one: string, other: string): boolean {
  const [first, second] = [one.replace(/\*+/g, '*'), other.replace(/\*+/g, '*')];
  if (!beginAlike(first, second)) return false;
  // Row by row from the end: whether the rest of `first` meets the rest of `second`.
  let below = new Uint8Array(second.length + 1);
  let row = new Uint8Array(second.length + 1);
  for (let i = first.length; i >= 0; i--) {
    const a = i < first.length ? first.charCodeAt(i) : -1;
    for (let j = second.length; j >= 0; j--) {
      const b = j < second.length ? second.charCodeAt(j) : -1;
      let meets: number | undefined;
      // Without the next character of the first, of the second, or of both.
      if (a === STAR) meets = (below[j] ?? 0) | (b === -1 ? 0 : (row[j + 1] ?? 0));
      else if (b === STAR || b === ANY_OF_SEGMENT)
        meets = (row[j + 1] ?? 0) | (a === -1 || (b === ANY_OF_SEGMENT && a === SLASH) ? 0 : (below[j] ?? 0));
      else if (a === b) meets = a === -1 ? 1 : (below[j + 1] ?? 0);
      row[j] = meets ?? 0;
    }
    [below, row] = [row, below];
  }
  return below[0] === 1;
}

/** Compares the parts before the first wildcard. */
function beginAlike(one: string, other: string): boolean {
  for (let at = 0; ; at++) {
    const [a, b] = [one.charAt(at), other.charAt(at)];
    if (a === '*' || b === '*' || b === SEGMENT) return true;
    if (a !== b) return false;
    if (a === '') return true;
  }
}
