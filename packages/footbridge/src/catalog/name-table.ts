/** An index of the names of all skills of a catalog, so that few of them have to be compared with an unknown name. */
import { distance } from 'fastest-levenshtein';
import { nameKey, qualifiedName } from '../sources/skill-uri.js';
import type { Skill } from '../sources/source.js';
import { atOnce, Turns } from '../turns.js';
import { bitCount, countLetters, LETTER_COUNTS, letterCountsOf, MAX_SPELLED, unshared } from './near.js';
import { skillEditsBetween } from './skill-edits.js';

const MAX = 5;
/** Longer texts are cut before comparing, which bounds the cost of hostile names. */
const COMPARED = 128;
/** How many names are searched for one that contains the other. */
const MAX_SEARCHED = 20_000;
/** Marks an unused row: a skill without folders has only one name. */
const NO_NAME = 0xffff;

/** Two rows for each skill: its name, and its name with its folders. */
export class NameTable {
  readonly #skills: (Skill | undefined)[] = [];
  readonly #free: number[] = [];
  #lengths = new Uint16Array(2048);
  /** The characters of each name, as bits: those that occur, then those that occur at least twice, and so on. */
  #letters = new Int32Array(2048 * LETTER_COUNTS);
  /** The skills that are in the table. */
  #followed: readonly Skill[] = [];
  #wanted: readonly Skill[] = [];
  #working: Promise<void> | undefined;

  /** Whether it has these skills and no others. */
  has(skills: readonly Skill[]): boolean {
    return this.#followed === skills && this.#working === undefined;
  }

  /** Takes in these skills, in slices. */
  follow(skills: readonly Skill[]): Promise<void> {
    this.#wanted = skills;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
    return this.#working;
  }

  /** The same at once. */
  followNow(skills: readonly Skill[]): void {
    for (const _ of this.#steps(skills));
  }

  async #work(): Promise<void> {
    const turns = new Turns();
    while (this.#followed !== this.#wanted) {
      // Comparing the skills is the first step.
      if (turns.isOver) await turns.next();
      for (const _ of this.#steps(this.#wanted)) if (turns.isOver) await turns.next();
    }
  }

  *#steps(skills: readonly Skill[]): Generator<void> {
    const edits = skillEditsBetween(this.#followed, skills);
    for (const { removed } of edits) {
      for (const skill of removed) {
        const at = this.#skills.indexOf(skill);
        if (at !== -1) this.#clear(at);
        yield;
      }
    }
    for (const { added } of edits) {
      for (const skill of added) {
        this.#set(this.#free.pop() ?? this.#skills.length, skill);
        yield;
      }
    }
    this.#followed = skills;
  }

  #clear(at: number): void {
    this.#skills[at] = undefined;
    this.#lengths.fill(NO_NAME, 2 * at, 2 * at + 2);
    this.#free.push(at);
  }

  #set(at: number, skill: Skill): void {
    if (2 * at + 2 > this.#lengths.length) {
      const [lengths, letters] = [new Uint16Array(2 * this.#lengths.length), new Int32Array(2 * this.#letters.length)];
      lengths.set(this.#lengths);
      letters.set(this.#letters);
      [this.#lengths, this.#letters] = [lengths, letters];
    }
    this.#skills[at] = skill;
    this.#letters.fill(0, 2 * at * LETTER_COUNTS, (2 * at + 2) * LETTER_COUNTS);
    this.#lengths[2 * at + 1] = NO_NAME;
    for (let row = 2 * at; row < 2 * at + (skill.group.length === 0 ? 1 : 2); row++) {
      const key = this.#keyOf(row);
      this.#lengths[row] = Math.min(key.length, NO_NAME - 1);
      countLetters(key, this.#letters, row * LETTER_COUNTS);
    }
  }

  #keyOf(row: number): string {
    const skill = this.#skills[row >>> 1];
    return skill === undefined ? '' : nameKey(row % 2 === 0 ? skill.name : qualifiedName(skill));
  }

  /** The nearest skills, best first, without unrelated ones. If very many names are similar, not all of them are compared. */
  nearest(wanted: string): readonly Skill[] {
    return atOnce(this.stepsToNearest(wanted));
  }

  /** The same step by step, each less than a millisecond. */
  *stepsToNearest(wanted: string): Generator<void, readonly Skill[]> {
    const target = nameKey(wanted.slice(0, COMPARED));
    if (target === '') return [];
    const limit = Math.floor(Math.max(2, target.length * 0.4));
    const rows = 2 * this.#skills.length;
    const bounds = spare.length < rows ? new Uint8Array(2 * rows) : spare;
    // Another search may begin before this one ends.
    spare = NO_BOUNDS;
    yield* this.#bound(bounds, target, limit, rows);
    const best = yield* this.#compare(bounds, target, limit, rows);
    spare = bounds;
    return [...new Set(best)];
  }

  /** Sets the lower bound of each name's edit distance. */
  *#bound(bounds: Uint8Array, target: string, limit: number, rows: number): Generator<void> {
    const letters = new Int32Array(LETTER_COUNTS);
    countLetters(target, letters, 0);
    const [first = 0] = letters;
    const searched = { left: MAX_SEARCHED };
    for (let row = 0; row < rows; row++) {
      if (row % STRIDE === STRIDE - 1) yield;
      bounds[row] = HOPELESS;
      const length = this.#lengths[row] ?? NO_NAME;
      if (length === NO_NAME) continue;
      const own = this.#letters[row * LETTER_COUNTS] ?? 0;
      // Each character that only one of them has takes an edit.
      const [missing, more] = [bitCount(first & ~own), bitCount(own & ~first)];
      const isApart = missing > 0 && more > 0;
      const apart = Math.abs(length - target.length);
      if (isApart && Math.max(missing, more, apart) > limit) continue;
      bounds[row] = this.#leastSteps(row, target, letters, limit, searched);
    }
  }

  #leastSteps(row: number, target: string, letters: Int32Array, limit: number, searched: { left: number }): number {
    let missing = 0;
    let more = 0;
    for (let time = 0; time < LETTER_COUNTS; time++) {
      const [asked, own] = [letters[time] ?? 0, this.#letters[row * LETTER_COUNTS + time] ?? 0];
      missing += bitCount(asked & ~own);
      more += bitCount(own & ~asked);
    }
    if ((missing === 0 || more === 0) && searched.left > 0) {
      searched.left--;
      const key = this.#keyOf(row);
      if ((missing === 0 && key.includes(target)) || (more === 0 && target.includes(key))) return CONTAINED;
    }
    const least = Math.max(missing, more, Math.abs((this.#lengths[row] ?? 0) - target.length));
    return least <= limit ? least : HOPELESS;
  }

  /** Starts with the lowest bounds, since a near match rules out the rest. */
  *#compare(bounds: Uint8Array, target: string, limit: number, rows: number): Generator<void, readonly Skill[]> {
    const counts = letterCountsOf(target);
    const best: Compared[] = [];
    let compared = 0;
    for (const bound of [CONTAINED, ...Array.from({ length: limit + 1 }, (_, least) => least)]) {
      for (let row = bounds.indexOf(bound); row !== -1 && row < rows; row = bounds.indexOf(bound, row + 1)) {
        const most = best.length < MAX ? limit : Math.min(limit, best.at(-1)?.score ?? limit);
        if ((bound !== CONTAINED && bound > most) || compared >= MAX_SPELLED) return best.map(({ skill }) => skill);
        if (++compared % STRIDE_COMPARED === 0) yield;
        const skill = this.#skills[row >>> 1];
        const key = this.#keyOf(row);
        if (skill === undefined || (bound !== CONTAINED && unshared(counts, key, target.length) > most)) continue;
        const steps = distance(key.slice(0, COMPARED), target);
        const score = bound === CONTAINED ? Math.min(1, steps) : steps;
        if (score > most) continue;
        best.push({ row, skill, score, steps });
        best.sort((one, other) => one.score - other.score || one.steps - other.steps || one.row - other.row);
        if (best.length > MAX) best.pop();
      }
    }
    return best.map(({ skill }) => skill);
  }
}

interface Compared {
  readonly row: number;
  readonly skill: Skill;
  readonly score: number;
  readonly steps: number;
}

/** By row, left by the last search for the next one. */
let spare = new Uint8Array(4096);
const NO_BOUNDS = new Uint8Array();
/** One of the two names contains the other. */
const CONTAINED = 0xfe;
const HOPELESS = 0xff;
/** Rows, and comparisons, between two steps. */
const STRIDE = 8192;
const STRIDE_COMPARED = 128;
