/** A job as its owner sees it. */
import type { Job, JobEnd, JobFailure } from './job-records.js';
import type { Progress } from './output.js';

export interface JobState {
  readonly jobId: string;
  readonly status: 'running' | 'completed' | 'failed';
  readonly startedAt: number;
  readonly finishedAt?: number;
  readonly progress?: Progress;
  readonly archiveName?: string;
  readonly sizeBytes?: number;
  /** For fetch_sosreport; as long as the archive lives. */
  readonly fetchReference?: string;
  readonly failure?: JobFailure;
}

export function stateOf({ id, startedAt, progress }: Job, end: JobEnd | undefined): JobState {
  const begun = { jobId: id, startedAt, progress };
  return end === undefined ? { ...begun, status: 'running' } : { ...begun, ...end };
}
