/** Turns what a reader returned into contents. */
import { isFields } from '../../json.js';
import type { ResourceContents, ResourceReading } from '../resource.js';

/** The reader returned something that is not content. */
export class ShapeError extends TypeError {}

/** The content that a reader returned; undefined for undefined. */
export function readingOf(value: unknown, uri: string, mimeType: string | undefined): ResourceReading | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return { contents: [{ uri, mimeType: mimeType ?? 'text/plain', text: value }] };
  const blob = toBase64(value);
  if (blob !== undefined) return { contents: [{ uri, mimeType: mimeType ?? 'application/octet-stream', blob }] };
  if (isFields(value) && Array.isArray(value['contents'])) {
    const contents = value['contents'].map((each: unknown, index) => toContents(each, index, uri, mimeType));
    return isFields(value['_meta']) ? { contents, _meta: value['_meta'] } : { contents };
  }
  return { contents: [{ uri, mimeType: mimeType ?? 'application/json', text: toJson(value) }], isWritten: true };
}

function toContents(value: unknown, index: number, uri: string, mimeType: string | undefined): ResourceContents {
  if (!isFields(value)) throw new ShapeError(`contents[${index}] is not an object`);
  const { text, blob, _meta, uri: own = uri, mimeType: ownType = mimeType } = value;
  if (typeof own !== 'string') throw new ShapeError(`contents[${index}].uri is not a string`);
  if (ownType !== undefined && typeof ownType !== 'string') throw new ShapeError(`contents[${index}].mimeType is not a string`);
  if (_meta !== undefined && !isFields(_meta)) throw new ShapeError(`contents[${index}]._meta is not an object`);
  const rest = { uri: own, mimeType: ownType, _meta };
  if (typeof text === 'string' && blob === undefined) return { ...rest, text };
  const encoded = typeof blob === 'string' && BASE64.test(blob) ? blob : toBase64(blob);
  if (encoded !== undefined && text === undefined) return { ...rest, blob: encoded };
  throw new ShapeError(`contents[${index}] has neither a text nor a blob in base64, or both`);
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function toBase64(value: unknown): string | undefined {
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString('base64');
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  return undefined;
}

function toJson(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new ShapeError('the value cannot be converted to JSON', { cause });
  }
  if (text === undefined) throw new ShapeError(`a ${typeof value} is not content`);
  return text;
}
