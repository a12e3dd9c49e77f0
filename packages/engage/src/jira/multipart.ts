/** Encodes one file as `multipart/form-data` (RFC 7578) with a known length. */
import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Failure } from '../failure.js';

const CHUNK_BYTES = 64 * 1024;

/** The caller opens and closes the file. */
export interface OpenFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly handle: FileHandle;
}

/** Chunks share one buffer: each is valid until the next is read. */
export interface RequestBody {
  readonly contentType: string;
  readonly sizeBytes: number;
  chunks(): AsyncIterable<Uint8Array>;
}

export function multipart(file: OpenFile): RequestBody {
  const boundary = `footbridge-${randomBytes(24).toString('hex')}`;
  const disposition = `form-data; name="file"; filename="${safeFilename(file.name)}"`;
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

/** Escapes quotes, line breaks and path separators as browsers do. */
function safeFilename(name: string): string {
  const plain = name
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029/\\]/gu, '_')
    .replaceAll('"', '%22');
  return plain === '' ? 'attachment' : plain;
}

async function* contentOf({ handle, sizeBytes }: OpenFile): AsyncIterable<Uint8Array> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; position < sizeBytes; ) {
    const { bytesRead } = await handle
      .read(buffer, 0, Math.min(CHUNK_BYTES, sizeBytes - position), position)
      .catch(() => ({ bytesRead: 0 }));
    if (bytesRead === 0) {
      throw new Failure('artifact_invalid', 'The file could not be read completely during the upload.', 'Fetch it again, then attach it.');
    }
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
