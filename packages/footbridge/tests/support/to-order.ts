/** Servers that are and do what a test tells them, and the processes that come of it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { Json } from './client.js';
import type { World } from './folders.js';

const SERVER = join(import.meta.dirname, '..', 'fixtures', 'server-to-order.mjs');

/** What fixtures/server-to-order.mjs understands. */
export interface Order {
  readonly name?: string;
  readonly version?: string;
  readonly instructions?: string;
  /** How many, called `tool-1` and so on; each says back how it was called. */
  readonly tools?: number;
  readonly toolNames?: readonly string[];
  /** What each tool has besides in the list, such as a description. */
  readonly tool?: object;
  /** A file with a JSON list of names. */
  readonly toolFile?: string;
  /** How many, at `name://item/1` and so on. */
  readonly resources?: number;
  readonly uris?: readonly string[];
  readonly templates?: readonly string[];
  readonly prompts?: readonly string[];
  readonly skills?: readonly string[];
  readonly noResources?: boolean;
  readonly pageSize?: number;
  /** A file in which each start is noted. */
  readonly starts?: string;
  /** Has a process of its own that holds on to stdout. */
  readonly helper?: boolean;
  /** Ends at once with this code. */
  readonly exit?: number;
  /** Goes on when its stdin ends and when it is told to end. */
  readonly stubborn?: boolean;
  /** Answers nothing before this file is there. */
  readonly after?: string;
  /** Methods that it ends at. */
  readonly endsAt?: readonly string[];
  /** Methods that it never answers. */
  readonly silent?: readonly string[];
  /** What it answers instead, by method, as it is written: it need not be JSON. */
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

/** The same with the order in a file: its command stays as it is when the server becomes another. */
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

/** The starts that a server noted: its own process and the one that started it, or that of its helper. */
export function startsIn(file: string): { pid: number; parent?: number; helper?: true; ready?: true }[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Json => JSON.parse(line));
}

/** Every process that had to do with the server. */
export function processesIn(file: string): number[] {
  return [...new Set(startsIn(file).flatMap(({ pid, parent }) => (parent === undefined ? [pid] : [pid, parent])))];
}

/** The server's own process that was started last. */
export function latestIn(file: string): number {
  const last = startsIn(file).findLast(({ helper }) => helper === undefined);
  if (last === undefined) throw new Error('it was never started');
  return last.pid;
}

/** Whether a process runs: one that is dead and merely not asked for by its parent does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

export const soon = { timeout: 20_000, interval: 20 };

/** Waits until none of the processes runs. */
export function allGone(pids: readonly number[]): Promise<void> {
  return vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), soon);
}

/** What the server says of a call, a read, a prompt or a completion. */
export function saidBy({ result }: Json): Json {
  const { content, contents, messages, completion } = result;
  return JSON.parse(content?.[0].text ?? contents?.[0].text ?? messages?.[0].content.text ?? completion.values[0]);
}
