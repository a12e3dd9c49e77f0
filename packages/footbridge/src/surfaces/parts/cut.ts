/** Where a part of a text ends. Only the part itself is looked at, however long the text is. */
import { isPair } from '../../text.js';
import { reach } from './size.js';

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/** An offset that does not split a character. */
export function startOf(text: string, offset: number): number {
  return offset > 0 && isPair(text, offset - 1) ? offset - 1 : offset;
}

/** What a part may take at most. */
export interface PartSize {
  readonly characters: number;
  /** Bytes of JSON. */
  readonly bytes: number;
  readonly lines: number;
}

/**
 * The end of the part that starts at `from`: up to the last end of a line that the size allows, else up to any character. A part
 * has at least one character.
 */
export function endOf(text: string, from: number, { characters, bytes, lines }: PartSize): number {
  const end = afterLines(text, from, reach(text, from, Math.min(text.length, from + characters), bytes), lines);
  if (end === text.length) return end;
  const line = text.slice(from, end).lastIndexOf('\n');
  if (line !== -1) return from + line + 1;
  const whole = isSplit(text, end) ? end - 1 : end;
  return whole > from ? whole : from + (isSplit(text, from + 1) ? 2 : 1);
}

/** Where that many lines from `from` end, at most at `to`. */
export function afterLines(text: string, from: number, to: number, lines: number): number {
  if (lines === Number.POSITIVE_INFINITY) return to;
  let at = from;
  for (let count = 0; count < lines && at < to; count++) {
    const end = text.indexOf('\n', at);
    if (end === -1) return to;
    at = end + 1;
  }
  return Math.min(at, to);
}

/** Whether a cut would be inside a character or inside a line end of two. */
function isSplit(text: string, at: number): boolean {
  return isPair(text, at - 1) || (text.charCodeAt(at - 1) === CARRIAGE_RETURN && text.charCodeAt(at) === LINE_FEED);
}
