/** The command line run to its end in this process, which takes a hundredth of a start. */
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { expect } from 'vitest';
import { Io, type Surroundings } from '../../src/cli/io.js';
import { main } from '../../src/cli/main.js';
import type { World } from './folders.js';
import { named } from './start.js';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in the working folder of a world, whose configuration is trusted. */
export function run(world: World, ...args: string[]): Promise<Outcome> {
  return runWith(world, {}, ...args);
}

/** Like `run`, with additional environment variables. */
export function runWith(world: World, variables: Readonly<Record<string, string>>, ...args: string[]): Promise<Outcome> {
  return runIn(world, { env: { ...environmentOf(world), ...variables } }, ...named({ args, cwd: world.project }));
}

export function environmentOf({ home }: World): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: home, USERPROFILE: home, FOOTBRIDGE_CACHE: join(home, 'cache'), FOOTBRIDGE_KEYCHAIN: 'off' };
}

/** The surroundings of a command in a world, with `others` instead of some. */
export function ioOf(world: World, others: Partial<Surroundings> = {}): Io {
  return new Io({
    stdin: Readable.from([]),
    stdout: new Capture(),
    stderr: new Capture(),
    env: environmentOf(world),
    cwd: world.project,
    home: world.home,
    ...others,
  });
}

/** Runs a command in the given surroundings, with exactly these arguments. */
export async function runIn(world: World, surroundings: Partial<Surroundings>, ...args: string[]): Promise<Outcome> {
  useHome(world, args);
  const [stdout, stderr] = [new Capture(), new Capture()];
  const code = await main(args, ioOf(world, { stdout, stderr, ...surroundings }));
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** Keeps what is written to it. */
export class Capture extends Writable {
  readonly #chunks: Buffer[] = [];
  constructor(
    readonly isTTY = false,
    readonly columns = 80,
  ) {
    super();
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get text(): string {
    return this.bytes.toString('utf8');
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }
}

let hostsHome: string | undefined;

/** The library that knows the hosts looks for them in the home that the process has when it loads. */
function useHome({ home }: World, args: readonly string[]): void {
  process.env['HOME'] = home;
  process.env['USERPROFILE'] = home;
  const [command = ''] = args;
  if (!['install', 'uninstall', 'doctor'].includes(command) || args.includes('--help')) return;
  if (!/\.isolated\.test\.ts$/.test(expect.getState().testPath ?? '')) throw new Error(`Only isolated tests run ${command} here.`);
  hostsHome ??= home;
  if (hostsHome !== home) throw new Error(`A test file runs ${command} in one home only.`);
}
