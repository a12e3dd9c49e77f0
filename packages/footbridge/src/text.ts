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
