/** Archives that were fetched: private copies, the only files that may be attached to an issue. */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makePrivateFolder } from 'footbridge/state';
import { Records } from '../records.js';
import type { References } from '../references.js';
import type { Sessions } from '../workflow/sessions.js';
import { archiveNotFound } from './archive.js';
import { ARTIFACT, type Artifact, invalidArtifact, invalidReference, isSame, stampOf, tooLarge } from './artifact-records.js';
import { copyArchive, copyFailed } from './copy.js';
import { ARCHIVE_LIFE_MS, type JobRecords, openJobRecords, removeFolder } from './job-records.js';
import { FETCH_SCOPE } from './jobs.js';
import { removeUnknownFolders } from './upkeep.js';

const ATTACH_SCOPE = 'artifact:attach';
const MAX_BYTES = 25 * 1024 * 1024;

export interface ArtifactsOptions {
  readonly stateFolder: string;
  readonly references: References;
  /** To move the session on when its archive is fetched. */
  readonly sessions?: Sessions;
  readonly maxBytes?: number;
  readonly now?: () => number;
}

export interface FetchedArtifact {
  readonly path: string;
  readonly archiveName: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly artifactRef: string;
  readonly expiresAt: number;
}

export interface OpenArtifact {
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** The caller closes it. */
  readonly handle: FileHandle;
}

export class Artifacts {
  readonly #options: ArtifactsOptions;
  readonly #jobs: JobRecords;
  /** By the id of the job, so that each archive is copied once. */
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

  /** Copies the archive of a job; a second time there is the same copy. */
  async fetch(owner: string, fetchReference: string): Promise<FetchedArtifact> {
    const reference = this.#options.references.read(fetchReference);
    const { job, session } = reference?.claims ?? {};
    if (reference?.scope !== FETCH_SCOPE || job === undefined || reference.claims['owner'] !== owner) {
      throw invalidReference(
        'This is no fetch reference for you.',
        'Pass the fetch_reference of your job as it is; ask get_generate_sosreport_status for it.',
      );
    }
    if (reference.expiresAt <= this.#now()) {
      throw invalidReference(
        'The archive has expired; it was kept for 24 hours.',
        'Generate it anew with generate_sosreport; that needs a new consent.',
      );
    }
    await this.sweep();
    const artifact = (await this.#intact(job)) ?? (await this.#copy(owner, job));
    await this.#moveOn(owner, session);
    const { archiveName, sha256, artifactRef, expiresAt, stamp } = artifact;
    return { path: this.#pathOf(artifact), archiveName, sizeBytes: stamp.size, sha256, artifactRef, expiresAt };
  }

  /** Opens what was fetched, for an upload. Anything that is not exactly that is refused. */
  async open(owner: string, artifactRef: string): Promise<OpenArtifact> {
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
      if (!stats.isFile() || stats.size === 0 || !isSame(stampOf(stats), artifact.stamp)) throw invalidArtifact();
      const { maxBytes = MAX_BYTES } = this.#options;
      if (stats.size > maxBytes) throw tooLarge(maxBytes);
      return { name: artifact.archiveName, sizeBytes: stats.size, sha256: artifact.sha256, handle };
    } catch (cause) {
      await handle.close();
      throw cause;
    }
  }

  /** Removes copies that expired. */
  async sweep(): Promise<void> {
    const now = this.#now();
    for (const [job, artifact] of await this.#artifacts.all()) {
      if (artifact.expiresAt <= now && (await removeFolder(join(this.#root, artifact.id)))) await this.#artifacts.remove(job);
    }
    await this.#artifacts.sweep(() => false);
    const known = new Set([...(await this.#artifacts.all()).values()].map(({ id }) => id));
    await removeUnknownFolders(
      this.#root,
      async (name) => known.has(name),
      (time) => time + ARCHIVE_LIFE_MS <= now,
    );
  }

  async #intact(job: string): Promise<Artifact | undefined> {
    const artifact = await this.#artifacts.get(job);
    if (artifact === undefined || artifact.expiresAt <= this.#now()) return undefined;
    const stats = await stat(this.#pathOf(artifact)).catch(() => undefined);
    return stats !== undefined && isSame(stampOf(stats), artifact.stamp) ? artifact : undefined;
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
      const { sha256 } = await copyArchive(source, join(source, archiveName), join(folder, archiveName));
      const expiresAt = this.#now() + ARCHIVE_LIFE_MS;
      const artifactRef = this.#options.references.issue(ATTACH_SCOPE, { owner, job, artifact: id }, expiresAt);
      const stamp = stampOf(await stat(join(folder, archiveName)));
      return await this.#keep({ id, job, owner, archiveName, sha256, stamp, artifactRef, expiresAt });
    } catch (cause) {
      await removeFolder(folder);
      throw cause;
    }
  }

  /** Of two that were copied at the same time the first one stays. */
  async #keep(artifact: Artifact): Promise<Artifact> {
    if (await this.#artifacts.create(artifact.job, artifact)) return artifact;
    const first = await this.#intact(artifact.job);
    if (first === undefined) {
      const broken = await this.#artifacts.get(artifact.job);
      await this.#artifacts.put(artifact.job, artifact);
      if (broken !== undefined) await removeFolder(join(this.#root, broken.id));
      return artifact;
    }
    await removeFolder(join(this.#root, artifact.id));
    return first;
  }

  async #moveOn(owner: string, sessionId: string | undefined): Promise<void> {
    const { sessions } = this.#options;
    // A session that is over needs no step.
    const session = await sessions?.find(owner, sessionId).catch(() => undefined);
    if (session !== undefined) await sessions?.moveTo(session, 'jira-attach');
  }

  #pathOf({ id, archiveName }: Artifact): string {
    return join(this.#root, id, archiveName);
  }
}
