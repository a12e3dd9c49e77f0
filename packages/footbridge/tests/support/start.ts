/** Starts the command line: in this process, from the sources, or, in a file named `*.program.test.ts`, the built program. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { command as builtCommand, environment, testFile } from './environment.js';

export interface Started {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The exit code, once all output has been read; null after a signal. */
  readonly exited: Promise<number | null>;
  /** The process of a program test. */
  readonly child: ChildProcessWithoutNullStreams | undefined;
  stop(signal?: NodeJS.Signals): void;
}

export interface Start {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A Node script to start instead of the command line. */
  readonly script?: string;
  /** A program with its arguments that starts the process, such as `prlimit`. */
  readonly through?: readonly string[];
}

const fromSources = new Set<string>();

/** In a program test whose command line need not be a process: runs it in the test process, as unit tests do. */
export function useSources(): void {
  fromSources.add(testFile());
}

export function start(given: Start): Promise<Started> {
  const options = { ...given, args: given.script === undefined ? named(given) : given.args };
  const { script, through = [] } = options;
  const isProgramTest = testFile().endsWith('.program.test.ts') && !fromSources.has(testFile());
  return isProgramTest || script !== undefined || through.length > 0 ? startProgram(options) : startHere(options);
}

/** Commands that use the configuration of the working folder, as serving without a command does. */
const CONFIGURED = /^(?:list|search|show|read|surface|lock|verify|sync|serve|-.*)?$/;

/** Names the configuration of the working folder with `--config`, so that it needs no trust. */
export function named({ args, cwd }: Pick<Start, 'args' | 'cwd'>): readonly string[] {
  const isUsed = CONFIGURED.test(args[0] ?? '') && !args.includes('--') && !args.includes('wrap');
  return isUsed && !args.includes('--config') && existsSync(join(cwd, 'footbridge.json')) ? ['--config', 'footbridge.json', ...args] : args;
}

async function startProgram({ args, cwd, home, env, script = builtCommand(), through = [] }: Start): Promise<Started> {
  const [command = process.execPath, ...rest] = [...through, process.execPath, script, ...args];
  const child = spawn(command, rest, { cwd, env: environment(home, env) });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const { stdin, stdout, stderr } = child;
  return { stdin, stdout, stderr, exited, child, stop: (signal = 'SIGTERM') => void child.kill(signal) };
}

async function startHere({ args, cwd, home, env = {} }: Start): Promise<Started> {
  const [{ Io }, { main }] = await Promise.all([import('../../src/cli/io.js'), import('../../src/cli/main.js')]);
  const [stdin, stdout, stderr, stop] = [new PassThrough(), new PassThrough(), new PassThrough(), new AbortController()];
  const variables = environment(home, env);
  const restore = setVariables({ HOME: home, USERPROFILE: home, ...env });
  const exited = main(args, new Io({ stdin, stdout, stderr, env: variables, cwd, home, stop: stop.signal })).finally(() => {
    restore();
    stdout.end();
    stderr.end();
  });
  return { stdin, stdout, stderr, exited, child: undefined, stop: () => stop.abort() };
}

/** Packs and their libraries read the environment of the process. */
function setVariables(variables: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
}
