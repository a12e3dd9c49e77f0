/** Ending a process together with all that it started: `npx` and shells leave the server running when only they are ended. */
import { type ChildProcess, spawnSync } from 'node:child_process';

const LOOK_AGAIN_MS = 20;
/** How long a server may take to end by itself when its stdin is closed, and when it is told to. */
const CLOSE_MS = 500;
const TERMINATE_MS = 1000;

/** Whether a child can be given a group of its own, which its children belong to. */
export const OWN_GROUP = process.platform !== 'win32';

/** Whether a child runs, as far as the event loop has heard of it. */
export function isAlive({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}

/** Ends a child that was started with `OWN_GROUP`, first politely; resolves when nothing of it is left to wait for. */
export async function endTree(child: ChildProcess, exitMs = CLOSE_MS): Promise<void> {
  child.stdin?.end();
  if (!(await gone(child, exitMs))) {
    signalTree(child, 'SIGTERM');
    if (!(await gone(child, TERMINATE_MS))) signalTree(child, 'SIGKILL');
  }
  child.stdout?.destroy();
  child.unref();
}

/** Ends a child and all that it started at once. */
export function killTree(child: ChildProcess): void {
  signalTree(child, 'SIGKILL');
}

/** They end with this process, however many there are: `exit` has one listener for all. */
const ours = new Set<ChildProcess>();
const killOurs = () => ours.forEach(killTree);

/** Has a child ended when this process ends, until `outlive` is called with it. */
export function endWithUs(child: ChildProcess): void {
  if (ours.size === 0) process.on('exit', killOurs);
  ours.add(child);
}

export function outlive(child: ChildProcess): void {
  if (ours.delete(child) && ours.size === 0) process.off('exit', killOurs);
}

async function gone(child: ChildProcess, milliseconds: number): Promise<boolean> {
  const end = performance.now() + milliseconds;
  while (signalTree(child, 0)) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  return true;
}

/** Sends a signal, or with 0 only looks; false when there is nobody to get it. */
function signalTree(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  const { pid } = child;
  if (pid === undefined) return false;
  if (OWN_GROUP) {
    try {
      return process.kill(-pid, signal);
    } catch {
      return false;
    }
  }
  const running = isAlive(child);
  // Windows has no signals: what is told to end is ended.
  if (running && signal !== 0) spawnSync('taskkill', ['/PID', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
  return running;
}
