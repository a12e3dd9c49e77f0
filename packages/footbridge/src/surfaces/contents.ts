/** Content on the wire: text where nothing is lost by it, base64 otherwise. */
import type { Content } from '../catalog/catalog.js';
import { decodeText } from '../text.js';

export type Contents = { uri: string; mimeType: string; text: string } | { uri: string; mimeType: string; blob: string };

export function toContents({ uri, mimeType, bytes }: Content): Contents {
  const text = decodeText(bytes);
  return text === undefined
    ? { uri, mimeType, blob: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') }
    : { uri, mimeType, text };
}
