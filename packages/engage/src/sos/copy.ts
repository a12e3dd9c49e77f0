/** Copies an archive into a private file, and sums it on the way. The archive may belong to root. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { systemCode } from 'footbridge/pack';
import { Failure } from '../failure.js';
import { archiveNotFound, inspectArchive, isMissing, pathUnsafe } from './archive.js';
import { isRoot, locate, safeEnvironment } from './elevated.js';

export interface Copied {
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** `path` must be a plain file in `folder`, `target` must not be there yet. What is half-way written the caller removes. */
export async function copyArchive(folder: string, path: string, target: string): Promise<Copied> {
  const { sizeBytes: expected } = await inspectArchive(folder, path);
  const source = await openSource(path);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  async function* summed(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of source.stream) {
        hash.update(chunk);
        sizeBytes += chunk.length;
        yield chunk;
      }
      await source.finished();
    } catch (cause) {
      throw readFailed(cause);
    }
  }
  try {
    await pipeline(summed, createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true }));
  } catch (cause) {
    throw cause instanceof Failure ? cause : copyFailed(cause);
  } finally {
    source.stream.destroy();
  }
  if (sizeBytes !== expected) throw readFailed(new Error('the size is not what it was'));
  return { sizeBytes, sha256: hash.digest('hex') };
}

interface Source {
  readonly stream: Readable;
  /** Rejects when it ended before all was read. */
  finished(): Promise<void>;
}

async function openSource(path: string): Promise<Source> {
  try {
    // Not waiting on a pipe that someone put there, and not through a link.
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = await handle.stat();
    if (stats.isFile()) return { stream: handle.createReadStream(), finished: async () => undefined };
    await handle.close();
    throw pathUnsafe();
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    if (isMissing(cause)) throw archiveNotFound();
    const code = systemCode(cause);
    if (code === 'ELOOP') throw pathUnsafe();
    if (code === 'EACCES' && !isRoot()) return openAsRoot(path);
    throw readFailed(cause);
  }
}

async function openAsRoot(path: string): Promise<Source> {
  const [sudo, cat] = await Promise.all([locate('sudo'), locate('cat')]);
  if (sudo === undefined || cat === undefined) throw readFailed(new Error('sudo or cat is missing'));
  const child = spawn(sudo, ['-n', '--', cat, '--', path], { cwd: '/', env: safeEnvironment(), stdio: ['ignore', 'pipe', 'ignore'] });
  const exit = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('exit', resolve);
  });
  return {
    stream: child.stdout,
    finished: async () => {
      if ((await exit) !== 0) throw new Error('it may not be read as root');
    },
  };
}

function readFailed(cause: unknown): Failure {
  return new Failure(
    'read_failed',
    'The archive is there but could not be read.',
    'Ask the person to allow `sudo -n cat` for the user of this server, or to run the server as root; then fetch it once more.',
    {},
    cause,
  );
}

export function copyFailed(cause: unknown): Failure {
  return new Failure(
    'copy_failed',
    'The archive could not be copied; the disk may be full.',
    'Ask the person to make room, then call fetch_sosreport once more with the same fetch_reference.',
    {},
    cause,
  );
}
