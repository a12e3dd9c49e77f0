/** Where the lock is, how it is read, and how it is written. */
import { constants, createReadStream, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { systemCode } from '../../errors.js';
import { decodeText } from '../../text.js';
import type { Config } from '../config/index.js';
import { type Lock, LockError, lockText, parseLock } from './document.js';

const FILE = 'footbridge.lock';
/** More than the locks of 10,000 skills with their files. */
const LARGEST = 64 * 1024 * 1024;
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The lock of a configuration: beside its file, else in the working folder. */
export interface LockPlace {
  /** As a person would name it. */
  readonly file: string;
  /** Absolute. */
  readonly folder: string;
  /** The working folder, absolute. */
  readonly cwd: string;
}

/** Where the lock of a configuration is, or is to be. */
export function lockPlace({ file }: Pick<Config, 'file'>, cwd: string): LockPlace {
  const folder = file === undefined ? '.' : dirname(file);
  return { file: join(folder, FILE), folder: resolve(cwd, folder), cwd };
}

/** The lock and its text; undefined when there is none. Throws a `LockError` when it cannot be used. */
export async function readLock({ file, folder }: LockPlace): Promise<{ readonly lock: Lock; readonly text: string } | undefined> {
  let bytes: Buffer;
  try {
    // No more than that is read of a device that never ends, and nothing of a pipe that nobody writes to. Windows has no such flag.
    bytes = await buffer(createReadStream('', { fd: openSync(join(folder, FILE), FLAGS), end: LARGEST }));
  } catch (cause) {
    const code = systemCode(cause);
    if (code === 'ENOENT') return undefined;
    throw new LockError(`${file} cannot be read (${code ?? 'unknown error'}).`, 'Check what it is, and its permissions.');
  }
  if (bytes.length > LARGEST) throw new LockError(`${file} is larger than 64 MiB.`, 'Is it the right file?');
  const text = decodeText(bytes);
  if (text === undefined) throw new LockError(`${file} is not UTF-8.`, 'Write it again with: footbridge lock');
  return { lock: parseLock(text, file), text };
}

/** Writes the lock whole or not at all. */
export function writeLock({ file, folder }: LockPlace, lock: Lock): void {
  const path = join(folder, FILE);
  const draft = `${path}.${process.pid}`;
  try {
    // What lies there may be left from a run that was ended, or a link that leads elsewhere.
    rmSync(draft, { force: true });
    writeFileSync(draft, lockText(lock), { flag: 'wx' });
    renameSync(draft, path);
  } catch (cause) {
    rmSync(draft, { force: true });
    throw new LockError(`${file} cannot be written (${systemCode(cause) ?? 'unknown error'}).`, 'Check the permissions of its folder.');
  }
}
