/** Stores the workflows of all owners in files, safe for concurrent processes and crashes. */
import { randomBytes, randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseJson, systemCode } from 'footbridge/pack';
import { createPrivate, makePrivateFolder, sweepDrafts } from 'footbridge/state';
import * as z from 'zod/v4';
import { mapConcurrently } from '../async.js';
import { isWorkflowId, type NewWorkflow, newWorkflow, newWorkflowId, Workflow } from './record.js';

export const MAX_WORKFLOWS = 500;
const MAX_CONCURRENT_READS = 16;
/** Never reached in practice: each failed try is another writer's success, also when reading. */
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
      if ((await numbersIn(folder)).length > 0) return;
      const stats = await stat(folder).catch(() => undefined);
      if (stats === undefined || Date.now() - stats.mtimeMs < ORPHAN_AGE_MS) return;
      await sweepDrafts(folder);
      // Fails if it is not empty, and so in use.
      await rmdir(folder).catch(() => undefined);
    });
  }

  async #ids(owner: string): Promise<string[]> {
    const names = await readdir(join(this.#folder, owner)).catch(ignoreMissing);
    return (names ?? []).filter(isWorkflowId);
  }

  #folderOf(owner: string, id: string): string {
    return join(this.#folder, owner, id);
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Limits the number of changes between a writer's creating a version and its check. */
const MAX_REVISIONS = 100;
const VERSION = /^([1-9]\d{0,14})\.json$/;

const State = z.object({ revisions: z.array(z.string()), workflow: Workflow });

interface Version {
  /** The highest in the folder, even if it is unreadable: the next must be higher. */
  readonly number: number;
  readonly revisions: readonly string[];
  readonly workflow: Workflow;
}

/** The newest readable state. */
export async function readNewest(folder: string): Promise<Version | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const numbers = await numbersIn(folder);
    const highest = numbers[0];
    if (highest === undefined) return undefined;
    const found = await firstReadable(folder, numbers);
    if (found !== 'removed') return found === undefined ? undefined : { ...found, number: highest };
  }
  throw new Error('The workflow could not be read: it kept changing.');
}

/** Creates the next version; false if another writer was faster. */
export async function writeNext(folder: string, { number, revisions }: Omit<Version, 'workflow'>, workflow: Workflow): Promise<boolean> {
  const revision = randomBytes(6).toString('base64url');
  const state = State.parse({ revisions: [...revisions, revision].slice(-MAX_REVISIONS), workflow });
  const next = number + 1;
  const file = fileOf(folder, next);
  if (!(await createPrivate(file, JSON.stringify(state)))) return false;
  const top = await readNewest(folder);
  if (top !== undefined && top.number > next && !top.revisions.includes(revision)) {
    await rm(file, { force: true });
    return false;
  }
  await removeBefore(folder, number);
  return true;
}

async function removeBefore(folder: string, first: number): Promise<void> {
  for (const number of await numbersIn(folder)) if (number < first) await rm(fileOf(folder, number), { force: true });
  await sweepDrafts(folder);
}

/** `removed`: the list of versions is out of date. */
async function firstReadable(folder: string, numbers: readonly number[]): Promise<Omit<Version, 'number'> | 'removed' | undefined> {
  for (const number of numbers) {
    const text = await readFile(fileOf(folder, number), 'utf8').catch(ignoreMissing);
    if (text === undefined) return 'removed';
    const state = State.safeParse(parseJson(text));
    if (state.success) return state.data;
  }
  return undefined;
}

/** The highest first. */
async function numbersIn(folder: string): Promise<number[]> {
  const names = (await readdir(folder).catch(ignoreMissing)) ?? [];
  return names
    .flatMap((name) => VERSION.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => b - a);
}

function fileOf(folder: string, number: number): string {
  return join(folder, `${number}.json`);
}

function ignoreMissing(cause: unknown): undefined {
  const code = systemCode(cause);
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw cause;
}
