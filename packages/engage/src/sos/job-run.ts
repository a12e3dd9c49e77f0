/** One job in the process that runs it: waits for its turn, runs sos, and writes down how far it is. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Archive } from './archive.js';
import type { Job } from './job-records.js';
import { type RunOptions, runSos } from './run.js';

export interface JobRunOptions extends Omit<RunOptions, 'onProgress'> {
  readonly job: Job;
  readonly isItsTurn: () => Promise<boolean>;
  /** When sos would be over at the latest if it began now. */
  readonly endsBy: () => number;
  /** Called with the record as it is now, one call after another. */
  readonly save: (job: Job) => Promise<void>;
}

export interface JobRun {
  /** Settles when all of it is over, and nothing is saved any more. */
  readonly archive: Promise<Archive>;
}

/** Progress is written, and told, at most twice a second. */
const SAVE_EVERY_MS = 500;
const LOOK_AGAIN_MS = 500;
/** How often one that waits says that it is still there. */
const SIGN_OF_LIFE_MS = 60_000;

/** Resolves once sos runs, or waits for others: what fails before is thrown here. */
export async function beginJob(options: JobRunOptions): Promise<JobRun> {
  const { job, signal, isItsTurn, endsBy } = options;
  const record = saved(job, options.save);

  async function launch(): Promise<{ readonly archive: Promise<Archive> }> {
    const run = await runSos({ ...options, onProgress: (progress) => record.update({ progress }) });
    record.update({ endsBy: endsBy(), ...(run.process !== undefined && { sos: run.process }) });
    // At once: if this process is killed, others must find sos.
    await record.flush();
    return run;
  }

  async function launchInTurn(): Promise<Archive> {
    for (let signs = job.endsBy; !(await isItsTurn()); ) {
      if (endsBy() - signs >= SIGN_OF_LIFE_MS) {
        signs = endsBy();
        record.update({ endsBy: signs });
      }
      await sleep(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
      signal.throwIfAborted();
    }
    return (await launch()).archive;
  }

  let archive: Promise<Archive>;
  if (await isItsTurn()) {
    archive = (await launch()).archive;
  } else {
    record.update({ progress: { done: 0, total: 0, message: 'Waiting for another sosreport on this machine to be done' } });
    await record.flush();
    archive = launchInTurn();
  }
  return { archive: archive.finally(() => record.stop()) };
}

/** A record that changes often and is written now and then, always the latest. */
function saved(first: Job, save: (job: Job) => Promise<void>) {
  let current = first;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const job = current;
    // How far it is may be missed once; the job itself goes on.
    writing = writing.then(() => save(job)).catch(() => undefined);
    return writing;
  }

  return {
    flush,
    update(change: Partial<Pick<Job, 'sos' | 'progress' | 'endsBy'>>): void {
      current = { ...current, ...change };
      timer ??= setTimeout(flush, SAVE_EVERY_MS);
    },
    stop(): Promise<void> {
      clearTimeout(timer);
      return writing;
    },
  };
}
