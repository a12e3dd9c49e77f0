// Memory and CPU time of another process, on systems with /proc.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export const HAS_PROC = existsSync('/proc/self/status');

/** The resident memory of a process, in bytes. */
export function residentBytes(pid) {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

/** Whether the system reports CPU times. */
export const MEASURES_PROCESSOR = existsSync('/proc/self/schedstat');

/** The CPU time of all threads of a process in milliseconds, or undefined if the system does not report it. */
export function processorMilliseconds(pid) {
  if (!MEASURES_PROCESSOR) return undefined;
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]));
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}
