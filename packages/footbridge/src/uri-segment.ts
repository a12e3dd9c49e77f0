/** One part of a URI between slashes, which stands for the name of a folder or a file. */

export function encodeSegment(segment: string): string {
  // An apostrophe and an exclamation mark are left alone by both; parentheses and asterisks are not special here.
  return encodeURIComponent(segment.toWellFormed()).replace(/^\.+$/, (dots) => '%2E'.repeat(dots.length));
}

/** The name; undefined if the segment does not stand for exactly one name. */
export function decodeSegment(segment: string): string | undefined {
  const name = decodeUri(segment) ?? '';
  return name === '' || name === '.' || name === '..' || /[/\\\p{Cc}]/u.test(name) ? undefined : name;
}

/** Percent-decoded; undefined where the encoding is invalid. */
export function decodeUri(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
