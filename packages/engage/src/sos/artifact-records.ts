/** What is known of an archive that was fetched, and the words for those that are not. */
import * as z from 'zod/v4';
import { Failure } from '../failure.js';

/** What tells that a file is still the one that was fetched; the time of change cannot be set back. */
const STAMP = z.object({ inode: z.number(), size: z.number(), modified: z.number(), changed: z.number() });

export const ARTIFACT = z.object({
  /** Its folder. */
  id: z.string(),
  job: z.string(),
  owner: z.string(),
  archiveName: z.string(),
  sha256: z.string(),
  stamp: STAMP,
  artifactRef: z.string(),
  expiresAt: z.number(),
});
export type Artifact = Readonly<z.infer<typeof ARTIFACT>>;

export function stampOf(stats: { ino: number; size: number; mtimeMs: number; ctimeMs: number }): Artifact['stamp'] {
  return { inode: stats.ino, size: stats.size, modified: stats.mtimeMs, changed: stats.ctimeMs };
}

export function isSame(one: Artifact['stamp'], other: Artifact['stamp']): boolean {
  return one.inode === other.inode && one.size === other.size && one.modified === other.modified && one.changed === other.changed;
}

export function invalidReference(message: string, action: string): Failure {
  return new Failure('validation_error', message, action);
}

export function invalidArtifact(): Failure {
  return new Failure(
    'artifact_invalid',
    'This is not an artifact that you fetched here, or it is not any more what was fetched.',
    'Call fetch_sosreport, and pass the artifact_ref it returns.',
  );
}

export function tooLarge(maxBytes: number): Failure {
  return new Failure(
    'artifact_invalid',
    `The archive is larger than the ${Number((maxBytes / (1024 * 1024)).toFixed(2))} MiB that may be attached.`,
    'Collect less with only_plugins or log_size; that needs a new consent.',
  );
}
