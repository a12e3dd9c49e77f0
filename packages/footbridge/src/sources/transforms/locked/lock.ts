/** The part of a lock file that is needed to serve skills. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FootbridgeError } from '../../../errors.js';
import { encodeSegment } from '../../../uri-segment.js';
import { digestOf } from '../../skills/digest.js';
import { absentAsUndefined, isPlainName, listAllFiles, locate, readRegularFile } from '../../skills/files.js';
import { FolderSkill } from '../../skills/folder-skill.js';
import { SKIPPED_FOLDERS } from '../../skills/rules.js';
import { type Notice, SKILL_FILE, type Skill, type SkillDigest } from '../../source.js';

/** The entry of one skill in a lock. */
export type LockEntry =
  /** The lock does not cover it: it is served as it is. */
  | { readonly state: 'exempt' }
  | { readonly state: 'unknown' }
  /** The lock has a skill from another origin under this name. */
  | { readonly state: 'elsewhere'; readonly origin: string; readonly locked: string }
  | LockedSkill;

/** A skill as it was locked. */
export interface LockedSkill {
  readonly state: 'locked';
  readonly description: string;
  /** By their paths as URIs write them. */
  readonly files: ReadonlyMap<string, SkillDigest>;
}

export interface SkillLock {
  /** Why the lock cannot be used: then every skill is withheld. */
  readonly problem?: Notice;
  of(skill: Skill): LockEntry;
}

/** The current lock. */
export interface Locks {
  readonly current: SkillLock;
  /** Calls `listener` whenever the lock changes; returns a function that stops that. */
  onChange(listener: () => void): () => void;
}

/** A skill with more files is refused. */
const MAX_FILES = 50_000;

/**
 * Every file of a skill: from its manifest, else by reading its folder. For an upstream's skill without digests that is
 * `SKILL.md` alone. Rejects when a file cannot be read.
 */
export async function digestsOf(skill: Skill): Promise<readonly SkillDigest[]> {
  if (skill instanceof FolderSkill) return digestsIn(skill);
  const manifest = await skill.manifest();
  if (manifest !== undefined && manifest.files !== 'dynamic') return manifest.files;
  const { directory } = skill;
  const paths = manifest === undefined && directory !== undefined ? filesBelow(directory).files : [SKILL_FILE];
  return digestsBy((path) => skill.read(path), paths);
}

/** Like the manifest, at a fraction of the cost, and including files that are not served: they may be after the next start. */
async function digestsIn(skill: FolderSkill): Promise<readonly SkillDigest[]> {
  const folder = skill.identity;
  const { files, isPlain } = filesBelow(folder);
  // Links have to be resolved.
  if (!isPlain) return digestsBy((path) => readLinked(folder, path), listAllFiles(folder)?.map(({ entry }) => entry.path) ?? files);
  return digestsBy((path) => readRegularFile(join(folder, path)), files);
}

async function readLinked(folder: string, path: string): ReturnType<typeof readRegularFile> {
  const real = locate(folder, path);
  return real === undefined ? undefined : readRegularFile(real);
}

async function digestsBy(
  read: (path: string) => Promise<{ readonly bytes: Uint8Array } | undefined>,
  paths: readonly string[],
): Promise<readonly SkillDigest[]> {
  const digests: SkillDigest[] = [];
  for (const path of paths) {
    const content = await read(path);
    if (content !== undefined) digests.push({ path, size: content.bytes.length, digest: digestOf(content.bytes) });
  }
  return digests;
}

/** A path below a skill as URIs write it. */
export function encodedPath(path: string): string {
  return PLAIN.test(path) ? path : path.split('/').map(encodeSegment).join('/');
}

/** Paths that URIs write as they are. */
const PLAIN = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

/** Links are not followed: files that are not found here are not in the lock, so they cannot be read. `isPlain`: no links were found. */
function filesBelow(directory: string): { readonly files: readonly string[]; readonly isPlain: boolean } {
  const files: string[] = [];
  const folders = [''];
  let isPlain = true;
  for (const folder of folders) {
    // Removed meanwhile: then nothing is below it.
    for (const entry of absentAsUndefined(() => readdirSync(join(directory, folder), { withFileTypes: true })) ?? []) {
      if (!isPlainName(entry.name) || SKIPPED_FOLDERS.has(entry.name)) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) files.push(path);
      else isPlain = false;
    }
    if (files.length + folders.length > MAX_FILES) throw tooMany();
  }
  return { files, isPlain };
}

function tooMany(): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', `The skill has more than ${MAX_FILES} files.`, {
    suggestedActions: ['Remove files that are not needed from its folder.'],
  });
}
