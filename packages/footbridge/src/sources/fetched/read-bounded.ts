/** Reads an untrusted local file, which may be a device or have any size. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Undefined if it is no ordinary file, or larger. Rejects if it cannot be read. */
export async function readBounded(file: string, most: number): Promise<Buffer | undefined> {
  const handle = await open(file, FLAGS);
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > most) return undefined;
    const buffer = Buffer.alloc(stats.size);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  } finally {
    await handle.close();
  }
}
