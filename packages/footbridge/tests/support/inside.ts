/** The command line run in this process: a start of the program costs more than most of what it does. */
import { environment } from './client.js';
import type { Outcome } from './command.js';
import type { World } from './folders.js';

/** What would have ended the process. */
class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}

let last: Promise<unknown> = Promise.resolve();

/**
 * As `run`, without a process of its own, so one after the other, and for what ends by itself. Some of what it finds out it keeps:
 * hosts are looked for in the home that was the first.
 */
export function inside(world: World, ...args: string[]): Promise<Outcome> {
  const outcome = last.then(() => runHere(world, args));
  last = outcome;
  return outcome;
}

async function runHere(world: World, args: readonly string[]): Promise<Outcome> {
  const before = { env: { ...process.env }, exit: process.exit, folder: process.cwd() };
  const [stdout, stderr] = [captured('stdout'), captured('stderr')];
  let code: number;
  try {
    become(environment(world.home));
    process.chdir(world.project);
    process.exit = (status) => {
      throw new Exit(Number(status ?? 0));
    };
    code = await (await import('../../src/cli/main.js')).main(args);
  } catch (error) {
    code = error instanceof Exit ? error.code : 1;
    // As run.ts has it.
    if (!(error instanceof Exit)) process.stderr.write(`footbridge error: ${error instanceof Error ? error.message : String(error)}\n`);
  } finally {
    process.exit = before.exit;
    process.chdir(before.folder);
    become(before.env);
    stdout.end();
    stderr.end();
  }
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function become(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value;
}

/** Keeps what is written, as to a pipe, until it ends. */
function captured(name: 'stdout' | 'stderr'): { text(): string; end(): void } {
  const stream = process[name];
  const { isTTY, write } = stream;
  const chunks: Buffer[] = [];
  stream.isTTY = false;
  stream.write = (chunk: string | Uint8Array, ...more: unknown[]) => {
    chunks.push(Buffer.from(chunk));
    const done = more.at(-1);
    if (typeof done === 'function') done();
    return true;
  };
  return {
    text: () => Buffer.concat(chunks).toString('utf8'),
    end() {
      stream.isTTY = isTTY;
      stream.write = write;
    },
  };
}
