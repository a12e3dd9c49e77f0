/** One file as `multipart/form-data` (RFC 7578), its length known before the first byte is sent. */
import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Failure } from '../failure.js';

const CHUNK_BYTES = 64 * 1024;

/** A file that its owner has opened, and closes. */
export interface OpenFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly handle: FileHandle;
}

/** What is sent with a request. A chunk holds good until the next one is asked for. */
export interface RequestBody {
  readonly contentType: string;
  readonly sizeBytes: number;
  chunks(): AsyncIterable<Uint8Array>;
}

export function multipart(file: OpenFile): RequestBody {
  const boundary = `footbridge-${randomBytes(24).toString('hex')}`;
  const disposition = `form-data; name="file"; filename="${quotable(file.name)}"`;
  const head = Buffer.from(`--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n`);
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    sizeBytes: head.length + file.sizeBytes + tail.length,
    async *chunks() {
      yield head;
      yield* contentOf(file);
      yield tail;
    },
  };
}

/** A name that cannot end its quotes, its line or its folder, as browsers write it. */
function quotable(name: string): string {
  const plain = name
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029/\\]/gu, '_')
    .replaceAll('"', '%22');
  return plain === '' ? 'attachment' : plain;
}

/** One buffer for the whole file, so that its size does not matter. */
async function* contentOf({ handle, sizeBytes }: OpenFile): AsyncIterable<Uint8Array> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; position < sizeBytes; ) {
    const { bytesRead } = await handle
      .read(buffer, 0, Math.min(CHUNK_BYTES, sizeBytes - position), position)
      .catch(() => ({ bytesRead: 0 }));
    if (bytesRead === 0) {
      throw new Failure(
        'artifact_invalid',
        'The file could not be read to its end while it was sent.',
        'Fetch it again, and attach it then.',
      );
    }
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
