/** The archive that sos wrote: checked, and copied into a private file. It may be owned by root. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { systemCode } from 'footbridge/pack';
import { Failure } from '../failure.js';
import { isRoot, locate, safeEnvironment } from './processes.js';

export interface Archive {
  readonly name: string;
  readonly sizeBytes: number;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,254}$/;
/** sos marks archives that it masked. If masking fails, it writes an unmasked one. */
const MASKED = /-obfuscated\.tar/;

/** Throws unless `path` is a regular, non-empty file directly in `folder`: sos runs as root, so a link could expose any file. */
export async function inspectArchive(folder: string, path: string): Promise<Archive> {
  const stats = await lstat(path).catch((cause: unknown) => {
    throw isMissing(cause) ? archiveNotFound() : pathUnsafe();
  });
  const [folderStats, realFolder, real] = await Promise.all([lstat(folder), realpath(folder), realpath(path)]).catch(() => {
    throw pathUnsafe();
  });
  const isInside = folderStats.isDirectory() && dirname(real) === realFolder;
  // A hard link could be another user's file.
  if (!stats.isFile() || stats.nlink > 1 || !isInside || !NAME.test(basename(real))) throw pathUnsafe();
  if (stats.size === 0) {
    const action = `Ask the person to free disk space. ${REGENERATE}`;
    throw new Failure('archive_not_found', 'The archive is empty; the disk may be full.', action);
  }
  return { name: basename(real), sizeBytes: stats.size };
}

export function isMasked(archive: Archive): boolean {
  return MASKED.test(archive.name);
}

/** `path` must be a regular file in `folder`, `target` must not exist. Returns the SHA-256. After a failure the caller removes `target`. */
export async function copyArchive(folder: string, path: string, target: string): Promise<string> {
  const { sizeBytes: expected } = await inspectArchive(folder, path);
  const source = await openSource(path);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  async function* hashed(): AsyncGenerator<Uint8Array> {
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
    await pipeline(hashed, createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true }));
  } catch (cause) {
    throw cause instanceof Failure ? cause : copyFailed(cause);
  } finally {
    source.stream.destroy();
  }
  if (sizeBytes !== expected) throw readFailed(new Error('The size changed.'));
  return hash.digest('hex');
}

/** `finished` rejects if the stream ended early. */
async function openSource(path: string): Promise<{ readonly stream: Readable; finished(): Promise<void> }> {
  try {
    // Does not follow links, or block on a named pipe.
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

async function openAsRoot(path: string) {
  const [sudo, cat] = await Promise.all([locate('sudo'), locate('cat')]);
  if (sudo === undefined || cat === undefined) throw readFailed(new Error('sudo or cat is missing.'));
  const child = spawn(sudo, ['-n', '--', cat, '--', path], { cwd: '/', env: safeEnvironment(), stdio: ['ignore', 'pipe', 'ignore'] });
  const exit = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('exit', resolve);
  });
  return {
    stream: child.stdout,
    finished: async () => {
      if ((await exit) !== 0) throw new Error('sudo cat failed.');
    },
  };
}

export const REGENERATE = 'Generate it again with generate_sosreport; that requires a new consent.';

export function archiveNotFound(): Failure {
  return new Failure('archive_not_found', 'The archive that sos reported does not exist.', REGENERATE);
}

export function pathUnsafe(): Failure {
  const action = 'Generate it again with generate_sosreport; if it keeps failing, report it to the operator of this server.';
  return new Failure('path_unsafe', 'The archive is not a regular file in the folder of its job, so it was not read.', action);
}

function readFailed(cause: unknown): Failure {
  const action = 'Ask the person to allow `sudo -n cat` for the user of this server, or to run it as root, then fetch the archive again.';
  return new Failure('read_failed', 'The archive could not be read.', action, {}, cause);
}

export function copyFailed(cause: unknown): Failure {
  const action = 'Ask the person to free disk space, then call fetch_sosreport again with the same fetch_reference.';
  return new Failure('copy_failed', 'The archive could not be copied; the disk may be full.', action, {}, cause);
}

export function isMissing(cause: unknown): boolean {
  const code = systemCode(cause);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
