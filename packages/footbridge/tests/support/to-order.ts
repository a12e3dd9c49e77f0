/** Servers whose behaviour a test defines, and their processes. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { Json } from './client.js';
import type { World } from './folders.js';

const SERVER = join(import.meta.dirname, '..', 'fixtures', 'server-to-order.mjs');

/** The options of fixtures/server-to-order.mjs. */
export interface Order {
  readonly name?: string;
  readonly version?: string;
  readonly instructions?: string;
  /** The number of tools, named `tool-1` and so on; each returns how it was called. */
  readonly tools?: number;
  readonly toolNames?: readonly string[];
  /** Additional fields of each tool in the list, such as a description. */
  readonly tool?: object;
  /** A file with a JSON list of names. */
  readonly toolFile?: string;
  /** The number of resources, at `name://item/1` and so on. */
  readonly resources?: number;
  readonly uris?: readonly string[];
  readonly templates?: readonly string[];
  readonly prompts?: readonly string[];
  readonly skills?: readonly string[];
  readonly noResources?: boolean;
  readonly pageSize?: number;
  /** A file that records each start. */
  readonly starts?: string;
  /** Starts a child process that keeps stdout open. */
  readonly helper?: boolean;
  /** Exits at once with this code. */
  readonly exit?: number;
  /** Ignores the end of stdin and SIGTERM. */
  readonly stubborn?: boolean;
  /** Does not answer until this file exists. */
  readonly after?: string;
  /** Methods at which it exits. */
  readonly endsAt?: readonly string[];
  /** Methods that it never answers. */
  readonly silent?: readonly string[];
  /** Raw answers by method, which need not be JSON. */
  readonly broken?: Readonly<Record<string, string>>;
  /** What it writes to stdout first. */
  readonly first?: readonly string[];
  /** What it writes to stderr at its start. */
  readonly remarks?: readonly string[];
}

export interface Command {
  readonly command: string;
  readonly args: string[];
}

/** The command that starts such a server. */
export function toOrder(order: Order): Command {
  return { command: process.execPath, args: [SERVER, JSON.stringify(order)] };
}

/** The same with the options in a file, so that they can change while the command stays the same. */
export function toOrderIn(file: string): Command {
  return { command: process.execPath, args: [SERVER, `@${file}`] };
}

/** The same, started by a shell that stays and waits for it. */
export function byShell(order: Order): Command {
  const { command, args } = toOrder(order);
  return { command: 'sh', args: ['-c', '"$0" "$@"; exit $?', command, ...args] };
}

/** The arguments of `footbridge` that wrap it. */
export function wrapped({ command, args }: Command, ...options: readonly string[]): string[] {
  return ['wrap', ...options, '--', command, ...args];
}

export function configure(world: World, mcpServers: Readonly<Record<string, object>>, more: object = {}): string {
  return world.write('project/footbridge.json', JSON.stringify({ mcpServers, ...more }));
}

/** The recorded starts of a server: its process and the parent, or the child process, and that it is ready. */
export function startsIn(file: string): { pid: number; parent?: number; helper?: true; ready?: true }[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Json => JSON.parse(line));
}

/** Every process of the server. */
export function processesIn(file: string): number[] {
  return [...new Set(startsIn(file).flatMap(({ pid, parent }) => (parent === undefined ? [pid] : [pid, parent])))];
}

/** The server's own process that was started last. */
export function latestIn(file: string): number {
  const last = startsIn(file).findLast(({ helper }) => helper === undefined);
  if (last === undefined) throw new Error('it was never started');
  return last.pid;
}

/** Whether a process is running. A zombie is not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

export const soon = { timeout: 20_000, interval: 20 };

/** Waits until all of the processes have ended. */
export function allGone(pids: readonly number[]): Promise<void> {
  return vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), soon);
}

/** What the server returns for a call, a read, a prompt or a completion. */
export function saidBy({ result }: Json): Json {
  const { content, contents, messages, completion } = result;
  return JSON.parse(content?.[0].text ?? contents?.[0].text ?? messages?.[0].content.text ?? completion.values[0]);
}
