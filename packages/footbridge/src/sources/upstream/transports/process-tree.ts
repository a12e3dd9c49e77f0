/** Ends process trees: `npx` and shells leave the server running when only they are killed. */
import { type ChildProcess, spawnSync } from 'node:child_process';
import spawn from 'cross-spawn';
import type { CommandServer } from '../options.js';

const LOOK_AGAIN_MS = 20;
/** Grace periods: stdin closed, then SIGTERM, then SIGKILL. */
const CLOSE_MS = 500;
const TERMINATE_MS = 1000;
/** How long a killed process may take to be gone. */
const KILLED_MS = 500;
const LAST_REMARKS_MS = 100;

/** Whether children get a process group of their own. */
export const OWN_GROUP = process.platform !== 'win32';

/** Whether a child runs, as far as the event loop knows. */
export function isAlive({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}

/** Shuts down a child that was started with `OWN_GROUP`: stdin closed, SIGTERM, SIGKILL. */
export async function endTree(child: ChildProcess, exitMs = CLOSE_MS): Promise<void> {
  child.stdin?.end();
  if (!(await gone(child, exitMs))) {
    signalTree(child, 'SIGTERM');
    if (!(await gone(child, TERMINATE_MS))) {
      signalTree(child, 'SIGKILL');
      await gone(child, KILLED_MS);
    }
  }
  await lastRemarks(child);
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  child.unref();
}

/** The end of its stderr. A process that left the tree may hold the stream open. */
function lastRemarks({ stderr }: ChildProcess): Promise<void> | undefined {
  if (stderr === null || stderr.readableEnded || stderr.destroyed) return undefined;
  return new Promise((resolve) => {
    setTimeout(resolve, LAST_REMARKS_MS).unref();
    stderr.once('close', resolve);
  });
}

/** Kills a child and its descendants. */
export function killTree(child: ChildProcess): void {
  signalTree(child, 'SIGKILL');
}

/** Children that end with this process. One `exit` listener serves all. */
const ours = new Set<ChildProcess>();
const killOurs = () => ours.forEach(killTree);

/** Kills a child when this process exits, unless `outlive` is called. */
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

/** Sends a signal, or with 0 only checks; false where no process is left. */
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
  // Windows has no signals.
  if (running && signal !== 0) spawnSync('taskkill', ['/PID', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
  return running;
}

const SAFE =
  process.platform === 'win32'
    ? 'APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA NUMBER_OF_PROCESSORS PATH PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR'
    : 'HOME LANG LC_ALL LC_CTYPE LOGNAME PATH SHELL TERM TMPDIR TZ USER XDG_RUNTIME_DIR';

/** The safe variables, and those of the settings. */
function environmentFor(given: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const inherited = SAFE.split(' ').flatMap((name) => {
    const value = process.env[name];
    // A function that a shell exported.
    return value === undefined || value.startsWith('()') ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(inherited), ...given };
}

export function startChild({ command, args = [], env, cwd }: CommandServer): ChildProcess {
  return spawn(command, [...args], {
    stdio: 'pipe',
    env: environmentFor(env),
    detached: OWN_GROUP,
    windowsHide: true,
    cwd,
  });
}
