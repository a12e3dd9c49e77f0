/** Child processes that share the state folder. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { onTestFinished } from 'vitest';
import type { SosRequest } from '../../src/sos/command.js';
import { temporaryFolder } from './folder.js';

export interface JobProgram {
  readonly child: ChildProcess;
  /** The next line it prints. */
  next(): Promise<Record<string, unknown>>;
}

/** One file that any user can read. */
async function bundle(): Promise<string> {
  const folder = await temporaryFolder();
  await chmod(folder, 0o755);
  const file = join(folder, 'job-program.mjs');
  const built = await rolldown({ input: fileURLToPath(new URL('job-program.ts', import.meta.url)), platform: 'node' });
  await built.write({ file, format: 'esm' });
  await built.close();
  return file;
}

/** `before`: a command that starts the process, such as prlimit. */
export async function startProgram(
  stateFolder: string,
  task: { readonly start: SosRequest } | { readonly fetch: string },
  before: readonly string[] = [],
): Promise<JobProgram> {
  const [program = '', ...rest] = [...before, process.execPath, await bundle(), stateFolder, JSON.stringify(task)];
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'], cwd: '/' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    next: async () => JSON.parse((await lines.next()).value ?? '{}'),
  };
}

/** The processes of a job, by session or command line, without zombies. */
export async function leftOf(stateFolder: string, jobId: string): Promise<readonly string[]> {
  const { sos } = JSON.parse(await readFile(join(stateFolder, 'job-starts', `${jobId}.json`), 'utf8'));
  const lines = execFileSync('ps', ['-A', '-ww', '-o', 'sid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => {
    const [session, state] = line.trim().split(/\s+/);
    return !state?.startsWith('Z') && (line.includes(jobId) || Number(session) === sos?.pid);
  });
}
