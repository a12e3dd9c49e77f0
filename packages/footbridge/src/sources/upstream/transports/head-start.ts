/**
 * A server's process that is started before the rest of the program is loaded, so that both start in parallel. The code that starts
 * it and the code that takes it over are in different bundles, and share a global symbol.
 */
import { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import type { CommandServer } from '../options.js';
import { endWithUs, isAlive, killTree, outlive, startChild } from './process-tree.js';

const PLACE = Symbol.for('footbridge.head-start');

interface HeadStart {
  readonly key: string;
  readonly child: ChildProcess;
  end(): void;
}

export function giveHeadStart(server: CommandServer): void {
  const child = startChild(server);
  endWithUs(child);
  // Reported when the process is taken over.
  child.once('error', () => {});
  // It must not keep the program alive when it is not taken over.
  hold(child, 'unref');
  const start: HeadStart = { key: keyOf(server), child, end: () => outlive(child) };
  Reflect.set(globalThis, PLACE, start);
}

/** The running process of this server, if there is one. Can be taken once. */
export function takeHeadStart(server: CommandServer): ChildProcess | undefined {
  const start: unknown = Reflect.get(globalThis, PLACE);
  Reflect.deleteProperty(globalThis, PLACE);
  if (!isHeadStart(start)) return undefined;
  const { child, end, key } = start;
  if (key === keyOf(server) && isAlive(child)) {
    end();
    hold(child, 'ref');
    return child;
  }
  killTree(child);
  return undefined;
}

/** Whether it keeps the program alive. */
function hold(child: ChildProcess, how: 'ref' | 'unref'): void {
  child[how]();
  for (const stream of [child.stdin, child.stdout, child.stderr]) if (stream instanceof Socket) stream[how]();
}

function keyOf({ command, args, env, cwd }: CommandServer): string {
  return JSON.stringify([command, args, env, cwd]);
}

function isHeadStart(value: unknown): value is HeadStart {
  return typeof value === 'object' && value !== null && 'child' in value && value.child instanceof ChildProcess;
}
