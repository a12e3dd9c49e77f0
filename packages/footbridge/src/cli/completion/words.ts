/** What was typed, word by word, as a shell would take it, and words as a shell takes them back. Nothing is ever expanded. */

/** What stands before the word at the cursor, and that word. */
export interface Typed {
  readonly before: readonly string[];
  readonly current: string;
  /** The quote that the current word stands in, if it is not closed. */
  readonly quote: string;
}

/** Splits a line that ends at the cursor. */
export function typedIn(line: string): Typed {
  const before: string[] = [];
  let current: string | undefined;
  let quote = '';
  for (let index = 0; index < line.length; index++) {
    const character = line[index] ?? '';
    if (character === '\\' && quote !== "'") current = (current ?? '') + (line[++index] ?? '');
    else if (character === quote) quote = '';
    else if (quote === '' && (character === "'" || character === '"')) {
      quote = character;
      current ??= '';
    } else if (quote === '' && /\s/.test(character)) {
      if (current !== undefined) before.push(current);
      current = undefined;
    } else current = (current ?? '') + character;
  }
  return { before, current: current ?? '', quote };
}

/** Characters that mean nothing to a shell. */
const PLAIN = /^[\p{L}\p{N}_./:@%+=,-]*$/u;

/** A word as bash takes it literally; undefined where it cannot be said inside the quote that is open. */
export function forBash(word: string, quote: string): string | undefined {
  if (quote !== '') return PLAIN.test(word.replaceAll(' ', '')) ? word : undefined;
  return [...word].map((character) => (PLAIN.test(character) ? character : `\\${character}`)).join('');
}
