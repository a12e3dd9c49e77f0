/** Updates the sources of a server once a day, in a process of its own. */
import { spawn } from 'node:child_process';
import type { Log } from '../../log.js';
import { loadConfig } from '../config/load.js';
import { ConfigError } from '../config/problems.js';
import type { Surroundings } from '../io.js';
import { type Program, thisProgram } from '../this-program.js';
import { trustNotice } from '../trust/notice.js';

export interface DailyUpdateOptions {
  /** The configuration, as it was found or named. */
  readonly file: string;
  /** Whether it was found in the working folder. Then it is updated while it is trusted, and by a command that checks that too. */
  readonly isDiscovered: boolean;
  readonly io: Pick<Surroundings, 'cwd' | 'env' | 'home'>;
  readonly log: Log;
  /** Defaults: soon after the start, then every day. */
  readonly firstMs?: number;
  readonly everyMs?: number;
  readonly program?: Pick<Program, 'file' | 'node'>;
}

const FIRST_MS = 60_000;
const DAY_MS = 24 * 3600 * 1000;
const LONGEST_OUTPUT = 64 * 1024;

/** Returns a function that stops it. What is refused is logged, and stays as it was. The server reads the new lock by itself. */
export function updateDaily({
  everyMs = DAY_MS,
  file,
  firstMs = FIRST_MS,
  io,
  isDiscovered,
  log,
  program = thisProgram(),
}: DailyUpdateOptions): () => void {
  const stop = new AbortController();
  let isRunning = false;
  const update = async () => {
    // One that takes longer than a day is not started twice.
    if (isRunning) return;
    isRunning = true;
    const args = ['update', '--yes', ...(isDiscovered ? [] : ['--config', file])];
    const isWanted = await mayUpdate(file, isDiscovered, io, log);
    const { code, output } = isWanted ? await run(program, args, io, stop.signal) : NOT_RUN;
    isRunning = false;
    if (!isWanted) return;
    if (stop.signal.aborted) return;
    if (code === 0) log.info(`sources updated: ${output}`);
    else log.warn(`Sources could not be updated, and stay as they were: ${output}`);
  };
  const first = setTimeout(update, firstMs).unref();
  const interval = setInterval(update, everyMs).unref();
  return () => {
    clearTimeout(first);
    clearInterval(interval);
    stop.abort();
  };
}

const NOT_RUN = { code: null, output: '' } as const;

/** The file may have changed since the server started. */
async function mayUpdate(file: string, isDiscovered: boolean, io: DailyUpdateOptions['io'], log: Log): Promise<boolean> {
  try {
    const { untrusted, update } = await loadConfig(file, io, isDiscovered);
    if (untrusted === undefined) return update !== undefined;
    log.warn(`Sources are not updated: ${trustNotice(untrusted, io)}`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    log.warn(`Sources are not updated: ${error.message}`);
  }
  return false;
}

function run(
  { file, node }: Pick<Program, 'file' | 'node'>,
  args: readonly string[],
  { cwd, env }: DailyUpdateOptions['io'],
  signal: AbortSignal,
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve) => {
    const child = spawn(node, [file, ...args], { cwd, env, signal, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    let output = '';
    const take = (chunk: Buffer) => {
      if (output.length < LONGEST_OUTPUT) output += chunk.toString('utf8');
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('error', (cause) => resolve({ code: null, output: cause.message }));
    child.once('close', (code) => resolve({ code, output: output.replace(/\s+/g, ' ').trim() }));
  });
}
