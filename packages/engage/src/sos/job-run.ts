/** One job in the process that runs it: waits in the queue, runs sos, and records its progress. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../failure.js';
import { type Archive, archiveNotFound, inspectArchive, isMasked } from './archive.js';
import { privilegeRequired, type SosCommand, type SosRequest, sosArguments } from './command.js';
import type { Job } from './job-records.js';
import { readSosOutput, type SosFindings, type SosProgress } from './output.js';
import { identify, type ProcessIdentity, safeEnvironment, terminateTree } from './processes.js';

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

export interface RunOptions {
  readonly command: SosCommand;
  readonly request: SosRequest;
  /** A private folder for this run only. */
  readonly folder: string;
  readonly timeoutMs: number;
  /** Ends the run; its reason is thrown. */
  readonly signal: AbortSignal;
  /** Aborted when this process is shutting down, so sos must end quickly. */
  readonly shutdown: AbortSignal;
  readonly onProgress: (progress: SosProgress) => void;
}

/** A descendant of sos may keep the output open; it is not waited for any longer. */
const OUTPUT_GRACE_MS = 2_000;

/** Resolves once sos is running; `archive` settles when the process and its descendants are gone. */
async function runSos(options: RunOptions) {
  const { command, request, folder, signal, onProgress } = options;
  signal.throwIfAborted();
  const child = spawn(command.program, [...command.before, ...sosArguments(request, folder)], {
    // sos imports Python modules from the working directory.
    cwd: '/',
    env: { ...safeEnvironment(), PYTHONUNBUFFERED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own session, so that all its processes can be found.
    detached: true,
  });
  // Throws if it cannot start; then there are no streams.
  await once(child, 'spawn');
  const output = readSosOutput(onProgress);
  const errors = readSosOutput(onProgress);
  child.stdout.on('data', output.push);
  child.stderr.on('data', errors.push);
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const closed = new Promise((resolve) => child.once('close', resolve));
  const self = child.pid === undefined ? undefined : await identify(child.pid);

  const archive = (async () => {
    const code = await exitOrTerminate(child, exit, self, options);
    await Promise.race([closed, sleep(OUTPUT_GRACE_MS, undefined, { ref: false, signal: options.shutdown }).catch(() => undefined)]);
    child.stdout.destroy();
    child.stderr.destroy();
    output.end();
    errors.end();
    return outcome(options, code, { ...errors.findings, ...output.findings });
  })();
  // Not an unhandled rejection before the caller awaits it.
  archive.catch(() => undefined);
  return { process: self, archive };
}

async function exitOrTerminate(
  child: ChildProcess,
  exit: Promise<number | null>,
  self: ProcessIdentity | undefined,
  { timeoutMs, signal, shutdown }: RunOptions,
): Promise<number | null> {
  const timeout = new AbortController();
  const stop = AbortSignal.any([signal, timeout.signal]);
  const timer = setTimeout(() => timeout.abort(timedOut(timeoutMs)), timeoutMs);
  const stopped = new Promise<'stopped'>((resolve) => {
    if (stop.aborted) resolve('stopped');
    stop.addEventListener('abort', () => resolve('stopped'), { once: true });
  });
  try {
    const first = await Promise.race([exit, stopped]);
    if (first !== 'stopped') return first;
    if (self !== undefined) await terminateTree(self, shutdown);
    // If it could not be terminated, it fails with its next write.
    child.stdout?.destroy();
    child.stderr?.destroy();
    throw stop.reason;
  } finally {
    clearTimeout(timer);
  }
}

async function outcome({ request, folder }: RunOptions, code: number | null, findings: SosFindings): Promise<Archive> {
  if (findings.archivePath === undefined) throw withoutArchive(request, code, findings);
  const archive = await inspectArchive(folder, findings.archivePath);
  if (request.redaction === true && !isMasked(archive)) {
    const action = 'Tell the person. Without redaction it can be generated again with a new consent.';
    throw new Failure('unexpected_error', 'sos could not mask names and addresses, so the archive was deleted.', action);
  }
  return archive;
}

function withoutArchive({ onlyPlugins, enablePlugins, disablePlugins }: SosRequest, code: number | null, findings: SosFindings): Failure {
  const change = 'Change the plugins, and generate it again with the same consent_token, or with a new one once it has expired.';
  const requested = [onlyPlugins, enablePlugins, disablePlugins].flatMap((names) => names ?? []);
  const unknown = requested.find((name) => name === findings.unknownPlugin);
  if (findings.needsRoot === true) return privilegeRequired();
  if (unknown !== undefined) return new Failure('validation_error', `sos has no plugin "${unknown}".`, change);
  if (findings.noPluginEnabled === true) return new Failure('validation_error', 'None of the plugins is enabled on this machine.', change);
  if (code === 0) return archiveNotFound();
  const how = code === null ? 'was killed' : `exited with code ${code}`;
  const action = 'Try again with a new consent; if it keeps failing, report it to the operator of this server.';
  return new Failure('unexpected_error', `sos ${how} without writing an archive.`, action);
}

function timedOut(timeoutMs: number): Failure {
  const action = 'Collect less with only_plugins or a smaller log_size; that requires a new consent.';
  return new Failure('timeout', `sos timed out after ${Math.max(1, Math.round(timeoutMs / 1000))} seconds and was terminated.`, action);
}
