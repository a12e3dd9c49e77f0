/** A lock between processes, as a file. A process that was killed does not keep it. */
import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { link, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { systemCode } from '../errors.js';
import { parseJson } from '../json.js';
import { makePrivateFolder } from './index.js';

/** How long after the last heartbeat of its owner a lock is removed. */
const ABANDONED_MS = 120_000;
/** The same for an owner on another machine, whose processes are not visible. Measured here, since clocks differ. */
const LEASE_MS = 5000;
/** The interval of heartbeats: the owner sets the time of the file. */
const BEAT_MS = 1000;
const RETRY_MS = 40;

interface Holder {
  readonly id: string;
  readonly pid: number;
  /** Where the process id is valid. */
  readonly machine: string;
}

/** A heartbeat of a process on another machine, and when it was seen. */
interface Sign {
  readonly sign: string;
  readonly since: number;
}

/** By file. */
const signs = new Map<string, Sign>();

let here: string | undefined;

/** A container can have the files and the name of its machine, and process ids of its own. */
function thisMachine(): string {
  here ??= [hostname(), ...pidNamespace()].join(' ');
  return here;
}

function pidNamespace(): readonly string[] {
  if (process.platform !== 'linux') return [];
  try {
    return [readlinkSync('/proc/self/ns/pid')];
  } catch {
    return [];
  }
}

/** Runs `work` while no other process holds the lock. Rejects if it is not free within `timeoutMs`. */
export async function withLock<T>(file: string, timeoutMs: number, work: () => Promise<T>): Promise<T> {
  await makePrivateFolder(dirname(file));
  const release = await acquire(file, Date.now() + timeoutMs);
  try {
    return await work();
  } finally {
    await release();
  }
}

/** Runs `work` if the lock is free at once; false where it is not. */
export async function tryLock(file: string, work: () => Promise<void>): Promise<boolean> {
  await makePrivateFolder(dirname(file));
  const release = await acquire(file, 0).catch((cause: unknown) => {
    if (cause instanceof LockedError) return undefined;
    throw cause;
  });
  if (release === undefined) return false;
  try {
    await work();
  } finally {
    await release();
  }
  return true;
}

class LockedError extends Error {}

/** Whether a running process holds the lock. */
export async function isLocked(file: string): Promise<boolean> {
  const holder = await holderOf(file);
  return holder !== undefined && !(await isAbandoned(file, holder));
}

async function acquire(file: string, deadline: number): Promise<() => Promise<void>> {
  const own: Holder = { id: randomUUID(), pid: process.pid, machine: thisMachine() };
  const draft = `${file}.${own.id}.draft`;
  await writeFile(draft, JSON.stringify(own), { mode: 0o600 });
  try {
    while (!(await wasLinked(draft, file))) {
      const holder = await holderOf(file);
      if (holder === undefined) continue;
      if (await isAbandoned(file, holder)) await remove(file, holder, deadline);
      else if (Date.now() > deadline) throw new LockedError('Another process holds the lock for too long.');
      else await setTimeout(RETRY_MS * (0.5 + Math.random()));
    }
  } finally {
    await rm(draft, { force: true });
  }
  signs.delete(file);
  const isOwn = async () => (await holderOf(file))?.id === own.id;
  const beating = setInterval(async () => {
    const now = new Date();
    if (await isOwn().catch(() => false)) await utimes(file, now, now).catch(() => {});
  }, BEAT_MS).unref();
  return async () => {
    clearInterval(beating);
    if (await isOwn()) await rm(file, { force: true });
  };
}

/** Creating a link fails if the name exists, so of concurrent attempts one succeeds. */
async function wasLinked(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file);
    return true;
  } catch (cause) {
    if (systemCode(cause) === 'EEXIST') return false;
    throw cause;
  }
}

/** Undefined if it was released. A damaged one, as after a power failure, belongs to no process. */
async function holderOf(file: string): Promise<Holder | undefined> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    if (systemCode(cause) === 'ENOENT') return undefined;
    throw cause;
  });
  if (text === undefined) return undefined;
  const value = parseJson(text) as Partial<Holder> | undefined;
  const { id = 'unknown', pid = 0, machine = thisMachine() } = value ?? {};
  return { id: String(id).replace(/[^\w-]/g, ''), pid: Number(pid), machine: String(machine) };
}

async function isAbandoned(file: string, { id, machine, pid }: Holder): Promise<boolean> {
  const isHere = machine === thisMachine();
  if (isHere && !isRunning(pid)) return true;
  const stats = await stat(file).catch(() => undefined);
  if (stats === undefined) return false;
  return Date.now() - stats.mtimeMs > ABANDONED_MS || (!isHere && isSilent(file, `${id} ${stats.mtimeMs}`));
}

/** Whether there has been no newer heartbeat for the whole lease. */
function isSilent(file: string, sign: string): boolean {
  const last = signs.get(file);
  if (last?.sign === sign) return performance.now() - last.since > LEASE_MS;
  signs.set(file, { sign, since: performance.now() });
  return false;
}

function isRunning(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    return process.kill(pid, 0);
  } catch (cause) {
    // It runs as another user.
    return systemCode(cause) === 'EPERM';
  }
}

/** Removes an abandoned lock. A lock on the removal ensures that the lock of the next owner is not removed. */
async function remove(file: string, { id }: Holder, deadline: number): Promise<void> {
  const release = await acquire(`${file}.${id.slice(0, 36)}`, deadline);
  try {
    if ((await holderOf(file))?.id === id) await rm(file, { force: true });
  } finally {
    await release();
  }
}
