/** SHA-256 of contents of any size, without holding up other calls. */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { ResourceContents } from '../../sources/resource.js';
import { isPair } from './size.js';

/** Characters or bytes digested before other tasks get their turn. */
const CHUNK = 1024 * 1024;

/** Of a text in UTF-8, in hexadecimal. */
export function digestOfText(text: string): Promise<string> {
  return digest([text]);
}

/** Of the bytes of all contents, one after the other, as the Skills extension writes a digest. */
export async function digestOfContents(contents: readonly ResourceContents[]): Promise<string> {
  return `sha256:${await digest(contents.map((each) => ('text' in each ? each.text : Buffer.from(each.blob, 'base64'))))}`;
}

async function digest(pieces: readonly (string | Buffer)[]): Promise<string> {
  const hash = createHash('sha256');
  let isFirst = true;
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      if (!isFirst) await setImmediate();
      isFirst = false;
      const to = endOfChunk(piece, from + CHUNK);
      if (typeof piece === 'string') hash.update(piece.slice(from, to), 'utf8');
      else hash.update(piece.subarray(from, to));
      from = to;
    }
  }
  return hash.digest('hex');
}

/** Two code units of one character must not be encoded apart. */
function endOfChunk(piece: string | Buffer, to: number): number {
  return typeof piece === 'string' && isPair(piece, to - 1) ? to + 1 : to;
}
