/** Jobs that generate an sosreport, for all processes that share a folder. Each runs in the process that started it. */
import { randomUUID } from 'node:crypto';
import { makePrivateFolder } from 'footbridge/state';
import { Failure } from '../failure.js';
import type { References } from '../references.js';
import type { Archive } from './archive.js';
import { type SosRequest, sosArguments } from './arguments.js';
import { findSos } from './command.js';
import { calledOff, noSuchJob, serverStopped } from './job-failures.js';
import { ARCHIVE_LIFE_MS, failed, type Job, type JobEnd, type JobRecords, openJobRecords, removeFolder } from './job-records.js';
import { beginJob } from './job-run.js';
import { type JobState, stateOf } from './job-state.js';
import { type WaitOptions, waitForEnd } from './job-wait.js';
import { ownPlace, viewOf } from './place.js';
import { endAll, identify } from './processes.js';
import { Turns } from './turns.js';
import { isUnderWay, sweepJobs } from './upkeep.js';

export const FETCH_SCOPE = 'sosreport:fetch';

/** What a job may take beyond the time limit of its sos. */
const SLACK_MS = 10 * 60 * 1000;

export interface JobsOptions {
  readonly stateFolder: string;
  readonly references: References;
  readonly timeoutMs: number;
  readonly now?: () => number;
  readonly log?: (text: string) => void;
}

interface Running {
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

export class Jobs {
  readonly #options: JobsOptions;
  readonly #records: JobRecords;
  readonly #turns: Turns;
  readonly #now: () => number;
  readonly #running = new Map<string, Running>();
  readonly #starting = new Set<Promise<unknown>>();
  readonly #listeners = new Set<(jobId: string) => void>();
  readonly #closing = new AbortController();

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#records = openJobRecords(options.stateFolder);
    this.#turns = new Turns({ stateFolder: options.stateFolder, records: this.#records, isUnderWay: (job) => this.#isUnderWay(job) });
  }

  /**
   * Resolves once sos runs or waits for its turn; when this rejects nothing was started, and the consent can be given
   * back. Fetching the archive moves the session on. `refused` is called when sos turns out not to do what is asked, and
   * has collected nothing.
   */
  start(owner: string, request: SosRequest, sessionId?: string, refused?: () => Promise<void>): Promise<JobState> {
    const started = this.#start(owner, request, sessionId, refused);
    this.#starting.add(started);
    const forget = () => this.#starting.delete(started);
    started.then(forget, forget);
    return started;
  }

  async #start(
    owner: string,
    request: SosRequest,
    sessionId: string | undefined,
    refused: (() => Promise<void>) | undefined,
  ): Promise<JobState> {
    const id = randomUUID();
    const folder = this.#records.folderOf(id);
    sosArguments(request, folder);
    const command = await findSos();
    const runner = await identify(process.pid);
    if (runner === undefined) throw new Error('this process cannot be found among those that run');
    const endsBy = () => this.#now() + this.#options.timeoutMs + SLACK_MS;
    const job: Job = { id, owner, startedAt: this.#now(), runner, place: await ownPlace(), endsBy: endsBy() };
    await this.#records.jobs.put(id, job);
    try {
      await makePrivateFolder(folder);
      const number = await this.#turns.draw(job);
      await this.#turns.assertOnlyOne(number, owner);
      const controller = new AbortController();
      const { archive } = await beginJob({
        job,
        command,
        request,
        folder,
        timeoutMs: this.#options.timeoutMs,
        signal: AbortSignal.any([controller.signal, this.#closing.signal]),
        hurry: this.#closing.signal,
        endsBy,
        isItsTurn: () => this.#isItsTurn(number, id),
        save: (record) => this.#save(record),
      });
      const done = this.#follow(job, archive, sessionId, refused).catch((cause: unknown) => {
        this.#options.log?.(`How the sosreport job ${id} ended could not be written down: ${String(cause)}`);
      });
      this.#running.set(id, { controller, done });
    } catch (cause) {
      await removeFolder(folder);
      await this.#records.jobs.remove(id);
      throw cause;
    }
    return this.state(owner, id);
  }

  async state(owner: string, jobId: string): Promise<JobState> {
    const job = await this.#records.jobs.get(jobId);
    if (job === undefined || job.owner !== owner) throw noSuchJob();
    await this.#isUnderWay(job);
    return stateOf(job, await this.#records.ends.get(jobId));
  }

  /** Resolves with the job's state when it ended, or the time is over. */
  wait(owner: string, jobId: string, options: WaitOptions): Promise<JobState> {
    return waitForEnd(
      () => this.state(owner, jobId),
      () => this.#callOff(jobId),
      options,
    );
  }

  /** Tells of each change of a job that runs in this process. Returns how to stop that. */
  onUpdate(listener: (jobId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** For the start of a process, and now and then: ends jobs that were lost with another, and forgets old ones. */
  async recover(): Promise<void> {
    for (const job of (await this.#records.jobs.all()).values()) await this.#isUnderWay(job);
    await this.sweep();
  }

  async sweep(): Promise<void> {
    await sweepJobs(this.#records, this.#now());
    await this.#turns.sweep();
  }

  /** Ends what runs here, in a hurry; resolves when all of it is gone. */
  async close(): Promise<void> {
    this.#closing.abort(serverStopped());
    await Promise.allSettled(this.#starting);
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done));
  }

  async #follow(
    job: Job,
    archive: Promise<Archive>,
    sessionId: string | undefined,
    refused: (() => Promise<void>) | undefined,
  ): Promise<void> {
    try {
      const found = await archive;
      if (await this.#records.ends.create(job.id, this.#completed(job, found, sessionId))) return;
      await this.#discard(job.id);
    } catch (cause) {
      // First make room: a full disk may be why.
      await this.#discard(job.id);
      if (cause instanceof Failure && cause.code === 'validation_error') await refused?.().catch(() => undefined);
      await this.#records.ends.create(job.id, failed(cause, this.#now()));
    } finally {
      this.#running.delete(job.id);
      this.#tell(job.id);
    }
  }

  async #discard(jobId: string): Promise<void> {
    const folder = this.#records.folderOf(jobId);
    if (!(await removeFolder(folder))) this.#options.log?.(`What sos left in ${folder} belongs to root and could not be removed.`);
  }

  #completed({ id, owner }: Job, { name, sizeBytes }: Archive, sessionId: string | undefined): JobEnd {
    const finishedAt = this.#now();
    const claims = { owner, job: id, ...(sessionId !== undefined && { session: sessionId }) };
    const fetchReference = this.#options.references.issue(FETCH_SCOPE, claims, finishedAt + ARCHIVE_LIFE_MS);
    return { status: 'completed', finishedAt, archiveName: name, sizeBytes, fetchReference };
  }

  async #callOff(jobId: string): Promise<void> {
    const running = this.#running.get(jobId);
    if (running !== undefined) {
      running.controller.abort(calledOff());
      return running.done;
    }
    // Another process runs it, and finds it ended.
    await this.#records.ends.create(jobId, failed(calledOff(), this.#now()));
    const job = await this.#records.jobs.get(jobId);
    if (job?.sos !== undefined && (await viewOf(job.place)) === 'visible') await endAll(job.sos);
  }

  async #isItsTurn(number: number, jobId: string): Promise<boolean> {
    if ((await this.#records.ends.get(jobId)) !== undefined) throw new Error('the job was called off while it waited');
    return this.#turns.isFirst(number);
  }

  #isUnderWay(job: Job): Promise<boolean> {
    return isUnderWay(this.#records, job, this.#now);
  }

  async #save(job: Job): Promise<void> {
    await this.#records.jobs.put(job.id, job);
    this.#tell(job.id);
  }

  #tell(jobId: string): void {
    for (const listener of this.#listeners) listener(jobId);
  }
}
