/** Stores the workflows of all owners in files, safe for concurrent processes and crashes. */
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { systemCode } from 'footbridge/pack';
import { makePrivateFolder, sweepDrafts } from 'footbridge/state';
import { mapConcurrently } from '../async.js';
import { isWorkflowId, type NewWorkflow, newWorkflow, newWorkflowId, type Workflow } from './record.js';
import { hasVersions, readNewest, writeNext } from './versions.js';

export const MAX_WORKFLOWS = 500;
const MAX_CONCURRENT_READS = 16;
/** Never reached in practice: each failed try is another writer's success. */
const MAX_TRIES = 1_000;
const MAX_BACKOFF_MS = 20;
/** An older folder without a state is orphaned. */
const ORPHAN_AGE_MS = 60_000;

export class TooManyWorkflows extends Error {
  constructor() {
    super(`The limit of ${MAX_WORKFLOWS} workflows per person is reached.`);
    this.name = 'TooManyWorkflows';
  }
}

/** Owners are from `ownerOf`, so they are safe in a path. */
export class WorkflowStore {
  readonly #folder: string;
  readonly #claim: () => Promise<void>;
  #isClaimed = false;

  /** `claim` runs before the first use, and throws if the folder cannot be used. */
  constructor(folder: string, claim: () => Promise<void> = () => makePrivateFolder(folder)) {
    this.#folder = folder;
    this.#claim = claim;
  }

  /** Throws `TooManyWorkflows`. */
  async create(owner: string, given: NewWorkflow): Promise<Workflow> {
    await this.#ensureClaimed();
    const id = await this.#reserve(owner, given.name);
    const workflow = newWorkflow(id, given, new Date().toISOString());
    if (!(await writeNext(this.#folderOf(owner, id), { number: 0, revisions: [] }, workflow)))
      throw new Error('The new workflow already exists.');
    return workflow;
  }

  /**
   * Resolves with the changed workflow, or undefined if not found. `change` may be called several times, if other writers are faster.
   * If it returns its argument, nothing is written.
   */
  async update(owner: string, id: string, change: (workflow: Workflow) => Workflow): Promise<Workflow | undefined> {
    if (!isWorkflowId(id) || !(await this.#exists())) return undefined;
    const folder = this.#folderOf(owner, id);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const version = await readNewest(folder);
      if (version === undefined) return undefined;
      const changed = change(version.workflow);
      if (changed === version.workflow || (await writeNext(folder, version, changed))) return changed;
      await wait(randomInt(MAX_BACKOFF_MS));
    }
    throw new Error('The workflow could not be changed: too many concurrent changes.');
  }

  async get(owner: string, id: string): Promise<Workflow | undefined> {
    return isWorkflowId(id) && (await this.#exists()) ? (await readNewest(this.#folderOf(owner, id)))?.workflow : undefined;
  }

  /** The most recently changed first. */
  async list(owner: string): Promise<Workflow[]> {
    if (!(await this.#exists())) return [];
    const found = await mapConcurrently(await this.#ids(owner), MAX_CONCURRENT_READS, (id) => this.get(owner, id));
    return found.filter((workflow) => workflow !== undefined).sort((a, b) => compare(b.updated_at, a.updated_at) || compare(a.id, b.id));
  }

  async #ensureClaimed(): Promise<void> {
    if (!this.#isClaimed) await this.#claim();
    this.#isClaimed = true;
  }

  /** Reading does not create the folder. */
  async #exists(): Promise<boolean> {
    if (!this.#isClaimed && !existsSync(this.#folder)) return false;
    await this.#ensureClaimed();
    return true;
  }

  /** Creates the folder before counting, so that concurrent calls cannot exceed the limit. */
  async #reserve(owner: string, name: string): Promise<string> {
    await makePrivateFolder(join(this.#folder, owner));
    const id = await this.#makeFolder(owner, name);
    if ((await this.#ids(owner)).length <= MAX_WORKFLOWS) return id;
    await this.#removeOrphans(owner);
    if ((await this.#ids(owner)).length <= MAX_WORKFLOWS) return id;
    await rmdir(this.#folderOf(owner, id));
    throw new TooManyWorkflows();
  }

  async #makeFolder(owner: string, name: string): Promise<string> {
    for (;;) {
      const id = newWorkflowId(name);
      try {
        await mkdir(this.#folderOf(owner, id), { mode: 0o700 });
        return id;
      } catch (cause) {
        if (systemCode(cause) !== 'EEXIST') throw cause;
      }
    }
  }

  async #removeOrphans(owner: string): Promise<void> {
    await mapConcurrently(await this.#ids(owner), MAX_CONCURRENT_READS, async (id) => {
      const folder = this.#folderOf(owner, id);
      if (await hasVersions(folder)) return;
      const stats = await stat(folder).catch(() => undefined);
      if (stats === undefined || Date.now() - stats.mtimeMs < ORPHAN_AGE_MS) return;
      await sweepDrafts(folder);
      // Fails if it is not empty, and so in use.
      await rmdir(folder).catch(() => undefined);
    });
  }

  async #ids(owner: string): Promise<string[]> {
    const names = await readdir(join(this.#folder, owner)).catch((cause: unknown) => {
      if (systemCode(cause) !== 'ENOENT') throw cause;
      return [];
    });
    return names.filter(isWorkflowId);
  }

  #folderOf(owner: string, id: string): string {
    return join(this.#folder, owner, id);
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
