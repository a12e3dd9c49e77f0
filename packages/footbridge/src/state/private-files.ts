/** Files that nobody else may read, written whole or not at all. */
import { randomBytes } from 'node:crypto';
import { chmod, link, lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode } from '../errors.js';

/** Makes a folder for the owner of this process alone, and those above it. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

const WRITABLE_BY_OTHERS = 0o022;
const OPEN_TO_OTHERS = 0o077;

/**
 * Makes the folder that all others are in, or makes sure that nobody else has had a hand in it. Throws an error for people, which
 * ends with `advice`: how to choose another folder.
 */
export async function claimPrivateFolder(folder: string, advice: string): Promise<void> {
  await makePrivateFolder(folder).catch((cause: unknown) => {
    throw new Error(`${folder} cannot be made (${systemCode(cause) ?? 'unknown reason'}). ${advice}`);
  });
  if (process.geteuid === undefined) return;
  const own = process.geteuid();
  const [entry, { mode, uid }] = await Promise.all([lstat(folder), stat(folder)]);
  // Root may lead us elsewhere by a link, but nobody else: they could lead us somewhere else later.
  if (uid !== own || (entry.uid !== own && entry.uid !== 0)) throw new Error(`${folder} belongs to another user. ${advice}`);
  if ((mode & WRITABLE_BY_OTHERS) !== 0 && (await readdir(folder)).length > 0)
    throw new Error(
      `${folder} can be changed by other users, so what is in it cannot be trusted. Look into it, and then \`chmod 700\` it. ${advice}`,
    );
  if ((mode & OPEN_TO_OTHERS) !== 0) await chmod(folder, 0o700);
}

/** Replaces a file: after a crash there is the old content or the new, and it is on the disk when this resolves. */
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

/** Makes a file that is not there yet, and says whether it was so: of several that try at once one succeeds. */
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

/** What a name ends with that is only on its way to be a file. */
const DRAFT = /\.[0-9a-f]{16}\.draft$/;
/** What is still on its way after so long was left behind by a process that ended. */
const DRAFT_LIFE_MS = 60_000;

/** Removes what a process that ended half-way left behind in a folder. */
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

/** So that the name is on the disk, too. */
async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder for that.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
