/** Updates the sources of a server once a day, in a process of its own. */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { echo } from '../../errors.js';
import { isFields, parseJson } from '../../json.js';
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
/** Bytes of each stream. */
const LONGEST_OUTPUT = 16 * 1024 * 1024;

/** Returns a function that stops it. A refused update is logged and changes nothing. The server reloads the lock by itself. */
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
    // An update that takes longer than a day is not started twice.
    if (isRunning) return;
    isRunning = true;
    const args = ['update', '--yes', '--json', ...(isDiscovered ? [] : ['--config', file])];
    const isWanted = await mayUpdate(file, isDiscovered, io, log);
    const ended = isWanted ? await run(program, args, io, stop.signal) : undefined;
    isRunning = false;
    if (ended !== undefined && !stop.signal.aborted) logOutcome(ended, log);
  };
  const first = setTimeout(update, firstMs).unref();
  const interval = setInterval(update, everyMs).unref();
  return () => {
    clearTimeout(first);
    clearInterval(interval);
    stop.abort();
  };
}

/** What a process printed. */
interface Ended {
  readonly stdout: string;
  readonly stderr: string;
}

/** One line for each source that has changed or was refused. */
function logOutcome({ stderr, stdout }: Ended, log: Log): void {
  const outcome = parseJson(stdout);
  const sources: unknown = isFields(outcome) ? outcome['sources'] : undefined;
  if (!isFields(outcome) || !Array.isArray(sources) || isFields(outcome['error'])) {
    const { actions = [], message = stderr } = isFields(outcome) && isFields(outcome['error']) ? outcome['error'] : {};
    const words = [message, actions].flat().map((text) => echo(String(text)));
    log.warn(`Sources could not be updated, and stay as they were: ${words.join(' ')}`);
    return;
  }
  for (const each of sources.filter(isFields)) {
    const text = (name: string) => echo(String(each[name]));
    if (each['state'] === 'changed') {
      const from = each['from'] === null ? 'new' : text('from');
      log.info(`source updated: ${text('source')}, ${from} → ${text('version')}${skillsOf(each['changes'])}`);
    } else if (each['state'] === 'refused') log.warn(`Source ${text('source')} was not updated: ${text('message')} ${text('action')}`);
  }
}

const MAX_NAMES = 20;

function skillsOf(changes: unknown): string {
  const names = (Array.isArray(changes) ? changes : []).flatMap((each: unknown) =>
    isFields(each) ? [`${String(each['skill'])} ${String(each['change'])}`] : [],
  );
  const rest = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return names.length === 0 ? '' : echo(` (${names.slice(0, MAX_NAMES).join(', ')}${rest})`);
}

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
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(node, [file, ...args], { cwd, env, signal, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
    child.once('error', (cause) => resolve({ stdout: '', stderr: cause.message }));
    child.once('close', () => resolve({ stdout: stdout(), stderr: stderr() }));
  });
}

function textOf(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= LONGEST_OUTPUT) chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}
