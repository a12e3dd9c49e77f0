/**
 * The folder of one workflow: each file `<version>.json` is a complete state, and the highest version is current.
 *
 * Only one of several concurrent writers can create the next version. Versions before the newest two are removed, which frees their
 * names: a slow writer may then create a version that no one reads. Therefore each state lists the revisions that led to it, and a
 * writer whose version is not the highest checks whether it is listed. Once version n + 2 exists, there is always one higher than n, so
 * the highest version is always part of the history.
 */
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson, systemCode } from 'footbridge/pack';
import { createPrivate, sweepDrafts } from 'footbridge/state';
import * as z from 'zod/v4';
import { Workflow } from './record.js';

/** Limits the number of changes between a writer's creating a version and its check. */
const MAX_REVISIONS = 100;
const VERSION = /^([1-9]\d{0,14})\.json$/;
const MAX_TRIES = 1_000;

const State = z.object({ revisions: z.array(z.string()), workflow: Workflow });

export interface Version {
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

export async function hasVersions(folder: string): Promise<boolean> {
  return (await numbersIn(folder)).length > 0;
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
