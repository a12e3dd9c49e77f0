/**
 * The store: trees of skills, each in a folder that is named by the digest of all its files. A tree appears at once, by
 * renaming its folder, and never changes, so processes need no lock, and a killed process leaves nothing incomplete.
 */
import { constants, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { systemCode } from '../../errors.js';
import { claimPrivateFolder, makePrivateFolder } from '../../state/index.js';
import { inTurns } from '../../turns.js';
import { digestOf } from '../skills/digest.js';
import { SKILL_FILE } from '../source.js';
import { FetchError } from './fetch-error.js';
import { StoredTrees } from './stored-trees.js';
import { type FoundSkill, type TreeSkill, treeDigest } from './tree.js';

const ANOTHER_FOLDER = 'XDG_STATE_HOME sets another state folder.';

/** Leftovers of a killed process are removed after this. */
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
      // Its files were changed. Renamed first, so that the damaged tree disappears at once.
      renameSync(place, join(temporary, 'damaged'));
    }
    const tree = join(temporary, 'tree');
    mkdirSync(tree, 0o700);
    await inTurns(writeSteps(skills, tree));
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
    return inTurns(intactSteps(this.folderOf(content), skills));
  }

  /** Skills that are the same in both trees keep the time of their last change, instead of that of the update. */
  async keepTimes(before: StoredTree, next: StoredTree): Promise<void> {
    if (before.content !== next.content) await inTurns(this.#timeSteps(before, next));
  }

  *#timeSteps(before: StoredTree, next: StoredTree): Generator<void, void> {
    const old = new Map(before.skills.map(({ files, folder }) => [folder, JSON.stringify(files)]));
    const [from, to] = [this.folderOf(before.content), this.folderOf(next.content)];
    for (const { files, folder } of next.skills) {
      yield;
      if (old.get(folder) !== JSON.stringify(files)) continue;
      try {
        const { atime, mtime } = statSync(join(from, folder, SKILL_FILE));
        utimesSync(join(to, folder, SKILL_FILE), atime, mtime);
      } catch {
        // One of the trees is not on this machine.
      }
    }
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

// Awaiting a call costs more than writing a small file: these steps are synchronous, and the caller yields between them.

function* writeSteps(skills: readonly FoundSkill[], tree: string): Generator<void, void> {
  for (const { files, folder, path, staged } of skills) {
    const byPath = new Map(staged.map((file) => [path === '' ? file.path : file.path.slice(path.length + 1), file]));
    const made = new Set<string>();
    for (const file of files) {
      const target = join(tree, folder, file.path);
      // Its path is in the shortest form now.
      if (!target.startsWith(`${tree}${sep}`)) throw new Error('a skill leads out of its folder');
      const parent = dirname(target);
      if (!made.has(parent)) mkdirSync(parent, { recursive: true, mode: 0o700 });
      made.add(parent);
      byPath.get(file.path)?.moveTo(target);
      yield;
    }
  }
}

function* intactSteps(tree: string, skills: readonly TreeSkill[]): Generator<void, boolean> {
  for (const skill of skills)
    for (const { digest, path } of skill.files) {
      if (digestIn(join(tree, skill.folder, path)) !== digest) return false;
      yield;
    }
  return true;
}

/** Undefined if it cannot be read. */
function digestIn(file: string): string | undefined {
  try {
    return digestOf(readFileSync(file));
  } catch {
    return undefined;
  }
}
