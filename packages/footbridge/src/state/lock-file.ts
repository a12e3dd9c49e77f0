/** A lock between processes, as a file. A process that was killed does not keep it. */
import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { systemCode } from '../errors.js';
import { parseJson } from '../json.js';
import { makePrivateFolder } from './index.js';

/** Work under a lock must end well before this: an older lock is taken from its owner. */
const ABANDONED_MS = 120_000;
const RETRY_MS = 40;

interface Holder {
  readonly id: string;
  readonly pid: number;
  /** Where the process id counts. */
  readonly machine: string;
}

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

/** Runs `work` while no other process holds the lock. Rejects if it is not free within `patienceMs`. */
export async function withLock<T>(file: string, patienceMs: number, work: () => Promise<T>): Promise<T> {
  await makePrivateFolder(dirname(file));
  const release = await acquire(file, Date.now() + patienceMs);
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
  return async () => {
    if ((await holderOf(file))?.id === own.id) await rm(file, { force: true });
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

async function isAbandoned(file: string, { machine, pid }: Holder): Promise<boolean> {
  if (machine === thisMachine() && !isRunning(pid)) return true;
  const stats = await stat(file).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs > ABANDONED_MS;
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
