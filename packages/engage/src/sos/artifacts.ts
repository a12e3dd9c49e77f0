/** Fetched archives: private copies, the only files that can be attached to an issue. */
import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makePrivateFolder } from 'footbridge/state';
import * as z from 'zod/v4';
import { Failure } from '../failure.js';
import type { OpenFile } from '../jira/http.js';
import { Records } from '../records.js';
import type { References } from '../references.js';
import type { Sessions } from '../workflow/consent.js';
import { archiveNotFound, copyArchive, copyFailed, REGENERATE } from './archive.js';
import { ARCHIVE_TTL_MS, FETCH_SCOPE, type JobRecords, openJobRecords, removeFolder, removeUnknownFolders } from './job-records.js';

const ATTACH_SCOPE = 'artifact:attach';
const MIB = 1024 * 1024;

/** Detects that a file was replaced or modified; ctime cannot be set back. */
const STAMP = z.object({ inode: z.number(), size: z.number(), modified: z.number(), changed: z.number() });
const ARTIFACT = z.object({
  /** The name of its folder. */
  id: z.string(),
  job: z.string(),
  owner: z.string(),
  archiveName: z.string(),
  sha256: z.string(),
  stamp: STAMP,
  artifactRef: z.string(),
  expiresAt: z.number(),
});
type Artifact = Readonly<z.infer<typeof ARTIFACT>>;

export interface ArtifactsOptions {
  readonly stateFolder: string;
  readonly references: References;
  /** Advanced to the next step when an archive is fetched. */
  readonly sessions?: Sessions;
  readonly maxBytes?: number;
  readonly now?: () => number;
}

export class Artifacts {
  readonly #options: ArtifactsOptions;
  readonly #jobs: JobRecords;
  /** By job id, so that each archive is copied once. */
  readonly #artifacts: Records<Artifact>;
  readonly #root: string;
  readonly #now: () => number;

  constructor(options: ArtifactsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#jobs = openJobRecords(options.stateFolder);
    this.#artifacts = new Records(join(options.stateFolder, 'artifact-records'), ARTIFACT);
    this.#root = resolve(options.stateFolder, 'artifacts');
  }

  /** Copies the archive of a job, or returns the existing copy. */
  async fetch(owner: string, fetchReference: string) {
    const reference = this.#options.references.read(fetchReference);
    const { job, session } = reference?.claims ?? {};
    if (reference?.scope !== FETCH_SCOPE || job === undefined || reference.claims['owner'] !== owner) {
      const action = 'Pass the fetch_reference of your job unchanged; get_generate_sosreport_status returns it.';
      throw new Failure('validation_error', 'Invalid fetch reference.', action);
    }
    if (reference.expiresAt <= this.#now()) {
      throw new Failure('validation_error', 'The archive has expired; archives are kept for 24 hours.', REGENERATE);
    }
    await this.sweep();
    const artifact = (await this.#intact(job)) ?? (await this.#copy(owner, job));
    await this.#advance(owner, session);
    const { archiveName, sha256, artifactRef, expiresAt, stamp } = artifact;
    return { path: this.#pathOf(artifact), archiveName, sizeBytes: stamp.size, sha256, artifactRef, expiresAt };
  }

  /** Opens a fetched archive for an upload. Throws if it is not exactly the file that was fetched. The caller closes it. */
  async open(owner: string, artifactRef: string): Promise<OpenFile & { readonly sha256: string }> {
    const reference = this.#options.references.read(artifactRef);
    const { job = '', artifact: id } = reference?.claims ?? {};
    const artifact = await this.#artifacts.get(job);
    if (reference?.scope !== ATTACH_SCOPE || artifact === undefined || artifact.id !== id || artifact.owner !== owner)
      throw invalidArtifact();
    if (reference.expiresAt <= this.#now()) throw invalidArtifact();
    const path = this.#pathOf(artifact);
    if ((await realpath(path).catch(() => undefined)) !== join(await realpath(this.#root), artifact.id, artifact.archiveName))
      throw invalidArtifact();
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => {
      throw invalidArtifact();
    });
    try {
      const stats = await handle.stat();
      if (!stats.isFile() || stats.size === 0 || !isUnchanged(artifact, stats)) throw invalidArtifact();
      const { maxBytes = 25 * MIB } = this.#options;
      if (stats.size > maxBytes) {
        const message = `The archive exceeds the attachment limit of ${Number((maxBytes / MIB).toFixed(2))} MiB.`;
        throw new Failure('artifact_invalid', message, 'Collect less with only_plugins or log_size; that requires a new consent.');
      }
      return { name: artifact.archiveName, sizeBytes: stats.size, sha256: artifact.sha256, handle };
    } catch (cause) {
      await handle.close();
      throw cause;
    }
  }

  /** Removes expired copies. */
  async sweep(): Promise<void> {
    const now = this.#now();
    for (const [job, artifact] of await this.#artifacts.all()) {
      if (artifact.expiresAt <= now && (await removeFolder(join(this.#root, artifact.id)))) await this.#artifacts.remove(job);
    }
    await this.#artifacts.sweep(() => false);
    const known = new Set([...(await this.#artifacts.all()).values()].map(({ id }) => id));
    await removeUnknownFolders(this.#root, async (name) => known.has(name), now);
  }

  async #intact(job: string): Promise<Artifact | undefined> {
    const artifact = await this.#artifacts.get(job);
    if (artifact === undefined || artifact.expiresAt <= this.#now()) return undefined;
    const stats = await stat(this.#pathOf(artifact)).catch(() => undefined);
    return stats !== undefined && isUnchanged(artifact, stats) ? artifact : undefined;
  }

  async #copy(owner: string, job: string): Promise<Artifact> {
    const end = await this.#jobs.ends.get(job);
    if (end?.status !== 'completed') throw archiveNotFound();
    const { archiveName } = end;
    const id = randomUUID();
    const folder = join(this.#root, id);
    try {
      await makePrivateFolder(folder).catch((cause: unknown) => {
        throw copyFailed(cause);
      });
      const source = this.#jobs.folderOf(job);
      const sha256 = await copyArchive(source, join(source, archiveName), join(folder, archiveName));
      const expiresAt = this.#now() + ARCHIVE_TTL_MS;
      const artifactRef = this.#options.references.issue(ATTACH_SCOPE, { owner, job, artifact: id }, expiresAt);
      const stamp = stampOf(await stat(join(folder, archiveName)));
      return await this.#store({ id, job, owner, archiveName, sha256, stamp, artifactRef, expiresAt });
    } catch (cause) {
      await removeFolder(folder);
      throw cause;
    }
  }

  /** If two copies were made at the same time, the first is kept. */
  async #store(artifact: Artifact): Promise<Artifact> {
    if (await this.#artifacts.create(artifact.job, artifact)) return artifact;
    const first = await this.#intact(artifact.job);
    if (first !== undefined) {
      await removeFolder(join(this.#root, artifact.id));
      return first;
    }
    const damaged = await this.#artifacts.get(artifact.job);
    await this.#artifacts.put(artifact.job, artifact);
    if (damaged !== undefined) await removeFolder(join(this.#root, damaged.id));
    return artifact;
  }

  async #advance(owner: string, sessionId: string | undefined): Promise<void> {
    const { sessions } = this.#options;
    // An expired session has no next step.
    const session = await sessions?.find(owner, sessionId).catch(() => undefined);
    if (session !== undefined) await sessions?.moveTo(session, 'jira-attach');
  }

  #pathOf({ id, archiveName }: Artifact): string {
    return join(this.#root, id, archiveName);
  }
}

function stampOf({ ctimeMs: changed, ino: inode, mtimeMs: modified, size }: Stats): Artifact['stamp'] {
  return { inode, size, modified, changed };
}

function isUnchanged({ stamp }: Artifact, stats: Stats): boolean {
  const { changed, inode, modified, size } = stampOf(stats);
  return inode === stamp.inode && size === stamp.size && modified === stamp.modified && changed === stamp.changed;
}

function invalidArtifact(): Failure {
  const action = 'Call fetch_sosreport, and pass the artifact_ref it returns.';
  return new Failure('artifact_invalid', 'The artifact was not fetched by you, or has changed since.', action);
}
