/** Something that the page is sent whole: compressed where the browser wants it so, and not at all where it has it already. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Context } from 'hono';

export class Document {
  readonly etag: string;
  #gzipped: Uint8Array<ArrayBuffer> | undefined;

  constructor(
    readonly body: string,
    readonly type: string,
    /** For `Cache-Control`. */
    readonly keep: 'no-cache' | 'no-store',
  ) {
    this.etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  }

  get gzipped(): Uint8Array<ArrayBuffer> {
    this.#gzipped ??= new Uint8Array(gzipSync(this.body));
    return this.#gzipped;
  }
}

export function send(context: Context, document: Document): Response {
  const headers = { 'Cache-Control': document.keep, ETag: document.etag, Vary: 'Accept-Encoding, Authorization' };
  if (context.req.header('if-none-match') === document.etag) return context.body(null, 304, headers);
  const typed = { ...headers, 'Content-Type': document.type };
  if (context.req.header('accept-encoding')?.includes('gzip') !== true) return context.body(document.body, 200, typed);
  return context.body(document.gzipped, 200, { ...typed, 'Content-Encoding': 'gzip' });
}
