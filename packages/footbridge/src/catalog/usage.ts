/** Which skills are loaded often and recently. Counted on this machine, for the order of the catalogue alone. */
import { isFields } from '../json.js';
import { readKept } from '../kept-file.js';
import { nameKey, qualifiedName } from '../sources/skill-uri.js';
import type { Skill } from '../sources/source.js';

/** A load counts half as much after this. */
const HALF_LIFE_MS = 14 * 24 * 3_600_000;
/** The file is written after this, once for all loads meanwhile. */
const SAVE_MS = 2000;
/** Skills that are remembered. */
const MAX_SKILLS = 2000;
/** A larger file is not ours. */
const MAX_FILE_SIZE = 1024 * 1024;

/** The decayed count of a skill's loads at a time. */
interface Use {
  readonly score: number;
  readonly at: number;
}

export class SkillUsage {
  readonly #file: string;
  /** Read from the file once, so that the order of the catalogue stays the same while the process runs. */
  #before: ReadonlyMap<string, Use> | undefined;
  /** Loads that are not in the file yet. */
  readonly #unsaved = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  /** The lower-cased names of skills that were used before this process started, those used most first. */
  get names(): readonly string[] {
    this.#before ??= this.#read();
    const now = Date.now();
    return [...this.#before].sort(([, one], [, other]) => decayed(other, now) - decayed(one, now)).map(([name]) => name);
  }

  /** Counts a load. */
  add(skill: Skill): void {
    // The earlier counts must be known before the file changes.
    this.#before ??= this.#read();
    const key = keyOf(skill);
    this.#unsaved.set(key, (this.#unsaved.get(key) ?? 0) + 1);
    this.#timer ??= setTimeout(() => void this.save(), SAVE_MS).unref();
  }

  /** Resolves when every load is in the file, or it cannot be written. */
  save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#unsaved.size > 0) this.#saving = this.#saving.then(() => this.#write());
    return this.#saving;
  }

  async #write(): Promise<void> {
    const now = Date.now();
    // Another process may have written meanwhile.
    const uses = new Map(this.#read());
    for (const [key, count] of this.#unsaved) {
      const known = uses.get(key);
      uses.set(key, { score: (known === undefined ? 0 : decayed(known, now)) + count, at: now });
    }
    this.#unsaved.clear();
    const kept = [...uses].sort(([, one], [, other]) => decayed(other, now) - decayed(one, now)).slice(0, MAX_SKILLS);
    const { writePrivate } = await import('../state/index.js');
    // Without a state folder nothing is counted.
    await writePrivate(this.#file, JSON.stringify(Object.fromEntries(kept))).catch(() => {});
  }

  #read(): ReadonlyMap<string, Use> {
    try {
      const text = readKept(this.#file).toString('utf8');
      const value: unknown = text.length > MAX_FILE_SIZE ? undefined : JSON.parse(text);
      return new Map(isFields(value) ? Object.entries(value).flatMap(([key, use]) => (isUse(use) ? [[key, use] as const] : [])) : []);
    } catch {
      return new Map();
    }
  }
}

function keyOf(skill: Skill): string {
  return nameKey(qualifiedName(skill));
}

function decayed({ score, at }: Use, now: number): number {
  return score * 2 ** (-Math.max(0, now - at) / HALF_LIFE_MS);
}

function isUse(value: unknown): value is Use {
  return isFields(value) && isAmount(value['score']) && isAmount(value['at']);
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
