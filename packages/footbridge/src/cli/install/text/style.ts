/** How a text is written: what is added to it should look like the rest. */

/** The line end that a text uses. */
export function lineEnd(text: string): string {
  return /\r\n/.test(text) ? '\r\n' : '\n';
}

/** The blanks that the line of a place begins with. */
export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset)))?.[0] ?? '';
}

/** Where the line of a place begins. */
export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Where the line after that of a place begins. */
export function nextLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

/** Whether nothing but blanks comes before a place in its line. */
export function beginsLine(text: string, offset: number): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === '';
}

/** A text with what lies between two places replaced. */
export function splice(text: string, from: number, to: number, replacement: string): string {
  return text.slice(0, from) + replacement + text.slice(to);
}

/** The value that makes `value` lie at `path`, from the outermost key on. */
export function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}
