// Memory of another process, where the system tells.
import { existsSync, readFileSync } from 'node:fs';

export const TELLS_MEMORY = existsSync('/proc/self/status');

/** The bytes of a process that are in memory. */
export function residentBytes(pid) {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}
