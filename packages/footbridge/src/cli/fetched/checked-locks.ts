/**
 * The sources in locks, checked once. A text that passed in an earlier run is stored in the cache folder, and the same
 * bytes need neither another check nor the code for it.
 */
import { join } from 'node:path';
import { DEEPEST, isFields } from '../../json.js';
import { keepFile, keepInTurns, readKept, shortHash } from '../../kept-file.js';
import type { LockedSource } from '../../sources/fetched/locked-sources.js';
import { inTurns } from '../../turns.js';

/** Increment it whenever the checks change. */
const FORMAT = 1;
const PREFIX = `lock-${FORMAT}-`;
/** Written after this, so that it does not delay the first answers. */
const SAVE_MS = 1000;
const MAX_VALUES = 2_000_000;

interface CheckedLock {
  readonly sources?: readonly LockedSource[];
}

/** Locks that were checked, for the life of a server. */
export class CheckedLocks {
  readonly #folder: string | undefined;
  readonly #unsaved = new Map<string, Uint8Array>();
  #saving: NodeJS.Timeout | undefined;

  /** Without a folder nothing is stored. */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** Throws an `Error` for people if the text is no lock. `path` is that of its file. */
  async sourcesIn(path: string, bytes: Buffer): Promise<readonly LockedSource[]> {
    const name = `${shortHash(path)}.json`;
    const text = bytes.toString('utf8');
    if (this.#wasGood(name, bytes)) return (JSON.parse(text) as CheckedLock).sources ?? [];
    // It may come with a project, so it is read in turns.
    const [{ sourcesSteps }, { parseInTurns }] = await Promise.all([
      import('../../sources/fetched/locked-sources.js'),
      import('../../json-turns.js'),
    ]);
    const parsed = await parseInTurns(text, { values: MAX_VALUES, depth: DEEPEST });
    if (!('value' in parsed))
      throw new Error(parsed.problem === 'invalid' ? 'it is not JSON' : 'it is nested too deeply, or has too many values');
    const sources = await inTurns(sourcesSteps(isFields(parsed.value) ? parsed.value['sources'] : undefined));
    this.#keep(name, bytes);
    return sources;
  }

  /** Writes pending results. */
  close(): void {
    clearTimeout(this.#saving);
    for (const [name, bytes] of this.#unsaved) if (this.#folder !== undefined) keepFile(this.#folder, PREFIX, name, [bytes]);
    this.#unsaved.clear();
  }

  #wasGood(name: string, bytes: Buffer): boolean {
    if (this.#folder === undefined) return false;
    try {
      return readKept(join(this.#folder, PREFIX + name)).equals(bytes);
    } catch {
      return false;
    }
  }

  #keep(name: string, bytes: Uint8Array): void {
    const folder = this.#folder;
    if (folder === undefined) return;
    this.#unsaved.set(name, bytes);
    this.#saving ??= setTimeout(() => {
      this.#saving = undefined;
      for (const [each, content] of this.#unsaved) void keepInTurns(folder, PREFIX, each, [content]);
      this.#unsaved.clear();
    }, SAVE_MS).unref();
  }
}
