/** How long a program takes to answer a ping, again and again while a case runs. */
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Program } from './program.js';

const PAUSE_MS = 5;

export interface Pings {
  readonly program: Program;
  /** Whether the case is done. */
  isOver(): boolean;
  /** Resolves when it is answered, to false if it does not count. Calls `sent` when the program can read it. */
  ping(sent: () => void): Promise<boolean>;
}

/** The longest that a ping waited. Time in which the program or the fuzzer had no processor does not count, nor what the fuzzer computes. */
export async function longestPing({ program, isOver, ping }: Pings): Promise<number> {
  let longest = 0;
  do {
    let began = countedMs(program);
    const isCounted = await ping(() => {
      began = countedMs(program);
    });
    if (isCounted) longest = Math.max(longest, countedMs(program) - began);
    await wait(PAUSE_MS);
  } while (!isOver() && !program.isOver);
  return longest;
}

function countedMs({ child }: Program): number {
  const { system, user } = process.cpuUsage();
  return performance.now() - (system + user) / 1000 - queuedMs(process.pid) - queuedMs(child.pid);
}

/** How long the main thread of a process was ready to run and had no processor. 0 where that is unknown. */
function queuedMs(pid: number | undefined): number {
  try {
    const [, waited = '0'] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ');
    return Number(waited) / 1e6;
  } catch {
    return 0;
  }
}
