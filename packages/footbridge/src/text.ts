/** Bytes and text. */

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text of bytes that are UTF-8 and hold no NUL, byte order mark kept; undefined when anything would be lost. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether a pair of surrogates starts here: two code units of one character. */
export function isPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}

/** A text in slices of at most `length` characters, or one more: those of a pair stay together. */
export function* slicesOf(text: string, length: number): Generator<string, void, undefined> {
  for (let from = 0; from < text.length; ) {
    const to = from + length;
    const end = isPair(text, to - 1) ? to + 1 : to;
    yield text.slice(from, end);
    from = end;
  }
}
