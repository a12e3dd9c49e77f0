/** Decodes large texts in several turns: 16 MiB that are not Latin take up to 50 ms. */
import { decodeText } from './text.js';
import { Turns } from './turns.js';

/** Bytes that are decoded at once. */
const PIECE = 1024 * 1024;

/** Like `decodeText`. */
export async function decodeInTurns(bytes: Uint8Array): Promise<string | undefined> {
  if (bytes.length <= PIECE) return decodeText(bytes);
  if (bytes.includes(0)) return undefined;
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const turns = new Turns();
  let text = '';
  try {
    for (let at = 0; at < bytes.length; at += PIECE) {
      if (turns.isOver) await turns.next();
      text += decoder.decode(bytes.subarray(at, at + PIECE), { stream: true });
    }
    return text + decoder.decode();
  } catch {
    return undefined;
  }
}
