/** SHA-256 of contents of any size, without holding up other calls. */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { ResourceContents } from '../../sources/resource.js';
import { slicesOf } from '../../text.js';

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
    for (const chunk of typeof piece === 'string' ? slicesOf(piece, CHUNK) : chunksOf(piece)) {
      if (!isFirst) await setImmediate();
      isFirst = false;
      hash.update(chunk);
    }
  }
  return hash.digest('hex');
}

function* chunksOf(bytes: Buffer): Generator<Buffer, void, undefined> {
  for (let from = 0; from < bytes.length; from += CHUNK) yield bytes.subarray(from, from + CHUNK);
}
