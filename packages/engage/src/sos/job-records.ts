/** Records of jobs, shared by all processes with the same state folder, and the recovery and removal of jobs. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod/v4';
import { Failure, toFailure } from '../failure.js';
import { Records } from '../records.js';
import { REGENERATE } from './archive.js';
import type { SosProgress } from './output.js';
import { findByArgument, isAlive, PROCESS_HOST, runAsRoot, terminateTree, visibilityOf } from './processes.js';

export const ARCHIVE_TTL_MS = 24 * 60 * 60 * 1000;
export const FETCH_SCOPE = 'sosreport:fetch';

const PROCESS = z.object({ pid: z.number(), started: z.string() });
const PROGRESS = z.object({ done: z.number(), total: z.number(), message: z.string() });
const CODE = z.enum([
  'dependency_missing',
  'privilege_required',
  'timeout',
  'archive_not_found',
  'path_unsafe',
  'validation_error',
  'unexpected_error',
]);
const FAILURE = z.object({ code: CODE, message: z.string(), action: z.string() });

/** Written by the process that runs the job only. */
const JOB = z.object({
  id: z.string(),
  owner: z.string(),
  startedAt: z.number(),
  /** The process that runs the job. */
  runner: PROCESS,
  place: PROCESS_HOST,
  /** The latest time the job can end, for processes that cannot see the runner. */
  endsBy: z.number(),
  sos: PROCESS.exactOptional(),
  progress: PROGRESS.exactOptional(),
});

/** Created once, by the first process that knows how the job ended. */
const END = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('completed'),
    finishedAt: z.number(),
    archiveName: z.string(),
    sizeBytes: z.number(),
    fetchReference: z.string(),
  }),
  z.object({ status: z.literal('failed'), finishedAt: z.number(), failure: FAILURE }),
]);

export type Job = Readonly<z.infer<typeof JOB>>;
export type JobEnd = Readonly<z.infer<typeof END>>;

/** A job as its owner sees it. */
export interface JobState {
  readonly jobId: string;
  readonly status: 'running' | 'completed' | 'failed';
  readonly startedAt: number;
  readonly finishedAt?: number;
  readonly progress?: SosProgress | undefined;
  readonly archiveName?: string;
  readonly sizeBytes?: number;
  /** For fetch_sosreport, until the archive expires. */
  readonly fetchReference?: string;
  readonly failure?: Readonly<z.infer<typeof FAILURE>>;
}

export function jobState({ id, startedAt, progress }: Job, end: JobEnd | undefined): JobState {
  const begun = { jobId: id, startedAt, progress };
  return end === undefined ? { ...begun, status: 'running' } : { ...begun, ...end };
}

export interface JobRecords {
  readonly jobs: Records<Job>;
  readonly ends: Records<JobEnd>;
  /** The parent of the jobs' folders. */
  readonly root: string;
  folderOf(jobId: string): string;
}

export function openJobRecords(stateFolder: string): JobRecords {
  const root = resolve(stateFolder, 'jobs');
  return {
    jobs: new Records(join(stateFolder, 'job-starts'), JOB),
    ends: new Records(join(stateFolder, 'job-ends'), END),
    root,
    folderOf: (jobId) => join(root, jobId),
  };
}

export function failedEnd(cause: unknown, finishedAt: number): JobEnd {
  const { code, message, action } = toFailure(cause);
  return { status: 'failed', finishedAt, failure: { code: CODE.safeParse(code).data ?? 'unexpected_error', message, action } };
}

/** Resolves with whether it is gone. A terminated sos may leave files of root. */
export async function removeFolder(folder: string): Promise<boolean> {
  try {
    await rm(folder, { recursive: true, force: true });
    return true;
  } catch {
    return runAsRoot('rm', ['-rf', '--', folder]);
  }
}

/**
 * Whether a job is still running. If its runner is gone, the job is ended and its sos terminated. A runner that cannot be
 * seen from here is assumed to run until `endsBy`.
 */
export async function isRunning(records: JobRecords, job: Job, now: () => number): Promise<boolean> {
  if ((await records.ends.get(job.id)) !== undefined) return false;
  const visibility = await visibilityOf(job.place);
  if (visibility === 'hidden' ? now() < job.endsBy : visibility === 'visible' && (await isAlive(job.runner))) return true;
  // The runner may have recorded the end just before it exited.
  if ((await records.ends.get(job.id)) !== undefined) return false;
  const folder = records.folderOf(job.id);
  if (visibility === 'visible')
    for (const sos of job.sos === undefined ? await findByArgument(folder) : [job.sos]) await terminateTree(sos);
  const lost = new Failure('unexpected_error', 'The server was restarted while sos ran, so the job was lost.', REGENERATE);
  if (await records.ends.create(job.id, failedEnd(lost, now()))) await removeFolder(folder);
  return false;
}

/** Removes expired jobs with their archives, and orphaned folders. */
export async function sweepJobs(records: JobRecords, now: number): Promise<void> {
  for (const [id, end] of await records.ends.all()) {
    const isExpired = end.finishedAt + ARCHIVE_TTL_MS <= now;
    const hasArchive = end.status === 'completed' && !isExpired;
    // Also of failed jobs: the process that ended one may have been killed before it removed the folder.
    if (hasArchive || !(await removeFolder(records.folderOf(id))) || !isExpired) continue;
    // The end goes last: without it the job would look lost.
    await records.jobs.remove(id);
    await records.ends.remove(id);
  }
  await removeUnknownFolders(records.root, async (name) => (await records.jobs.get(name)) !== undefined, now);
  await records.jobs.sweep(() => false);
  await records.ends.sweep(() => false);
}

/** Removes old folders without a record, left behind by a process that was killed. */
export async function removeUnknownFolders(root: string, isKnown: (name: string) => Promise<boolean>, now: number): Promise<void> {
  for (const entry of await readdir(root, { withFileTypes: true }).catch(() => [])) {
    if (!entry.isDirectory() || (await isKnown(entry.name))) continue;
    const stats = await stat(join(root, entry.name)).catch(() => undefined);
    if (stats !== undefined && stats.mtimeMs + ARCHIVE_TTL_MS <= now) await removeFolder(join(root, entry.name));
  }
}

const TICKET = z.object({ job: z.string(), owner: z.string() });
type Ticket = z.infer<typeof TICKET>;

interface JobQueueOptions {
  readonly stateFolder: string;
  readonly records: JobRecords;
  readonly isRunning: (job: Job) => Promise<boolean>;
}

export class JobQueue {
  readonly #tickets: Records<Ticket>;
  readonly #records: JobRecords;
  readonly #isRunning: (job: Job) => Promise<boolean>;

  constructor({ stateFolder, records, isRunning }: JobQueueOptions) {
    this.#tickets = new Records(join(stateFolder, 'job-turns'), TICKET);
    this.#records = records;
    this.#isRunning = isRunning;
  }

  /** Assigns the next number to a recorded job. Numbers only increase and are unique, so that all processes see the same order. */
  async enqueue(job: Job): Promise<number> {
    for (;;) {
      const next = Math.max(0, ...(await this.#numbers()).keys()) + 1;
      if (await this.#tickets.create(String(next), { job: job.id, owner: job.owner })) return next;
    }
  }

  /** Throws if the owner has another job before this one. */
  async assertOnlyJob(number: number, owner: string): Promise<void> {
    const other = await this.#findBefore(number, (ticket) => ticket.owner === owner);
    if (other === undefined) return;
    const action = `Do not start another one; call get_generate_sosreport_status with job_id "${other}".`;
    throw new Failure('validation_error', 'An sosreport is already being generated.', action, { job_id: other });
  }

  async isFirst(number: number): Promise<boolean> {
    return (await this.#findBefore(number, () => true)) === undefined;
  }

  /** Removes the numbers of removed jobs, except the highest, so that none is reused. */
  async sweep(): Promise<void> {
    const numbers = await this.#numbers();
    const highest = Math.max(0, ...numbers.keys());
    for (const [number, { job }] of numbers) {
      if (number !== highest && (await this.#records.jobs.get(job)) === undefined) await this.#tickets.remove(String(number));
    }
    await this.#tickets.sweep(() => false);
  }

  async #findBefore(number: number, matches: (ticket: Ticket) => boolean): Promise<string | undefined> {
    for (const [earlier, ticket] of await this.#numbers()) {
      if (earlier >= number || !matches(ticket)) continue;
      const job = await this.#records.jobs.get(ticket.job);
      if (job !== undefined && (await this.#isRunning(job))) return job.id;
    }
    return undefined;
  }

  async #numbers(): Promise<ReadonlyMap<number, Ticket>> {
    return new Map([...(await this.#tickets.all())].map(([id, ticket]) => [Number(id), ticket]));
  }
}
