/** Ending a process together with all that it started: `npx` and shells leave the server running when only they are ended. */
import { type ChildProcess, spawnSync } from 'node:child_process';

const LOOK_AGAIN_MS = 20;
/** How long a server may take to end by itself when its stdin is closed, and when it is told to. */
const CLOSE_MS = 500;
const TERMINATE_MS = 2000;

/** Whether a child can be given a group of its own, which its children belong to. */
export const OWN_GROUP = process.platform !== 'win32';

/** Ends a child that was started with `OWN_GROUP`, first politely; resolves when nothing of it is left to wait for. */
export async function endTree(child: ChildProcess): Promise<void> {
  child.stdin?.end();
  if (!(await gone(child, CLOSE_MS))) {
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

async function gone(child: ChildProcess, milliseconds: number): Promise<boolean> {
  const end = performance.now() + milliseconds;
  while (signalTree(child, 0)) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  return true;
}

/** Sends a signal, or with 0 only looks; false when there is nobody to get it. */
function signalTree({ pid, exitCode, signalCode }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  if (pid === undefined) return false;
  if (OWN_GROUP) {
    try {
      return process.kill(-pid, signal);
    } catch {
      return false;
    }
  }
  const running = exitCode === null && signalCode === null;
  // Windows has no signals: what is told to end is ended.
  if (running && signal !== 0) spawnSync('taskkill', ['/PID', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
  return running;
}
