/** The dictionary: a number for each stem, shared by all documents of a store. */
import { lettersOf } from '../near.js';
import { stem } from './stemmer.js';
import { isStopWord } from './stop-words.js';

/** Words whose number is remembered; hostile texts must not make it grow without end. */
const MAX_REMEMBERED = 200_000;
/** Stems in the dictionary: past that, new words are not searched. */
const MAX_TERMS = 2 ** 19;

export class Terms {
  readonly #ids = new Map<string, number>();
  readonly #texts: string[] = [];
  /** By term: the letters that occur in it, as bits. */
  #letters = new Int32Array(1024);
  /** Words as written to term, since stemming is most of the work. -1 for words that have none. */
  readonly #remembered = new Map<string, number>();

  get size(): number {
    return this.#texts.length;
  }

  /** The number of a word in lower case; -1 for a stop word, and for a new word when the dictionary is full. */
  add(word: string): number {
    const known = this.#remembered.get(word);
    if (known !== undefined) return known;
    const id = isStopWord(word) ? -1 : this.addStem(stem(word));
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(word, id);
    return id;
  }

  /** The number of a stem; -1 for a new one when the dictionary is full. */
  addStem(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#texts.length;
    if (id === MAX_TERMS) return -1;
    this.#ids.set(text, id);
    this.#texts.push(text);
    if (id >= this.#letters.length) {
      const larger = new Int32Array(this.#letters.length * 2);
      larger.set(this.#letters);
      this.#letters = larger;
    }
    this.#letters[id] = lettersOf(text);
    return id;
  }

  /** Frees what only speeds up the reading of many texts. */
  forgetWords(): void {
    this.#remembered.clear();
  }

  find(text: string): number | undefined {
    return this.#ids.get(text);
  }

  text(id: number): string {
    return this.#texts[id] ?? '';
  }

  /** The letters of a term, as `lettersOf` gives them. */
  letters(id: number): number {
    return this.#letters[id] ?? 0;
  }
}
