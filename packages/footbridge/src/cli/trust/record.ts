/** What was trusted: one private file per project in the state folder. */
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isFields, parseJson } from '../../json.js';
import { digestOf } from '../../sources/skills/digest.js';
import { claimPrivateFolder, stateFolder, writePrivate } from '../../state/index.js';
import { VERSION } from '../../version.js';
import type { Surroundings } from '../io.js';

type Environment = Pick<Surroundings, 'env' | 'home'>;

export interface TrustRecord {
  /** Without links. */
  readonly folder: string;
  /** Of `footbridge.json` and of the files that it runs; absent without one. */
  readonly digest?: string;
  /** Digests of the entries for Footbridge in the project's configurations of hosts. */
  readonly entries: readonly string[];
  readonly time: string;
}

const LARGEST = 1024 * 1024;
const WRITABLE_BY_OTHERS = 0o022;
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

function trustFolder({ env, home }: Environment): string {
  return stateFolder(undefined, '', 'trust', env, home);
}

/** `folder` is without links. */
export function trustFile(folder: string, io: Environment): string {
  return join(trustFolder(io), `${digestOf(folder).replace('sha256:', '').slice(0, 32)}.json`);
}

/** Undefined if there is none, or if another user could have written it. */
export function readTrust(folder: string, io: Environment): TrustRecord | undefined {
  const record = recordIn(trustFile(folder, io), trustFolder(io));
  return record?.folder === folder ? record : undefined;
}

/** Those that are valid, by folder. */
export function allTrust(io: Environment): readonly TrustRecord[] {
  const place = trustFolder(io);
  let names: readonly string[] = [];
  try {
    names = readdirSync(place).filter((name) => name.endsWith('.json'));
  } catch {
    // Nothing was trusted yet.
  }
  return names.flatMap((name) => recordIn(join(place, name), place) ?? []).sort((one, other) => (one.folder < other.folder ? -1 : 1));
}

/** Throws an error for people if the state folder is not ours alone. */
export async function writeTrust(record: Omit<TrustRecord, 'time'>, io: Environment): Promise<void> {
  await claimPrivateFolder(trustFolder(io), 'XDG_STATE_HOME sets another state folder.');
  const whole = { format: 1, footbridge: VERSION, time: new Date().toISOString(), ...record };
  await writePrivate(trustFile(record.folder, io), `${JSON.stringify(whole, undefined, 2)}\n`);
}

export async function removeTrust(folder: string, io: Environment): Promise<void> {
  await rm(trustFile(folder, io), { force: true });
}

function recordIn(file: string, place: string): TrustRecord | undefined {
  try {
    if (!isOurs(statSync(place))) return undefined;
    const descriptor = openSync(file, FLAGS);
    try {
      const stats = fstatSync(descriptor);
      return stats.isFile() && stats.size <= LARGEST && isOurs(stats) ? toRecord(parseJson(readFileSync(descriptor, 'utf8'))) : undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

function isOurs({ mode, uid }: { readonly mode: number; readonly uid: number }): boolean {
  // Windows has no owners here.
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & WRITABLE_BY_OTHERS) === 0);
}

function toRecord(value: unknown): TrustRecord | undefined {
  if (!isFields(value) || value['format'] !== 1) return undefined;
  const { digest, entries, folder, time } = value;
  if (typeof folder !== 'string' || typeof time !== 'string' || !Array.isArray(entries)) return undefined;
  return {
    folder,
    time,
    entries: entries.filter((each) => typeof each === 'string'),
    ...(typeof digest === 'string' ? { digest } : {}),
  };
}
