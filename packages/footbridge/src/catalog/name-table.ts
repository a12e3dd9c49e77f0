/** The names of all skills of a catalog, prepared so that few of them have to be compared with one that is unknown. */
import { distance } from 'fastest-levenshtein';
import { nameKey, qualifiedName } from '../sources/skill-uri.js';
import type { Skill } from '../sources/source.js';
import { Turns } from '../turns.js';
import { editsBetween } from './edits.js';
import { bitCount, countLetters, LETTER_COUNTS, letterCountsOf, unshared } from './near.js';

const MOST = 5;
/** Longer texts are cut before comparing, which bounds the cost of hostile names. */
const COMPARED = 128;
/** How many names are compared letter by letter, and how many are searched for one that contains the other. */
const MOST_COMPARED = 4000;
const MOST_SEARCHED = 20_000;
/** Of a row that has no name: a skill without folders has one name only. */
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
    while (this.#followed !== this.#wanted) for (const _ of this.#steps(this.#wanted)) if (turns.isOver) await turns.next();
  }

  *#steps(skills: readonly Skill[]): Generator<void> {
    const edits = editsBetween(this.#followed, skills);
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

  /** The nearest skills, best first, without unrelated ones. Of very many names that look alike, not all are compared. */
  nearest(wanted: string): readonly Skill[] {
    const target = nameKey(wanted.slice(0, COMPARED));
    if (target === '') return [];
    const limit = Math.floor(Math.max(2, target.length * 0.4));
    const rows = 2 * this.#skills.length;
    this.#bound(target, limit, rows);
    const counts = letterCountsOf(target);
    const best: { readonly row: number; readonly score: number; readonly steps: number }[] = [];
    let compared = 0;
    // Beginning with those that may be nearest, since they make the rest hopeless.
    for (let least = 0; least <= limit; least++) {
      for (let row = 0; row < rows; row++) {
        if (bounds[row] !== least && !(least === 0 && bounds[row] === CONTAINED)) continue;
        const most = best.length < MOST ? limit : Math.min(limit, best.at(-1)?.score ?? limit);
        if (least > most || compared >= MOST_COMPARED) return this.#skillsOf(best);
        const key = this.#keyOf(row);
        const isContained = bounds[row] === CONTAINED;
        compared++;
        if (!isContained && unshared(counts, key, target.length) > most) continue;
        const steps = distance(key.slice(0, COMPARED), target);
        const score = isContained ? Math.min(1, steps) : steps;
        if (score > most) continue;
        best.push({ row, score, steps });
        best.sort((one, other) => one.score - other.score || one.steps - other.steps || one.row - other.row);
        if (best.length > MOST) best.pop();
      }
    }
    return this.#skillsOf(best);
  }

  /** Sets the least steps that each name can be away. */
  #bound(target: string, limit: number, rows: number): void {
    if (bounds.length < rows) bounds = new Uint8Array(2 * rows);
    const letters = new Int32Array(LETTER_COUNTS);
    countLetters(target, letters, 0);
    let searched = 0;
    for (let row = 0; row < rows; row++) {
      bounds[row] = HOPELESS;
      const length = this.#lengths[row] ?? NO_NAME;
      if (length === NO_NAME) continue;
      const apart = Math.abs(length - target.length);
      // Each character that only one of them has takes a step.
      let missing = 0;
      let more = 0;
      for (let time = 0; time < LETTER_COUNTS && !(missing > 0 && more > 0 && apart > limit); time++) {
        const [asked, own] = [letters[time] ?? 0, this.#letters[row * LETTER_COUNTS + time] ?? 0];
        missing += bitCount(asked & ~own);
        more += bitCount(own & ~asked);
      }
      if ((missing === 0 || more === 0) && searched < MOST_SEARCHED) {
        searched++;
        const key = this.#keyOf(row);
        if ((missing === 0 && key.includes(target)) || (more === 0 && target.includes(key))) {
          bounds[row] = CONTAINED;
          continue;
        }
      }
      const least = Math.max(missing, more, apart);
      if (least <= limit) bounds[row] = least;
    }
  }

  #skillsOf(best: readonly { readonly row: number }[]): readonly Skill[] {
    return [...new Set(best.flatMap(({ row }) => this.#skills[row >>> 1] ?? []))];
  }
}

/** By row; used by one search at a time. */
let bounds = new Uint8Array(4096);
/** One of the two names contains the other. */
const CONTAINED = 0xfe;
const HOPELESS = 0xff;
