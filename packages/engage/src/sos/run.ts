/** One run of the real sos, from its start to an archive that was checked. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../failure.js';
import { type Archive, archiveNotFound, inspectArchive, isMasked } from './archive.js';
import { type SosRequest, sosArguments } from './arguments.js';
import { privilegeRequired, type SosCommand } from './command.js';
import { safeEnvironment } from './elevated.js';
import { type Progress, readSosOutput, type SosFindings } from './output.js';
import { endAll, identify, type ProcessIdentity } from './processes.js';

export interface RunOptions {
  readonly command: SosCommand;
  readonly request: SosRequest;
  /** Private, and for this run alone. */
  readonly folder: string;
  readonly timeoutMs: number;
  /** Its reason is the failure that the run ends with. */
  readonly signal: AbortSignal;
  /** Says that this process has to end, and sos with it, soon. */
  readonly hurry: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

export interface SosRun {
  readonly process: ProcessIdentity | undefined;
  /** Settles when the process and all that it started are gone. */
  readonly archive: Promise<Archive>;
}

/** What has the output open may outlive sos; it is not waited for longer than this. */
const OUTPUT_GRACE_MS = 2_000;

/** Resolves once sos runs. */
export async function runSos(options: RunOptions): Promise<SosRun> {
  const { command, request, folder, signal, onProgress } = options;
  signal.throwIfAborted();
  const child = spawn(command.program, [...command.before, ...sosArguments(request, folder)], {
    // sos loads modules from where it is started.
    cwd: '/',
    env: { ...safeEnvironment(), PYTHONUNBUFFERED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A session of its own, so that all of it can be found and ended.
    detached: true,
  });
  // Where it cannot start there may be no output to listen to.
  await once(child, 'spawn');
  const said = readSosOutput(onProgress);
  const complained = readSosOutput(onProgress);
  child.stdout.on('data', said.push);
  child.stderr.on('data', complained.push);
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const closed = new Promise((resolve) => child.once('close', resolve));
  const self = child.pid === undefined ? undefined : await identify(child.pid);

  const archive = (async () => {
    const code = await exitOrEnd(child, exit, self, options);
    await Promise.race([closed, sleep(OUTPUT_GRACE_MS, undefined, { ref: false, signal: options.hurry }).catch(() => undefined)]);
    child.stdout.destroy();
    child.stderr.destroy();
    said.end();
    complained.end();
    return outcome(options, code, { ...complained.findings, ...said.findings });
  })();
  // Whoever awaits it sees the failure; until someone does it is not an unhandled one.
  archive.catch(() => undefined);
  return { process: self, archive };
}

async function exitOrEnd(
  child: ChildProcess,
  exit: Promise<number | null>,
  self: ProcessIdentity | undefined,
  { timeoutMs, signal, hurry }: RunOptions,
): Promise<number | null> {
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  const timer = setTimeout(() => over.abort(timedOut(timeoutMs)), timeoutMs);
  const stopped = new Promise<'stopped'>((resolve) => {
    if (stop.aborted) resolve('stopped');
    stop.addEventListener('abort', () => resolve('stopped'), { once: true });
  });
  try {
    const first = await Promise.race([exit, stopped]);
    if (first !== 'stopped') return first;
    if (self !== undefined) await endAll(self, hurry);
    // Where that was not allowed, it ends when it next has something to say.
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
    throw new Failure(
      'unexpected_error',
      'sos could not mask names and addresses, and what it collected was removed.',
      'Tell the person; without redaction it can be generated with a new consent.',
    );
  }
  return archive;
}

function withoutArchive({ onlyPlugins, enablePlugins, disablePlugins }: SosRequest, code: number | null, findings: SosFindings): Failure {
  const change = 'Change the plugins, and generate it anew with the same consent_token; a new consent is needed once that has expired.';
  const asked = [onlyPlugins, enablePlugins, disablePlugins].flatMap((names) => names ?? []);
  const unknown = asked.find((name) => name === findings.unknownPlugin);
  if (findings.needsRoot === true) return privilegeRequired();
  if (unknown !== undefined) return new Failure('validation_error', `sos has no plugin "${unknown}".`, change);
  if (findings.noPluginEnabled === true) return new Failure('validation_error', 'None of these plugins applies to this machine.', change);
  if (code === 0) return archiveNotFound();
  const how = code === null ? 'was ended from outside' : `ended with exit code ${code}`;
  return new Failure(
    'unexpected_error',
    `sos ${how} and left no archive.`,
    'Try once more with a new consent; then tell whoever runs this server.',
  );
}

function timedOut(timeoutMs: number): Failure {
  return new Failure(
    'timeout',
    `sos was not done within ${Math.max(1, Math.round(timeoutMs / 1000))} seconds, and was ended.`,
    'Collect less with only_plugins or a smaller log_size; that needs a new consent.',
  );
}
