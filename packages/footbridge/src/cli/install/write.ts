/** Writes confirmed changes: atomically, and only if the file is still as it was shown. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chmod, chown, open, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { reasonOf, systemCode } from '../../errors.js';
import { makeFolders } from '../../private-folder.js';
import { digestOf } from '../../sources/skills/digest.js';
import { decodeText } from '../../text.js';
import type { Io } from '../io.js';
import { currentOf, type FileChange } from './change.js';
import { takeBack } from './plan-uninstall.js';
import { alone, bytesBefore, readRecord, recordFile, removeRecord, writeRecord } from './record.js';

export type Written =
  | { readonly ok: true /** Where the bytes before are kept. */; readonly backup?: string }
  | { readonly ok: false; readonly reason: string };

export function writeInstall(change: FileChange, io: Io): Promise<Written> {
  return attempt(change.real, io, () => install(change, io));
}

export function writeUninstall(change: FileChange, io: Io): Promise<Written> {
  return attempt(change.real, io, () => uninstall(change, io));
}

async function install(change: FileChange, io: Io): Promise<Written> {
  const { after, before, places, real, wrapped } = change;
  const [place] = places;
  if (after === undefined) return { ok: false, reason: 'There is nothing to write.' };
  if (!(await isStill(real, before))) return CHANGED;
  const old = await readRecord(real, io);
  const wasOurs = old !== undefined && before !== undefined && digestOf(before) === old.after;
  // Changes by others since then belong to the original.
  const taken = old === undefined || wasOurs || before === undefined ? undefined : await takeBack(place, decodeText(before) ?? '', old);
  const first = wasOurs ? bytesBefore(old) : taken?.ok === true ? Buffer.from(taken.text) : (before ?? new Uint8Array());
  const folders = makeFolders(dirname(real));
  await writeRecord(
    {
      file: real,
      existed: wasOurs ? old.existed : before !== undefined,
      before: Buffer.from(first).toString('base64'),
      after: digestOf(after),
      folders: [...folders, ...(old?.folders ?? [])],
      wrapped: { ...old?.wrapped, ...wrapped },
    },
    io,
  );
  const undo = async () => {
    await (old === undefined ? removeRecord(real, io) : writeRecord(old, io));
    await removeEmpty(folders, dirname(real));
  };
  try {
    const written = await replaceFile(change, place.scope === 'global' ? 0o600 : undefined);
    if (!written.ok) await undo();
    return written.ok ? { ok: true, backup: recordFile(real, io) } : written;
  } catch (error) {
    // A damaged file needs its record.
    if (await isStill(real, before)) await undo();
    throw error;
  }
}

async function uninstall(change: FileChange, io: Io): Promise<Written> {
  const { after, before, real } = change;
  if (change.action === 'remove') {
    const record = await readRecord(real, io);
    if (!(await isStill(real, before))) return CHANGED;
    await rm(real);
    await removeEmpty(record?.folders ?? [], dirname(real));
  } else if (after !== undefined && change.action === 'change') {
    const written = await replaceFile(change, undefined);
    if (!written.ok) return written;
  }
  if (change.reasons.length === 0) await removeRecord(real, io);
  return { ok: true };
}

const CHANGED: Written = { ok: false, reason: 'It has changed since it was shown and is left unchanged. Run the command again.' };

const BUSY: Written = { ok: false, reason: 'Another footbridge process is changing it. Run the command again.' };

async function attempt(real: string, io: Io, work: () => Promise<Written>): Promise<Written> {
  try {
    return (await alone(real, io, work)) ?? BUSY;
  } catch (error) {
    const code = systemCode(error);
    return { ok: false, reason: code === undefined ? reasonOf(error) : `It cannot be written (${code}).` };
  }
}

async function isStill(file: string, shown: Uint8Array | undefined): Promise<boolean> {
  const now = await currentOf(file);
  if (!now.ok) return false;
  return shown === undefined || now.bytes === undefined ? shown === now.bytes : Buffer.compare(shown, now.bytes) === 0;
}

/** Replaces the file by a draft with the same mode and owner. */
export async function replaceFile(
  { after, before, real }: Pick<FileChange, 'after' | 'before' | 'real'>,
  newMode: number | undefined,
): Promise<Written> {
  const stats = await stat(real).catch(() => undefined);
  // Renaming would bypass a read-only file.
  if (stats !== undefined) await access(real, constants.W_OK);
  // A file with hard links is written in place.
  let isInPlace = stats !== undefined && stats.nlink > 1;
  const draft = `${real}.${randomBytes(8).toString('hex')}.draft`;
  const handle = await open(draft, 'wx', stats === undefined ? (newMode ?? 0o666) : 0o600);
  try {
    await handle.writeFile(after ?? new Uint8Array());
    await handle.sync();
    await handle.close();
    if (stats !== undefined) {
      const own = await stat(draft);
      if (own.uid !== stats.uid || own.gid !== stats.gid) await chown(draft, stats.uid, stats.gid).catch(() => (isInPlace = true));
      await chmod(draft, stats.mode & 0o7777);
    }
    if (!(await isStill(real, before))) return CHANGED;
    if (!isInPlace) isInPlace = !(await renamed(draft, real));
    if (isInPlace) await overwrite(real, after, before);
    return { ok: true };
  } finally {
    await handle.close().catch(() => undefined);
    await rm(draft, { force: true });
  }
}

/** False if the file is a mount point, as in a container. */
async function renamed(draft: string, file: string): Promise<boolean> {
  try {
    await rename(draft, file);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EBUSY') return false;
    throw error;
  }
}

async function overwrite(file: string, after: Uint8Array | undefined, before: Uint8Array | undefined): Promise<void> {
  const handle = await open(file, 'r+');
  const put = async (bytes: Uint8Array = new Uint8Array()) => {
    for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at, bytes.length - at, at)).bytesWritten;
    await handle.truncate(bytes.length);
    await handle.sync();
  };
  try {
    // The old content fits even on a full disk.
    await put(after).catch(async (error: unknown) => {
      await put(before);
      throw error;
    });
  } finally {
    await handle.close();
  }
}

/** Removes only parents of the file, even if the record contains others. */
async function removeEmpty(folders: readonly string[], above: string): Promise<void> {
  for (const folder of folders) {
    if (folder !== above && !above.startsWith(`${folder}${sep}`)) continue;
    try {
      await rmdir(folder);
    } catch {
      return;
    }
  }
}
