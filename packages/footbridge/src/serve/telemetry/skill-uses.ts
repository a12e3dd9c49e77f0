/** How often each skill was loaded on each of the last 30 days: names and numbers, nothing of callers or content. */
import { readFile } from 'node:fs/promises';
import { isFields } from '../../json.js';

export const USE_DAYS = 30;
/** Skills that are counted on one day. */
const MAX_SKILLS = 2000;
const SAVE_MS = 2000;
const DAY_MS = 24 * 3_600_000;
/** A larger file is not ours. */
const MAX_FILE_SIZE = 8 * 1024 * 1024;

export type UseCounts = ReadonlyMap<string, number>;

/** Stores the counts. */
export interface UseStore {
  /** Adds to the counts of a day (`2026-01-31`); false when that failed. Never rejects. */
  add(day: string, counts: UseCounts): Promise<boolean>;
  /** The sums of these days; undefined when they cannot be read. Never rejects. */
  sum(days: readonly string[]): Promise<UseCounts | undefined>;
}

/** Counts in memory, and stores the counts every two seconds. */
export class SkillUses {
  readonly #store: UseStore;
  readonly #unsaved = new Map<string, Map<string, number>>();
  /** The last day that was counted, and its text: formatting a date takes as long as the rest of a call's bookkeeping. */
  #day = { number: Number.NaN, name: '' };
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(store: UseStore) {
    this.#store = store;
  }

  /** `skill` is the name of a skill that exists. */
  add(skill: string): void {
    const today = this.#today();
    const counts = this.#unsaved.get(today) ?? new Map<string, number>();
    if (counts.size < MAX_SKILLS || counts.has(skill)) counts.set(skill, (counts.get(skill) ?? 0) + 1);
    this.#unsaved.set(today, counts);
    this.#timer ??= setTimeout(() => void this.save(), SAVE_MS).unref();
  }

  #today(): string {
    const number = Math.floor(Date.now() / DAY_MS);
    if (number !== this.#day.number) this.#day = { number, name: lastDays(1)[0] ?? '' };
    return this.#day.name;
  }

  /** By skill; undefined when they cannot be read. */
  async sum(): Promise<UseCounts | undefined> {
    await this.save();
    return this.#store.sum(lastDays(USE_DAYS));
  }

  /** Resolves when every use is stored, or that has failed. */
  save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#saving = this.#saving.then(() => this.#write());
    return this.#saving;
  }

  async #write(): Promise<void> {
    const [oldest = ''] = lastDays(USE_DAYS).slice(-1);
    for (const [day, counts] of [...this.#unsaved]) {
      this.#unsaved.delete(day);
      if (day < oldest || (await this.#store.add(day, counts))) continue;
      const since = this.#unsaved.get(day);
      this.#unsaved.set(day, since === undefined ? counts : added(counts, since));
    }
  }
}

/** Today first, in UTC. */
function lastDays(count: number): readonly string[] {
  return Array.from({ length: count }, (_, back) => new Date(Date.now() - back * DAY_MS).toISOString().slice(0, 10));
}

function added(one: UseCounts, other: UseCounts): Map<string, number> {
  const sum = new Map(one);
  for (const [skill, count] of other) if (sum.size < MAX_SKILLS || sum.has(skill)) sum.set(skill, (sum.get(skill) ?? 0) + count);
  return sum;
}

/** In a private file, for one machine. */
export function useFile(file: string): UseStore {
  return {
    async add(day, counts) {
      // Another process may have written meanwhile.
      const days = new Map(await read(file));
      days.set(day, added(days.get(day) ?? new Map(), counts));
      const kept = [...days].sort(([one], [other]) => (one < other ? 1 : -1)).slice(0, USE_DAYS);
      const { writePrivate } = await import('../../state/index.js');
      const text = JSON.stringify(Object.fromEntries(kept.map(([each, skills]) => [each, Object.fromEntries(skills)])));
      // If nothing can be stored, nothing is counted.
      return writePrivate(file, text).then(
        () => true,
        () => false,
      );
    },
    async sum(days) {
      const all = await read(file);
      return days.reduce<UseCounts>((sum, day) => added(sum, all.get(day) ?? new Map()), new Map());
    },
  };
}

async function read(file: string): Promise<ReadonlyMap<string, UseCounts>> {
  try {
    const text = await readFile(file, 'utf8');
    const value: unknown = text.length > MAX_FILE_SIZE ? undefined : JSON.parse(text);
    return new Map(Object.entries(isFields(value) ? value : {}).map(([day, counts]) => [day, countsIn(counts)]));
  } catch {
    return new Map();
  }
}

/** Anything but whole numbers is ignored. */
export function countsIn(value: unknown): UseCounts {
  const entries = Object.entries(isFields(value) ? value : {}).slice(0, MAX_SKILLS);
  return new Map(
    entries.flatMap(([skill, count]) => {
      const number = Number(count);
      return Number.isSafeInteger(number) && number > 0 ? [[skill, number] as const] : [];
    }),
  );
}
