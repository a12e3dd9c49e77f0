/**
 * One workflow's folder: each file in it, `<version>.json`, is a whole state, and the highest counts.
 *
 * A change makes the next version, which only one of several writers can. What is behind the newest and its predecessor is removed, and
 * with that a name is free again: a slow writer may then make a version which nobody will see. So every state lists the revisions
 * that led to it, and a writer whose version is not the highest looks itself up in there. From the moment that version n + 2 is there,
 * a higher one than n always is, so to be the highest is to be part of the history.
 */
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson, systemCode } from 'footbridge/pack';
import { createPrivate, sweepDrafts } from 'footbridge/state';
import * as z from 'zod/v4';
import { Workflow } from './record.js';

/** So many changes may happen between a writer's making a version and its looking itself up. */
const MOST_REVISIONS = 100;
const VERSION = /^([1-9]\d{0,14})\.json$/;
/** Whoever reads that often and always misses reads a folder that is broken. */
const MOST_TRIES = 1_000;

const Kept = z.object({ revisions: z.array(z.string()), workflow: Workflow });

export interface Version {
  /** The highest there is, even where that cannot be read: the next has to be higher. */
  readonly number: number;
  readonly revisions: readonly string[];
  readonly workflow: Workflow;
}

/** The newest state that can be read, or undefined where there is none. */
export async function newest(folder: string): Promise<Version | undefined> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const numbers = await numbersIn(folder);
    const highest = numbers[0];
    if (highest === undefined) return undefined;
    const found = await firstReadable(folder, numbers);
    if (found !== 'removed') return found === undefined ? undefined : { ...found, number: highest };
  }
  throw new Error('The state of a workflow could not be read: it kept changing.');
}

/** Makes the next version. False: another writer was faster, and it has to be tried again from the newest. */
export async function succeed(folder: string, { number, revisions }: Omit<Version, 'workflow'>, workflow: Workflow): Promise<boolean> {
  const revision = randomBytes(6).toString('base64url');
  const kept = Kept.parse({ revisions: [...revisions, revision].slice(-MOST_REVISIONS), workflow });
  const next = number + 1;
  const file = fileOf(folder, next);
  if (!(await createPrivate(file, JSON.stringify(kept)))) return false;
  const top = await newest(folder);
  if (top !== undefined && top.number > next && !top.revisions.includes(revision)) {
    await rm(file, { force: true });
    return false;
  }
  await removeBefore(folder, number);
  return true;
}

/** Whether there is any state in it. */
export async function hasVersions(folder: string): Promise<boolean> {
  return (await numbersIn(folder)).length > 0;
}

async function removeBefore(folder: string, first: number): Promise<void> {
  for (const number of await numbersIn(folder)) if (number < first) await rm(fileOf(folder, number), { force: true });
  await sweepDrafts(folder);
}

/** `removed`: others went on so far meanwhile that the list of versions is out of date. */
async function firstReadable(folder: string, numbers: readonly number[]): Promise<Omit<Version, 'number'> | 'removed' | undefined> {
  for (const number of numbers) {
    const text = await readFile(fileOf(folder, number), 'utf8').catch(absent);
    if (text === undefined) return 'removed';
    const kept = Kept.safeParse(parseJson(text));
    if (kept.success) return kept.data;
  }
  return undefined;
}

/** The highest first. */
async function numbersIn(folder: string): Promise<number[]> {
  const names = (await readdir(folder).catch(absent)) ?? [];
  return names
    .flatMap((name) => VERSION.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((one, other) => other - one);
}

function fileOf(folder: string, number: number): string {
  return join(folder, `${number}.json`);
}

function absent(cause: unknown): undefined {
  const code = systemCode(cause);
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw cause;
}
