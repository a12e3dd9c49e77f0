/** What is written down of a job, for every process that shares the folder. */
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod/v4';
import { toFailure } from '../failure.js';
import { Records } from '../records.js';
import { elevated } from './elevated.js';
import { PLACE } from './place.js';

export const ARCHIVE_LIFE_MS = 24 * 60 * 60 * 1000;

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

/** Written by the process that runs the job, and by no other. */
const JOB = z.object({
  id: z.string(),
  owner: z.string(),
  startedAt: z.number(),
  /** Whose job it is to end it. */
  runner: PROCESS,
  place: PLACE,
  /** When it is over at the latest, for those who cannot see whether the runner is there. */
  endsBy: z.number(),
  sos: PROCESS.exactOptional(),
  progress: PROGRESS.exactOptional(),
});

/** Written once, by whoever is first to know how the job ended. */
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
export type JobFailure = Readonly<z.infer<typeof FAILURE>>;

export interface JobRecords {
  readonly jobs: Records<Job>;
  readonly ends: Records<JobEnd>;
  /** Where all jobs have their folders. */
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

export function failed(cause: unknown, finishedAt: number): JobEnd {
  const { code, message, action } = toFailure(cause);
  const known = CODE.safeParse(code);
  return { status: 'failed', finishedAt, failure: { code: known.success ? known.data : 'unexpected_error', message, action } };
}

/** Says whether it is gone. What sos leaves when it is ended may belong to root. */
export async function removeFolder(folder: string): Promise<boolean> {
  try {
    await rm(folder, { recursive: true, force: true });
    return true;
  } catch {
    return elevated('rm', ['-rf', '--', folder]);
  }
}
