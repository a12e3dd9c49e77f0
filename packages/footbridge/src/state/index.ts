/** For authors of packs: private files, written atomically. */
import { createHash, randomBytes } from 'node:crypto';
import { chmod, link, lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode } from '../errors.js';

export { type Sealed, seal, unseal } from './encryption.js';
export { stateFolder } from './folder.js';

/** Equal for one person, and safe to store: it does not reveal who they are. */
export function ownerOf({ id, person = id }: { readonly id: string; readonly person?: string }): string {
  return createHash('sha256').update(`owner ${person}`).digest('hex');
}

/** Creates a folder for the owner of this process alone, and its parents. */
export async function makePrivateFolder(folder: string): Promise<void> {
  // Node's recursive mkdir never returns below /proc.
  try {
    await mkdir(folder, 0o700);
  } catch (cause) {
    const code = systemCode(cause);
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(folder) === folder) throw cause;
    await makePrivateFolder(dirname(folder));
    // Of concurrent attempts one creates it.
    await mkdir(folder, 0o700).catch((again: unknown) => {
      if (systemCode(again) !== 'EEXIST') throw again;
    });
  }
}

const WRITABLE_BY_OTHERS = 0o022;
const OPEN_TO_OTHERS = 0o077;

/**
 * Creates the root folder, or checks that no other user could have changed it. Throws an error for people, which ends with
 * `advice`: how to choose another folder.
 */
export async function claimPrivateFolder(folder: string, advice: string): Promise<void> {
  await makePrivateFolder(folder).catch((cause: unknown) => {
    throw new Error(`Cannot create ${folder} (${systemCode(cause) ?? 'unknown reason'}). ${advice}`);
  });
  if (process.geteuid === undefined) return;
  const own = process.geteuid();
  const [entry, { mode, uid }] = await Promise.all([lstat(folder), stat(folder)]);
  // A link is accepted from root only: another user could change its target later.
  if (uid !== own || (entry.uid !== own && entry.uid !== 0)) throw new Error(`${folder} belongs to another user. ${advice}`);
  if ((mode & WRITABLE_BY_OTHERS) !== 0 && (await readdir(folder)).length > 0)
    throw new Error(`${folder} is writable by other users, so its content cannot be trusted. Review it, then \`chmod 700\` it. ${advice}`);
  if ((mode & OPEN_TO_OTHERS) !== 0) await chmod(folder, 0o700);
}

/** Replaces a file atomically; it is on disk when this resolves. */
export async function writePrivate(file: string, content: string | Uint8Array): Promise<void> {
  const draft = await writeDraft(file, content);
  try {
    await rename(draft, file);
  } catch (cause) {
    await rm(draft, { force: true });
    throw cause;
  }
  await syncFolder(dirname(file));
}

/** Creates a file; false when it exists. Of concurrent attempts one succeeds. */
export async function createPrivate(file: string, content: string | Uint8Array): Promise<boolean> {
  const draft = await writeDraft(file, content);
  try {
    await link(draft, file);
  } catch (cause) {
    if (systemCode(cause) === 'EEXIST') return false;
    throw cause;
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(file));
  return true;
}

/** The extension of files being written. */
const DRAFT = /\.[0-9a-f]{16}\.draft$/;
/** Older drafts were left behind by a process that ended. */
const DRAFT_LIFE_MS = 60_000;

/** Removes drafts that a crashed process left in a folder. */
export async function sweepDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!DRAFT.test(name)) continue;
    const file = join(folder, name);
    const stats = await stat(file).catch(() => undefined);
    if (stats !== undefined && Date.now() - stats.mtimeMs > DRAFT_LIFE_MS) await rm(file, { force: true });
  }
}

async function writeDraft(file: string, content: string | Uint8Array): Promise<string> {
  await makePrivateFolder(dirname(file));
  const draft = `${file}.${randomBytes(8).toString('hex')}.draft`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } catch (cause) {
    await rm(draft, { force: true });
    throw cause;
  } finally {
    await handle.close();
  }
  return draft;
}

/** Syncs the file's name, too. */
async function syncFolder(folder: string): Promise<void> {
  // Windows cannot sync a folder.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
