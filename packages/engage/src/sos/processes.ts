/** Identifies processes across restarts and machines, and terminates process trees. */
import { execFile } from 'node:child_process';
import { access, constants, readdir, readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { systemCode } from 'footbridge/pack';
import * as z from 'zod/v4';

/** Where a process id is meaningful: the state folder may be shared between machines and containers. */
export const PROCESS_HOST = z.object({
  /** Machine id and host name: copied images share the id. */
  machine: z.string(),
  /** Changes with each boot; empty if unknown. */
  boot: z.string(),
  /** The PID namespace: containers have their own. */
  namespace: z.string(),
});
export type ProcessHost = Readonly<z.infer<typeof PROCESS_HOST>>;

export async function currentHost(): Promise<ProcessHost> {
  const [id, boot, namespace] = await Promise.all([
    readFile('/etc/machine-id', 'utf8').catch(() => ''),
    bootId(),
    readlink('/proc/self/ns/pid').catch(() => ''),
  ]);
  return { machine: `${id.trim()}/${hostname()}`, boot, namespace };
}

/** Whether processes of `there` are certainly gone, can be looked up from here, or are out of sight. */
export async function visibilityOf(there: ProcessHost): Promise<'gone' | 'visible' | 'hidden'> {
  const here = await currentHost();
  if (there.boot !== here.boot) return there.machine === here.machine ? 'gone' : 'hidden';
  return there.namespace === here.namespace ? 'visible' : 'hidden';
}

async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim();
}

/** A process id is reused; together with the start time it is unique. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
}

interface ProcessRow extends ProcessIdentity {
  readonly parent: number;
  readonly session: number;
}

type ProcessTable = ReadonlyMap<number, ProcessRow>;

const GRACE_MS = 5_000;
/** Hosts kill a server 2 to 4 seconds after asking it to stop. */
const SHUTDOWN_GRACE_MS = 1_000;
const POLL_MS = 50;

/** Undefined if the process does not exist or is a zombie. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const row = process.platform === 'linux' ? await readRow(pid, await bootId()) : (await listWithPs()).get(pid);
  return row === undefined ? undefined : { pid, started: row.started };
}

export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  return (await identify(identity.pid))?.started === identity.started;
}

/** Processes with this argument on their command line. */
export async function findByArgument(argument: string): Promise<readonly ProcessIdentity[]> {
  const found: ProcessIdentity[] = [];
  for (const { pid, started } of (await list()).values()) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.split('\0').includes(argument)) found.push({ pid, started });
  }
  return found;
}

/**
 * Terminates a session leader, its session and all descendants: SIGTERM, then SIGKILL. Only processes that certainly belong
 * to it are signalled. Resolves with whether all are gone, which can fail if this process is not root. `shutdown` shortens
 * the grace period, also while waiting.
 */
export async function terminateTree(leader: ProcessIdentity, shutdown?: AbortSignal): Promise<boolean> {
  let left: ProcessTable = new Map();
  const areGone = async (): Promise<boolean> => {
    const before = left;
    left = treeOf(await list(), leader, before);
    // One that is started while the list is read may be missing from it, and its parent gone.
    if (left.size === 0 && before.size > 0) left = treeOf(await list(), leader, before);
    return left.size === 0;
  };
  if (await areGone()) return true;
  await signalAll('SIGTERM', left);
  if (await poll(areGone, () => (shutdown?.aborted === true ? SHUTDOWN_GRACE_MS : GRACE_MS))) return true;
  // Several rounds, since a process may fork while it is killed.
  for (let round = 0; round < 10; round += 1) {
    await signalAll('SIGKILL', left);
    if (await poll(areGone, () => 300)) return true;
  }
  return false;
}

/**
 * The known processes that still exist, the members of the session, and all their descendants. While a process of the
 * session exists, the session id is not reused; nor is it in the moment since one was known, in which the last of them may
 * have started another.
 */
function treeOf(table: ProcessTable, leader: ProcessIdentity, known: ProcessTable): ProcessTable {
  const found = new Map<number, ProcessRow>();
  for (const row of table.values()) {
    if (row.started === (known.get(row.pid) ?? (row.pid === leader.pid ? leader : undefined))?.started) found.set(row.pid, row);
  }
  const isReused = (table.get(leader.pid)?.started ?? leader.started) !== leader.started;
  const sessionExists = !isReused && [...found.values(), ...known.values()].some((row) => row.session === leader.pid);
  for (let grew = true; grew; ) {
    grew = false;
    for (const row of table.values()) {
      if (found.has(row.pid) || !(found.has(row.parent) || (sessionExists && row.session === leader.pid))) continue;
      found.set(row.pid, row);
      grew = true;
    }
  }
  return found;
}

/** One by one, since sos plugins run commands in their own process groups. Processes of root are signalled as root. */
async function signalAll(signal: 'SIGTERM' | 'SIGKILL', rows: ProcessTable): Promise<void> {
  const denied: string[] = [];
  for (const pid of rows.keys()) {
    try {
      process.kill(pid, signal);
    } catch (cause) {
      if (systemCode(cause) === 'EPERM') denied.push(String(pid));
    }
  }
  // sudo forwards SIGTERM itself, if it received it.
  if (denied.length > 0 && (signal === 'SIGKILL' || denied.length === rows.size)) {
    await runAsRoot('kill', ['-s', signal.slice(3), '--', ...denied]);
  }
}

async function poll(condition: () => Promise<boolean>, timeoutMs: () => number): Promise<boolean> {
  for (const begun = Date.now(); ; ) {
    if (await condition()) return true;
    if (Date.now() - begun >= timeoutMs()) return false;
    await sleep(POLL_MS);
  }
}

async function list(): Promise<ProcessTable> {
  if (process.platform !== 'linux') return listWithPs();
  const boot = await bootId();
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const rows = await Promise.all(pids.map((pid) => readRow(Number(pid), boot)));
  return new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.pid, row]])));
}

async function readRow(pid: number, boot: string): Promise<ProcessRow | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // After the name, which is in parentheses and may contain parentheses.
  const [state, parent, , session, ...rest] = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
  const ticks = rest[15];
  if (ticks === undefined || state === 'Z' || state === 'X') return undefined;
  // The start time is counted from boot.
  return { pid, parent: Number(parent), session: Number(session), started: `${boot}/${ticks}` };
}

/** Without /proc. The process group stands in for the session, which `ps` does not print everywhere. */
export async function listWithPs(): Promise<ProcessTable> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='], { maxBuffer: 16 * 1024 * 1024 });
  const rows = new Map<number, ProcessRow>();
  for (const line of stdout.split('\n')) {
    const [, pid, parent, group, state, started] = /^(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*)$/s.exec(line.trim()) ?? [];
    if (started === undefined || state?.startsWith('Z')) continue;
    rows.set(Number(pid), { pid: Number(pid), parent: Number(parent), session: Number(group), started });
  }
  return rows;
}

const TIMEOUT_MS = 10_000;

export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/** The environment of child processes: no secrets, English output, UTF-8 file names. */
export function safeEnvironment(): Record<string, string> {
  const { HOME = '/', TMPDIR } = process.env;
  return { PATH: searchPath().join(delimiter), HOME, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', ...(TMPDIR && { TMPDIR }) };
}

/** Finds a program in the search path. */
export async function locate(program: string): Promise<string | undefined> {
  for (const folder of searchPath()) {
    const file = join(folder, program);
    const isExecutable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return file;
  }
  return undefined;
}

/** Runs a program as root; false if that failed, or this process is root itself. */
export async function runAsRoot(program: string, parameters: readonly string[]): Promise<boolean> {
  const [file, sudo] = await Promise.all([locate(program), locate('sudo')]);
  if (file === undefined || sudo === undefined || isRoot()) return false;
  return new Promise((resolve) => {
    const options = { env: safeEnvironment(), cwd: '/', timeout: TIMEOUT_MS };
    execFile(sudo, ['-n', '--', file, ...parameters], options, (error) => resolve(error === null)).stdin?.end();
  });
}

/** Desktops often leave the sbin folders out of PATH. */
const SBIN: ReadonlyMap<string, string> = new Map([
  ['/usr/bin', '/usr/sbin'],
  ['/bin', '/sbin'],
]);

/** Without relative folders, which are unsafe for programs that run as root. */
function searchPath(): readonly string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return [...new Set([...folders, ...folders.flatMap((folder) => SBIN.get(folder) ?? [])])];
}
