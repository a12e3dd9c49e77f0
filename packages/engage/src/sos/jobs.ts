/** sosreport jobs, for all processes that share a state folder. Each job runs in the process that started it. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { makePrivateFolder } from 'footbridge/state';
import { Failure } from '../failure.js';
import type { References } from '../references.js';
import { type Archive, REGENERATE } from './archive.js';
import { findSos, type SosRequest, sosArguments } from './command.js';
import {
  ARCHIVE_TTL_MS,
  FETCH_SCOPE,
  failedEnd,
  isRunning,
  type Job,
  type JobEnd,
  JobQueue,
  type JobRecords,
  type JobState,
  jobState,
  openJobRecords,
  removeFolder,
  sweepJobs,
} from './job-records.js';
import { beginJob } from './job-run.js';
import type { SosProgress } from './output.js';
import { currentHost, identify, terminateTree, visibilityOf } from './processes.js';

/** Time a job may take beyond the timeout of sos. */
const SLACK_MS = 10 * 60 * 1000;
/** Jobs of other processes are polled. */
const POLL_MS = 250;

export interface JobsOptions {
  readonly stateFolder: string;
  readonly references: References;
  readonly timeoutMs: number;
  readonly now?: () => number;
  readonly log?: (text: string) => void;
}

export interface StartOptions {
  /** Advanced when the archive is fetched. */
  readonly sessionId?: string | undefined;
  /** Called if sos rejects the request and has collected nothing. */
  readonly onRejected?: (() => Promise<void>) | undefined;
}

export interface WaitOptions {
  readonly milliseconds: number;
  /** Cancels the job, not just the wait. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: SosProgress) => void) | undefined;
}

export class Jobs {
  readonly #options: JobsOptions;
  readonly #records: JobRecords;
  readonly #queue: JobQueue;
  readonly #now: () => number;
  readonly #running = new Map<string, { readonly controller: AbortController; readonly done: Promise<void> }>();
  readonly #starting = new Set<Promise<unknown>>();
  readonly #listeners = new Set<(jobId: string) => void>();
  readonly #closing = new AbortController();

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#records = openJobRecords(options.stateFolder);
    this.#queue = new JobQueue({ stateFolder: options.stateFolder, records: this.#records, isRunning: (job) => this.#isRunning(job) });
  }

  /** Resolves once sos runs or the job is queued. If it rejects, nothing was started and the consent can be given back. */
  start(owner: string, request: SosRequest, options: StartOptions = {}): Promise<JobState> {
    const started = this.#start(owner, request, options);
    this.#starting.add(started);
    const forget = () => this.#starting.delete(started);
    started.then(forget, forget);
    return started;
  }

  async #start(owner: string, request: SosRequest, options: StartOptions): Promise<JobState> {
    const id = randomUUID();
    const folder = this.#records.folderOf(id);
    sosArguments(request, folder);
    const command = await findSos();
    const runner = await identify(process.pid);
    if (runner === undefined) throw new Error('This process is not in the process table.');
    const endsBy = () => this.#now() + this.#options.timeoutMs + SLACK_MS;
    const job: Job = { id, owner, startedAt: this.#now(), runner, place: await currentHost(), endsBy: endsBy() };
    await this.#records.jobs.put(id, job);
    try {
      await makePrivateFolder(folder);
      const number = await this.#queue.enqueue(job);
      await this.#queue.assertOnlyJob(number, owner);
      const controller = new AbortController();
      const { archive } = await beginJob({
        job,
        command,
        request,
        folder,
        timeoutMs: this.#options.timeoutMs,
        signal: AbortSignal.any([controller.signal, this.#closing.signal]),
        shutdown: this.#closing.signal,
        endsBy,
        isFirst: () => this.#isFirst(number, id),
        save: (record) => this.#save(record),
      });
      const done = this.#finish(job, archive, options).catch((cause: unknown) => {
        this.#options.log?.(`The end of sosreport job ${id} could not be recorded: ${String(cause)}`);
      });
      this.#running.set(id, { controller, done });
    } catch (cause) {
      await removeFolder(folder);
      await this.#records.jobs.remove(id);
      throw cause;
    }
    return this.state(owner, id);
  }

  /** The same failure for an unknown job and another caller's. */
  async state(owner: string, jobId: string): Promise<JobState> {
    const job = await this.#records.jobs.get(jobId);
    if (job === undefined || job.owner !== owner) {
      const action = 'Pass the job_id that generate_sosreport returned; jobs are kept for 24 hours.';
      throw new Failure('validation_error', 'Job not found.', action);
    }
    await this.#isRunning(job);
    return jobState(job, await this.#records.ends.get(jobId));
  }

  /** Resolves when the job has ended, or after the given time. */
  async wait(owner: string, jobId: string, { milliseconds, signal, onProgress }: WaitOptions): Promise<JobState> {
    const deadline = Date.now() + milliseconds;
    for (let last: string | undefined; ; ) {
      const state = await this.state(owner, jobId);
      const progress = JSON.stringify(state.progress);
      if (state.progress !== undefined && progress !== last) onProgress?.(state.progress);
      last = progress;
      if (state.status !== 'running') return state;
      if (signal?.aborted) {
        await this.#cancel(jobId);
        return this.state(owner, jobId);
      }
      const left = deadline - Date.now();
      if (left <= 0) return state;
      await sleep(Math.min(left, POLL_MS), undefined, signal && { signal }).catch(() => undefined);
    }
  }

  /** Listens for changes of jobs that run in this process. Returns how to stop. */
  onUpdate(listener: (jobId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends jobs whose process is gone, and removes expired ones. Call at startup and regularly. */
  async recover(): Promise<void> {
    for (const job of (await this.#records.jobs.all()).values()) await this.#isRunning(job);
    await this.sweep();
  }

  async sweep(): Promise<void> {
    await sweepJobs(this.#records, this.#now());
    await this.#queue.sweep();
  }

  /** Terminates all jobs of this process. */
  async close(): Promise<void> {
    this.#closing.abort(new Failure('unexpected_error', 'The server was stopped while sos ran.', REGENERATE));
    await Promise.allSettled(this.#starting);
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done));
  }

  async #finish(job: Job, archive: Promise<Archive>, { onRejected, sessionId }: StartOptions): Promise<void> {
    try {
      const found = await archive;
      if (await this.#records.ends.create(job.id, this.#completed(job, found, sessionId))) return;
      await this.#discard(job.id);
    } catch (cause) {
      // First, since a full disk may be the cause.
      await this.#discard(job.id);
      if (cause instanceof Failure && cause.code === 'validation_error') await onRejected?.().catch(() => undefined);
      await this.#records.ends.create(job.id, failedEnd(cause, this.#now()));
    } finally {
      this.#running.delete(job.id);
      this.#notify(job.id);
    }
  }

  async #discard(jobId: string): Promise<void> {
    const folder = this.#records.folderOf(jobId);
    if (!(await removeFolder(folder))) this.#options.log?.(`Files of root in ${folder} could not be removed.`);
  }

  #completed({ id, owner }: Job, { name, sizeBytes }: Archive, sessionId: string | undefined): JobEnd {
    const finishedAt = this.#now();
    const claims = { owner, job: id, ...(sessionId !== undefined && { session: sessionId }) };
    const fetchReference = this.#options.references.issue(FETCH_SCOPE, claims, finishedAt + ARCHIVE_TTL_MS);
    return { status: 'completed', finishedAt, archiveName: name, sizeBytes, fetchReference };
  }

  async #cancel(jobId: string): Promise<void> {
    const cancelled = new Failure('unexpected_error', 'The job was cancelled.', REGENERATE);
    const running = this.#running.get(jobId);
    if (running !== undefined) {
      running.controller.abort(cancelled);
      return running.done;
    }
    await this.#records.ends.create(jobId, failedEnd(cancelled, this.#now()));
    const job = await this.#records.jobs.get(jobId);
    if (job?.sos !== undefined && (await visibilityOf(job.place)) === 'visible') await terminateTree(job.sos);
  }

  async #isFirst(number: number, jobId: string): Promise<boolean> {
    if ((await this.#records.ends.get(jobId)) !== undefined) throw new Error('The job was cancelled while it was queued.');
    return this.#queue.isFirst(number);
  }

  #isRunning(job: Job): Promise<boolean> {
    return isRunning(this.#records, job, this.#now);
  }

  async #save(job: Job): Promise<void> {
    await this.#records.jobs.put(job.id, job);
    this.#notify(job.id);
  }

  #notify(jobId: string): void {
    for (const listener of this.#listeners) listener(jobId);
  }
}
