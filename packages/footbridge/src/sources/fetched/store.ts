/**
 * The store: trees of skills, each in a folder that is named by the digest of all its files. A tree appears at once, by
 * renaming its folder, and never changes, so processes need no lock, and one that is killed leaves nothing half done.
 */
import { constants, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { access, mkdir, mkdtemp, readFile, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode } from '../../errors.js';
import { claimPrivateFolder, makePrivateFolder } from '../../state/index.js';
import { digestOf } from '../skills/digest.js';
import { isInside } from '../skills/folders.js';
import { SKILL_FILE } from '../source.js';
import { FetchError } from './fetch-error.js';
import { StoredTrees } from './stored-trees.js';
import { type FoundSkill, type TreeSkill, treeDigest } from './tree.js';

const ANOTHER_FOLDER = 'XDG_STATE_HOME sets another state folder.';

/** What a process that was killed left behind is removed after this. */
const ABANDONED_MS = 24 * 3600 * 1000;

/** A tree and the skills in it. */
interface StoredTree {
  readonly content: string;
  readonly skills: readonly TreeSkill[];
}

/** A store that content is put into. */
export class Store extends StoredTrees {
  /** Creates it, or checks that it is private and can be written. Throws an error for people. */
  async claim(): Promise<void> {
    await claimPrivateFolder(this.root, ANOTHER_FOLDER);
    await access(this.root, constants.W_OK).catch((cause: unknown) => {
      const reason = systemCode(cause) ?? 'unknown reason';
      throw new FetchError(`The store ${this.root} cannot be written (${reason}).`, `Check its permissions. ${ANOTHER_FOLDER}`);
    });
  }

  /** Runs `work` with a private folder on the disk of the store, and removes the folder. */
  async withTemporary<T>(work: (folder: string) => Promise<T>): Promise<T> {
    await this.claim();
    const drafts = join(this.root, 'drafts');
    await makePrivateFolder(drafts);
    this.#sweep(drafts);
    const folder = await mkdtemp(join(drafts, 'draft-'));
    try {
      return await work(folder);
    } catch (cause) {
      throw FULL.has(systemCode(cause) ?? '') ? this.#full(cause) : cause;
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  /** Moves the staged files of these skills into the store; returns the digest of the tree. `temporary` is of `withTemporary`. */
  async keep(skills: readonly FoundSkill[], temporary: string): Promise<string> {
    const content = treeDigest(skills);
    const place = this.folderOf(content);
    if (this.has(content)) {
      if (await this.isIntact(content, skills)) return content;
      // Somebody changed its files. Renamed first, so that the damaged tree disappears at once.
      renameSync(place, join(temporary, 'damaged'));
    }
    const tree = join(temporary, 'tree');
    await mkdir(tree, 0o700);
    await inParallel(skills, (skill) => writeSkill(skill, tree));
    await makePrivateFolder(dirname(place));
    try {
      renameSync(tree, place);
    } catch (cause) {
      // Another process was faster.
      if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(systemCode(cause) ?? '') || !this.has(content)) throw cause;
    }
    return content;
  }

  /** Whether every file of a tree has the recorded bytes. */
  async isIntact(content: string, skills: readonly TreeSkill[]): Promise<boolean> {
    const folder = this.folderOf(content);
    for (const skill of skills)
      for (const { digest, path } of skill.files) {
        const bytes = await readFile(join(folder, skill.folder, path)).catch(() => undefined);
        if (bytes === undefined || digestOf(bytes) !== digest) return false;
      }
    return true;
  }

  /** Skills that are the same in both trees keep the time of their last change, instead of that of the update. */
  async keepTimes(before: StoredTree, next: StoredTree): Promise<void> {
    if (before.content === next.content) return;
    const old = new Map(before.skills.map(({ files, folder }) => [folder, JSON.stringify(files)]));
    await inParallel(next.skills, async ({ files, folder }) => {
      if (old.get(folder) !== JSON.stringify(files)) return;
      const [from, to] = [before, next].map(({ content }) => join(this.folderOf(content), folder, SKILL_FILE));
      try {
        const { atime, mtime } = await stat(from ?? '');
        await utimes(to ?? '', atime, mtime);
      } catch {
        // One of the trees is not on this machine.
      }
    });
  }

  /** Removes a tree. A process that serves it reports its skills as missing. */
  async remove(content: string): Promise<void> {
    await rm(this.folderOf(content), { recursive: true, force: true });
  }

  #full(cause: unknown): FetchError {
    return new FetchError(
      `There is no room for it in ${this.root} (${systemCode(cause)}).`,
      'Nothing was added. Free some space, or set XDG_STATE_HOME to another folder.',
    );
  }

  #sweep(drafts: string): void {
    for (const name of readdirSync(drafts)) {
      const folder = join(drafts, name);
      const age = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > ABANDONED_MS) rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** A full disk, a quota, a limit of the process. */
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Skills that are written at the same time: the system does it beside this thread. */
const WRITERS = 8;

/** Rejects with the first failure, when nothing is written any more. */
async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const results = await Promise.allSettled(
    Array.from({ length: WRITERS }, async () => {
      for (const item of left) await work(item);
    }),
  );
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

async function writeSkill({ files, folder, path, staged }: FoundSkill, tree: string): Promise<void> {
  const byPath = new Map(staged.map((file) => [path === '' ? file.path : file.path.slice(path.length + 1), file]));
  const made = new Set([tree]);
  for (const file of files) {
    const target = join(tree, folder, file.path);
    if (!isInside(tree, target)) throw new Error('a skill leads out of its folder');
    const parent = dirname(target);
    if (!made.has(parent)) await mkdir(parent, { recursive: true, mode: 0o700 });
    made.add(parent);
    await byPath.get(file.path)?.moveTo(target);
  }
}
