/** How long a text is as hosts count it: in bytes of its JSON, which is never less than its characters. */
import { isPair } from '../../text.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Bytes of the code unit at `at` in a JSON string; a pair of surrogates is counted at its first. */
function bytesAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 0x80) {
    if (code >= 0x20) return code === QUOTE || code === BACKSLASH ? 2 : 1;
    // Tab, line feed, carriage return, backspace and form feed have short escapes.
    return code >= 0x08 && code <= 0x0d && code !== 0x0b ? 2 : 6;
  }
  if (code < 0x800) return 2;
  if (code < 0xd800 || code > 0xdfff) return 3;
  if (isPair(text, at)) return 4;
  return isPair(text, at - 1) ? 0 : 6;
}

/** Where a run from `from` ends that takes at most `room` bytes; it may end inside a pair. */
export function reach(text: string, from: number, to: number, room: number): number {
  if (room === Number.POSITIVE_INFINITY) return to;
  let left = room;
  for (let at = from; at < to; at++) {
    left -= bytesAt(text, at);
    if (left < 0) return at;
  }
  return to;
}

/** Bytes of a text in JSON, without its quotes. */
export function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** No character takes more. */
const MAX_BYTES = 6;

/** Whether a text takes at most `room` bytes; short ones are not counted. */
export function fits(text: string, room: number): boolean {
  if (text.length * MAX_BYTES <= room) return true;
  return text.length <= room && reach(text, 0, text.length, room) === text.length;
}
