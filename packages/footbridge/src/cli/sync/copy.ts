/** One skill in a folder that hosts read: compared with what was written, replaced as a whole, and removed. */
import { randomBytes } from 'node:crypto';
import { constants, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolders } from '../../private-folder.js';
import { digestOf } from '../../sources/skills/digest.js';
import type { SkillDigest } from '../../sources/source.js';
import { SyncRefusal } from './content.js';

/** The state of the written files. Paths are relative to the skill. */
export interface CopyState {
  readonly exists: boolean;
  /** Changed, or replaced by something else. */
  readonly edited: readonly string[];
  readonly missing: readonly string[];
  /** Other content: files, links, and folders without synced skills. */
  readonly added: readonly string[];
}

/** Compares a folder with the files that were written to it; links are not followed. */
export function inspectCopy(folder: string, files: readonly SkillDigest[]): CopyState {
  if (entryOf(folder) === undefined) return { exists: false, edited: [], missing: [], added: [] };
  if (entryOf(folder)?.isDirectory() !== true) return { exists: true, edited: [''], missing: [], added: [] };
  const ours = new Map(files.map((file) => [file.path, file]));
  const ourFolders = new Set(files.flatMap(({ path }) => foldersAbove(path)));
  const [edited, added, found] = [[] as string[], [] as string[], new Set<string>()];
  const folders = [''];
  for (const below of folders) {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      const file = ours.get(path);
      if (entry.isDirectory() && ourFolders.has(path)) folders.push(path);
      else if (file === undefined) added.push(path);
      else {
        found.add(path);
        if (!entry.isFile() || !isUnchanged(join(folder, path), file)) edited.push(path);
      }
    }
  }
  return { exists: true, edited, missing: [...ours.keys()].filter((path) => !found.has(path)), added };
}

function isUnchanged(path: string, { digest, size }: SkillDigest): boolean {
  const stats = entryOf(path);
  return stats?.isFile() === true && stats.size === size && digestOf(readFileSync(path)) === digest;
}

function entryOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function foldersAbove(path: string): readonly string[] {
  const segments = path.split('/').slice(0, -1);
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
}

/** Next to the folder, where no host looks for skills. */
function stagingPrefix(root: string): string {
  return `.footbridge-${basename(root)}-`;
}

/**
 * Writes a skill to a temporary folder and moves it into place. The current content has to be `before`, or nothing; files that a user
 * added stay. Otherwise throws a `SyncRefusal` and changes nothing.
 */
export async function writeCopy(
  root: string,
  name: string,
  before: readonly SkillDigest[] | undefined,
  files: readonly SkillDigest[],
  read: (file: SkillDigest) => Promise<Uint8Array>,
): Promise<void> {
  await staged(root, async (staging, isSameRoot) => {
    const next = join(staging, 'next');
    mkdirSync(next);
    const made = new Set<string>();
    for (const file of files) {
      for (const folder of foldersAbove(file.path)) {
        if (made.has(folder)) continue;
        mkdirSync(join(next, folder));
        made.add(folder);
      }
      await writeNew(join(next, file.path), await read(file));
    }
    isSameRoot();
    const place = join(root, name);
    const old = takeAway(root, name, staging, before);
    try {
      for (const path of old?.added ?? []) keepAdded(join(oldOf(staging, name), path), join(next, path));
      if (entryOf(place) !== undefined) throw new SyncRefusal('Another program has written to this folder in the meantime.');
      renameSync(next, place);
    } catch (cause) {
      if (old !== undefined && entryOf(place) === undefined) renameSync(oldOf(staging, name), place);
      throw cause;
    }
  });
}

/** Removes the written files. Files that a user added stay, and their paths are returned. */
export async function removeCopy(root: string, name: string, files: readonly SkillDigest[]): Promise<readonly string[]> {
  return staged(root, async (staging, isSameRoot) => {
    isSameRoot();
    const old = takeAway(root, name, staging, files);
    if (old === undefined || old.added.length === 0) return [];
    const folder = oldOf(staging, name);
    for (const { path } of files) rmSync(join(folder, path), { force: true });
    const folders = new Set(files.flatMap(({ path }) => foldersAbove(path)));
    for (const path of [...folders].sort((one, other) => other.length - one.length)) removeEmpty(join(folder, path));
    renameSync(folder, join(root, name));
    return old.added;
  });
}

/** Removes a folder if it is empty. */
export function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something is in it.
  }
}

/** Moves the written files into the staging folder, which no host reads, and checks them there. Undefined if they are gone. */
function takeAway(root: string, name: string, staging: string, files: readonly SkillDigest[] | undefined): CopyState | undefined {
  const place = join(root, name);
  if (entryOf(place) === undefined) return undefined;
  if (files === undefined) throw new SyncRefusal('Another program has written to this folder in the meantime.');
  const old = oldOf(staging, name);
  mkdirSync(dirname(old));
  renameSync(place, old);
  const state = inspectCopy(old, files);
  if (state.edited.length === 0) return state;
  renameSync(old, place);
  throw new SyncRefusal(editedText(state.edited));
}

export function editedText(edited: readonly string[]): string {
  const [first = ''] = edited;
  const more = edited.length > 1 ? ` and ${edited.length - 1} more` : '';
  return `${first === '' ? 'The folder' : first}${more} changed since it was written. Move your changes elsewhere, or delete the folder, then run the command again.`;
}

/** A file that a user added does not replace a new one. */
function keepAdded(from: string, to: string): void {
  if (entryOf(to) !== undefined) throw new SyncRefusal('A new file would replace one that you added. Move yours elsewhere.');
  // Its folder may have lost all of our files.
  makeFolders(dirname(to));
  renameSync(from, to);
}

async function writeNew(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0), 0o644);
  try {
    await handle.writeFile(bytes);
  } finally {
    await handle.close();
  }
}

/** Runs `work` with a folder next to `root` that is removed afterwards. `isSameRoot` throws if another folder took its place. */
async function staged<T>(root: string, work: (staging: string, isSameRoot: () => void) => Promise<T>): Promise<T> {
  const { dev, ino } = lstatSync(root);
  const isSameRoot = () => {
    const now = entryOf(root);
    if (now?.isDirectory() !== true || now.dev !== dev || now.ino !== ino)
      throw new SyncRefusal('The folder has been replaced in the meantime.');
  };
  const staging = join(dirname(root), `${stagingPrefix(root)}${randomBytes(8).toString('hex')}`);
  mkdirSync(staging, 0o700);
  try {
    return await work(staging, isSameRoot);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function oldOf(staging: string, name: string): string {
  return join(staging, 'old', name);
}

/** Restores files that an interrupted run had moved, and removes its drafts. */
export function recover(root: string): void {
  for (const entry of readdirSync(dirname(root)).filter((name) => name.startsWith(stagingPrefix(root)))) {
    const staging = join(dirname(root), entry);
    const taken = entryOf(join(staging, 'old'))?.isDirectory() === true ? readdirSync(join(staging, 'old')) : [];
    for (const name of taken) if (entryOf(join(root, name)) === undefined) renameSync(oldOf(staging, name), join(root, name));
    rmSync(staging, { recursive: true, force: true });
  }
}
