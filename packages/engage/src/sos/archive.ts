/** The archive that sos says it wrote: taken only when it is a plain file in the job's own folder. */
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { systemCode } from 'footbridge/pack';
import { Failure } from '../failure.js';

export interface Archive {
  readonly name: string;
  readonly sizeBytes: number;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,254}$/;
/** What sos puts into the name of an archive that it did mask; when it could not, it makes one all the same. */
const MASKED = /-obfuscated\.tar/;

/** A link could lead anywhere, and sos runs as root. */
export async function inspectArchive(folder: string, path: string): Promise<Archive> {
  const stats = await lstat(path).catch((cause: unknown) => {
    throw isMissing(cause) ? archiveNotFound() : pathUnsafe();
  });
  const [folderStats, home, real] = await Promise.all([lstat(folder), realpath(folder), realpath(path)]).catch(() => {
    throw pathUnsafe();
  });
  const isInside = folderStats.isDirectory() && dirname(real) === home;
  // By another name it could be changed later, and be what someone else has.
  if (!stats.isFile() || stats.nlink > 1 || !isInside || !NAME.test(basename(real))) throw pathUnsafe();
  if (stats.size === 0) throw archiveEmpty();
  return { name: basename(real), sizeBytes: stats.size };
}

export function isMasked(archive: Archive): boolean {
  return MASKED.test(archive.name);
}

export function archiveNotFound(): Failure {
  return new Failure(
    'archive_not_found',
    'The archive that sos should have written is not there.',
    'Generate it anew with generate_sosreport; that needs a new consent.',
  );
}

function archiveEmpty(): Failure {
  return new Failure(
    'archive_not_found',
    'There is nothing in the archive that sos has written; the disk may be full.',
    'Ask the person to make room, then generate it anew with generate_sosreport; that needs a new consent.',
  );
}

export function pathUnsafe(): Failure {
  return new Failure(
    'path_unsafe',
    'The archive is not a plain file of its own in the folder of its job, and was not touched.',
    'Generate it anew with generate_sosreport; if it happens again, tell whoever runs this server.',
  );
}

export function isMissing(cause: unknown): boolean {
  const code = systemCode(cause);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
