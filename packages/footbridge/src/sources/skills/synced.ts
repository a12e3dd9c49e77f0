/** Copies of skills that `footbridge sync` wrote into folders that hosts read. The records are in the state folder, out of reach of repositories. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isFields, parseJson } from '../../json.js';
import type { SkillDigest } from '../source.js';
import { digestOf } from './digest.js';

/** One skill that was written. */
export interface SyncedSkill {
  /** Its name, and that of its folder. */
  readonly name: string;
  readonly description: string;
  /** Of the skill that it is a copy of. */
  readonly identity: string;
  readonly origin: string;
  /** The working folder of the command that wrote it. */
  readonly project: string;
  readonly files: readonly SkillDigest[];
  /** What was there before, until the files above are in place. */
  readonly previous?: readonly SkillDigest[];
}

/** What was written into one folder. */
export interface SyncRecord {
  /** Without links. */
  readonly folder: string;
  readonly scope: 'project' | 'global';
  /** The project of that scope; otherwise the working folder of the first command. */
  readonly project: string;
  /** Folders that were created for it, the innermost first. */
  readonly created: readonly string[];
  readonly skills: readonly SyncedSkill[];
}

const LARGEST = 64 * 1024 * 1024;

/** The record of a folder that hosts read; `folder` is without links. */
export function syncRecordFile(records: string, folder: string): string {
  return join(records, `${digestOf(folder).replace('sha256:', '').slice(0, 32)}.json`);
}

/** Undefined if nothing was written there. `records` is the folder of all records. */
export function readSyncRecord(records: string, folder: string): SyncRecord | undefined {
  if (!existsSync(records)) return undefined;
  try {
    const real = realpathSync(folder);
    const record = recordIn(syncRecordFile(records, real));
    return record?.folder === real ? record : undefined;
  } catch {
    // The folder does not exist.
    return undefined;
  }
}

/** Those that are valid. */
export function allSyncRecords(records: string): readonly SyncRecord[] {
  if (!existsSync(records)) return [];
  return readdirSync(records)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => recordIn(join(records, name)) ?? []);
}

function recordIn(file: string): SyncRecord | undefined {
  try {
    return statSync(file).size > LARGEST ? undefined : toRecord(parseJson(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

function toRecord(value: unknown): SyncRecord | undefined {
  if (!isFields(value) || value['format'] !== 1) return undefined;
  const { created, folder, project, scope, skills } = value;
  if (typeof folder !== 'string' || typeof project !== 'string' || (scope !== 'project' && scope !== 'global') || !Array.isArray(skills))
    return undefined;
  return { folder, scope, project, created: texts(created), skills: skills.flatMap((skill: unknown) => toSkill(skill) ?? []) };
}

function toSkill(value: unknown): SyncedSkill | undefined {
  if (!isFields(value)) return undefined;
  const { description, files, identity, name, origin, previous, project } = value;
  if (typeof name !== 'string' || typeof description !== 'string' || typeof identity !== 'string') return undefined;
  if (typeof origin !== 'string' || typeof project !== 'string') return undefined;
  const before = Array.isArray(previous) ? { previous: toDigests(previous) } : {};
  return { name, description, identity, origin, project, files: toDigests(files), ...before };
}

function toDigests(value: unknown): readonly SkillDigest[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown) => {
    const { digest, path, size } = isFields(each) ? each : {};
    return typeof path === 'string' && typeof size === 'number' && typeof digest === 'string' ? [{ path, size, digest }] : [];
  });
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
