/** The workflows of all owners, in files that several processes may change at once and that no crash leaves half-written. */
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { systemCode } from 'footbridge/pack';
import { makePrivateFolder, sweepDrafts } from 'footbridge/state';
import { sideBySide } from '../side-by-side.js';
import { isId, newId } from './id.js';
import { type NewWorkflow, newWorkflow, type Workflow } from './record.js';
import { hasVersions, newest, succeed } from './versions.js';

export const MOST_WORKFLOWS = 500;
const MOST_AT_ONCE = 16;
/** Each failed try is somebody else's success, so that nobody comes near this. */
const MOST_TRIES = 1_000;
const LONGEST_WAIT_MS = 20;
/** A folder without a state after so long was left behind by a process that ended. */
const LEFT_BEHIND_MS = 60_000;

/** An owner has as many workflows as one may have. */
export class TooManyWorkflows extends Error {
  constructor() {
    super(`There are ${MOST_WORKFLOWS} workflows already, and that is as many as one person may have.`);
    this.name = 'TooManyWorkflows';
  }
}

/** An owner is a name that is safe in a path, as `ownerOf` gives it. */
export class WorkflowStore {
  readonly #folder: string;
  readonly #claim: () => Promise<void>;
  #isClaimed = false;

  /** `claim` makes sure, before the folder is first used, that it can be and that it is ours alone; what it throws is passed on. */
  constructor(folder: string, claim: () => Promise<void> = () => makePrivateFolder(folder)) {
    this.#folder = folder;
    this.#claim = claim;
  }

  /** Throws `TooManyWorkflows`. */
  async create(owner: string, given: NewWorkflow): Promise<Workflow> {
    await this.#makeReady();
    const id = await this.#reserve(owner, given.name);
    const workflow = newWorkflow(id, given, new Date().toISOString());
    if (!(await succeed(this.#folderOf(owner, id), { number: 0, revisions: [] }, workflow)))
      throw new Error('A new workflow was there already.');
    return workflow;
  }

  /**
   * Changes a workflow, and gives it as it is then; undefined where there is none. `change` is called again when somebody else was
   * faster, with what they left. When it returns the workflow that it was given, nothing is written; what it throws is passed on.
   */
  async update(owner: string, id: string, change: (workflow: Workflow) => Workflow): Promise<Workflow | undefined> {
    if (!isId(id) || !(await this.#isThere())) return undefined;
    const folder = this.#folderOf(owner, id);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const version = await newest(folder);
      if (version === undefined) return undefined;
      const changed = change(version.workflow);
      if (changed === version.workflow || (await succeed(folder, version, changed))) return changed;
      await wait(randomInt(LONGEST_WAIT_MS));
    }
    throw new Error('A workflow could not be changed: others kept changing it.');
  }

  async get(owner: string, id: string): Promise<Workflow | undefined> {
    return isId(id) && (await this.#isThere()) ? (await newest(this.#folderOf(owner, id)))?.workflow : undefined;
  }

  /** The one that was changed last comes first. */
  async list(owner: string): Promise<Workflow[]> {
    if (!(await this.#isThere())) return [];
    const found = await sideBySide(await this.#ids(owner), MOST_AT_ONCE, (id) => this.get(owner, id));
    return found
      .filter((workflow) => workflow !== undefined)
      .sort((one, other) => compare(other.updated_at, one.updated_at) || compare(one.id, other.id));
  }

  async #makeReady(): Promise<void> {
    if (!this.#isClaimed) await this.#claim();
    this.#isClaimed = true;
  }

  /** To look makes no folder. */
  async #isThere(): Promise<boolean> {
    if (!this.#isClaimed && !existsSync(this.#folder)) return false;
    await this.#makeReady();
    return true;
  }

  /** The folder is made before it is counted: of many that are created at once none gets past the limit. */
  async #reserve(owner: string, name: string): Promise<string> {
    await makePrivateFolder(join(this.#folder, owner));
    const id = await this.#makeFolder(owner, name);
    if ((await this.#ids(owner)).length <= MOST_WORKFLOWS) return id;
    await this.#removeLeftBehind(owner);
    if ((await this.#ids(owner)).length <= MOST_WORKFLOWS) return id;
    await rmdir(this.#folderOf(owner, id));
    throw new TooManyWorkflows();
  }

  async #makeFolder(owner: string, name: string): Promise<string> {
    for (;;) {
      const id = newId(name);
      try {
        await mkdir(this.#folderOf(owner, id), { mode: 0o700 });
        return id;
      } catch (cause) {
        if (systemCode(cause) !== 'EEXIST') throw cause;
      }
    }
  }

  async #removeLeftBehind(owner: string): Promise<void> {
    await sideBySide(await this.#ids(owner), MOST_AT_ONCE, async (id) => {
      const folder = this.#folderOf(owner, id);
      if (await hasVersions(folder)) return;
      const stats = await stat(folder).catch(() => undefined);
      if (stats === undefined || Date.now() - stats.mtimeMs < LEFT_BEHIND_MS) return;
      await sweepDrafts(folder);
      // One that is not empty is in use.
      await rmdir(folder).catch(() => undefined);
    });
  }

  async #ids(owner: string): Promise<string[]> {
    const names = await readdir(join(this.#folder, owner)).catch((cause: unknown) => {
      if (systemCode(cause) !== 'ENOENT') throw cause;
      return [];
    });
    return names.filter(isId);
  }

  #folderOf(owner: string, id: string): string {
    return join(this.#folder, owner, id);
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
