/** One job in the process that runs it: waits in the queue, runs sos, and records its progress. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Archive } from './archive.js';
import type { Job } from './job-records.js';
import { type RunOptions, runSos } from './sos-process.js';

export interface JobRunOptions extends Omit<RunOptions, 'onProgress'> {
  readonly job: Job;
  readonly isFirst: () => Promise<boolean>;
  /** The latest time sos would end if it started now. */
  readonly endsBy: () => number;
  /** Calls do not overlap. */
  readonly save: (job: Job) => Promise<void>;
}

const SAVE_INTERVAL_MS = 500;
const POLL_MS = 500;
/** How often a queued job renews its `endsBy`. */
const RENEW_MS = 60_000;

/**
 * Resolves once sos runs or the job is queued; earlier errors are thrown. `archive` settles when everything has ended and
 * nothing more is saved.
 */
export async function beginJob(options: JobRunOptions): Promise<{ readonly archive: Promise<Archive> }> {
  const { job, signal, isFirst, endsBy } = options;
  const record = throttledRecord(job, options.save);

  async function launch(): Promise<{ readonly archive: Promise<Archive> }> {
    const run = await runSos({ ...options, onProgress: (progress) => record.update({ progress }) });
    record.update({ endsBy: endsBy(), ...(run.process && { sos: run.process }) });
    // At once: if this process is killed, others must find sos.
    await record.flush();
    return run;
  }

  async function launchWhenFirst(): Promise<Archive> {
    for (let renewed = job.endsBy; !(await isFirst()); ) {
      if (endsBy() - renewed >= RENEW_MS) {
        renewed = endsBy();
        record.update({ endsBy: renewed });
      }
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
      signal.throwIfAborted();
    }
    return (await launch()).archive;
  }

  let archive: Promise<Archive>;
  if (await isFirst()) {
    archive = (await launch()).archive;
  } else {
    record.update({ progress: { done: 0, total: 0, message: 'Waiting for another sosreport on this machine' } });
    await record.flush();
    archive = launchWhenFirst();
  }
  return { archive: archive.finally(() => record.stop()) };
}

function throttledRecord(first: Job, save: (job: Job) => Promise<void>) {
  let current = first;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const job = current;
    // Failing to save progress does not fail the job.
    writing = writing.then(() => save(job)).catch(() => undefined);
    return writing;
  }

  return {
    flush,
    update(change: Partial<Pick<Job, 'sos' | 'progress' | 'endsBy'>>): void {
      current = { ...current, ...change };
      timer ??= setTimeout(flush, SAVE_INTERVAL_MS);
    },
    stop(): Promise<void> {
      clearTimeout(timer);
      return writing;
    },
  };
}
