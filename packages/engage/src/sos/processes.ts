/** Which processes there are, who is still the same one, and how to end one with all that it started. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { systemCode } from 'footbridge/pack';
import { elevated } from './elevated.js';
import { bootId } from './place.js';

/** A number is given to another process one day; together with when it started it is not. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
}

interface Row extends ProcessIdentity {
  readonly parent: number;
  readonly session: number;
}

type Table = ReadonlyMap<number, Row>;

const GRACE_MS = 5_000;
/** Hosts that end a server kill it after 2 to 4 seconds. */
const HURRIED_GRACE_MS = 1_000;
const LOOK_AGAIN_MS = 50;

/** Undefined when there is no such process, or it has ended and nobody took notice yet. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const row = process.platform === 'linux' ? await readRow(pid, await bootId()) : (await listWithPs()).get(pid);
  return row === undefined ? undefined : { pid, started: row.started };
}

export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  return (await identify(identity.pid))?.started === identity.started;
}

/** Those with this word on their command line, for what was started when nobody could write down its number any more. */
export async function startedWith(word: string): Promise<readonly ProcessIdentity[]> {
  const found: ProcessIdentity[] = [];
  for (const { pid, started } of (await list()).values()) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.split('\0').includes(word)) found.push({ pid, started });
  }
  return found;
}

/**
 * Ends a leader of a session and everything in it or started by it: asks first, then insists. A process is only ended
 * when it is certainly one of them. Says whether all are gone; as another user than root that can fail. `hurry` says
 * that this process has to end itself, also when it is said on the way.
 */
export async function endAll(leader: ProcessIdentity, hurry?: AbortSignal): Promise<boolean> {
  let left: Table = new Map();
  const look = async (): Promise<boolean> => {
    left = family(await list(), leader, left);
    return left.size === 0;
  };
  if (await look()) return true;
  await send('SIGTERM', left);
  if (await until(look, () => (hurry?.aborted === true ? HURRIED_GRACE_MS : GRACE_MS))) return true;
  // What starts something while it is ended makes more than one round necessary.
  for (let round = 0; round < 3; round += 1) {
    await send('SIGKILL', left);
    if (await until(look, () => 1_000)) return true;
  }
  return false;
}

/**
 * Those seen before and still the same, and those in the session or descended from one of them. As long as one is left
 * in the session its number cannot become that of another.
 */
function family(table: Table, leader: ProcessIdentity, before: Table): Table {
  const found = new Map<number, Row>();
  for (const row of table.values()) {
    if (row.started === (before.get(row.pid) ?? (row.pid === leader.pid ? leader : undefined))?.started) found.set(row.pid, row);
  }
  const sessionHeld = [...found.values()].some((row) => row.session === leader.pid);
  for (let grew = found.size > 0; grew; ) {
    grew = false;
    for (const row of table.values()) {
      if (found.has(row.pid) || !(found.has(row.parent) || (sessionHeld && row.session === leader.pid))) continue;
      found.set(row.pid, row);
      grew = true;
    }
  }
  return found;
}

/** One by one: a plugin's commands have groups of their own. What belongs to root is ended by root. */
async function send(signal: 'SIGTERM' | 'SIGKILL', rows: Table): Promise<void> {
  const refused: string[] = [];
  for (const pid of rows.keys()) {
    try {
      process.kill(pid, signal);
    } catch (cause) {
      if (systemCode(cause) === 'EPERM') refused.push(String(pid));
    }
  }
  // sudo itself passes SIGTERM on; only where it could not is more needed.
  if (refused.length > 0 && (signal === 'SIGKILL' || refused.length === rows.size)) {
    await elevated('kill', ['-s', signal.slice(3), '--', ...refused]);
  }
}

async function until(isSo: () => Promise<boolean>, milliseconds: () => number): Promise<boolean> {
  for (const begun = Date.now(); ; ) {
    if (await isSo()) return true;
    if (Date.now() - begun >= milliseconds()) return false;
    await sleep(LOOK_AGAIN_MS);
  }
}

async function list(): Promise<Table> {
  if (process.platform !== 'linux') return listWithPs();
  const boot = await bootId();
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const rows = await Promise.all(pids.map((pid) => readRow(Number(pid), boot)));
  return new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.pid, row]])));
}

async function readRow(pid: number, boot: string): Promise<Row | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name before it is in parentheses, and may hold anything, these too.
  const [state, parent, , session, ...rest] = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
  const ticks = rest[15];
  if (ticks === undefined || state === 'Z' || state === 'X') return undefined;
  // Counted from when the machine started.
  return { pid, parent: Number(parent), session: Number(session), started: `${boot}/${ticks}` };
}

/** Where there is no /proc. A session is not told in the same way everywhere, the group is. */
export async function listWithPs(): Promise<Table> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='], { maxBuffer: 16 * 1024 * 1024 });
  const rows = new Map<number, Row>();
  for (const line of stdout.split('\n')) {
    const [, pid, parent, group, state, started] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
    if (started === undefined || state?.startsWith('Z')) continue;
    rows.set(Number(pid), { pid: Number(pid), parent: Number(parent), session: Number(group), started });
  }
  return rows;
}
