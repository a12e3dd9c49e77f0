/** A skill as a search sees it: the terms in it, each with a weight from 1 to 255. */
import { stem } from './stemmer.js';
import type { Terms } from './terms.js';
import { eachWord } from './words.js';

/** Term and weight in one number each: `term << 8 | weight`, in order of terms. */
export type SearchDocument = Uint32Array;

export interface DocumentText {
  readonly name: string;
  /** The folders it lies in. */
  readonly group: readonly string[];
  readonly description: string;
  /** The beginning of `SKILL.md`, where it is known. */
  readonly opening?: string | undefined;
}

/** How much a word counts in a field, the usual number of words there, and how much a longer text dilutes them. */
export interface Field {
  readonly weight: number;
  readonly usual: number;
  readonly dilution: number;
}

/** A text in a field. */
export interface DocumentPart {
  readonly field: Field;
  readonly text: string;
  /** What is indexed for a word; default: its stem, unless it is a stop word. */
  readonly termOf?: (word: string) => string | undefined;
}

const FIELDS = {
  name: { weight: 7, usual: 3, dilution: 0.3 },
  group: { weight: 1, usual: 1, dilution: 0.3 },
  description: { weight: 7, usual: 20, dilution: 0.7 },
  heading: { weight: 0.8, usual: 30, dilution: 0.5 },
} as const satisfies Record<string, Field>;

/** Description and text together count once more, as one: what the text says often adds no more than this part. */
const BODY_SHARE = 0.25;
const BODY_SATURATION = 1.2;
const BODY: Field = { weight: 1, usual: 450, dilution: 0.75 };

/** How soon repeating a word stops counting: in a skill, and in what is composed of other fields. */
const SATURATION = 14;
const COMPOSED_SATURATION = 8;

/** Characters of a description that are searched; the standard allows 1,024. */
const LONGEST_DESCRIPTION = 8192;

/** Numbers of a piece of memory. */
const PIECE = 16 * 1024;

/** The least length that counts, as a part of the usual one. */
const SHORTEST = 0.5;

export class DocumentBuilder {
  readonly #terms: Terms;
  /** By term. */
  #counts = new Float64Array(4096);
  #weights = new Float64Array(4096);
  #values = new Float64Array(4096);
  #counted: number[] = [];
  #weighed: number[] = [];
  /** Documents lie one after the other in pieces of memory: one for each would leave holes between what is kept. */
  #piece = new Uint32Array(PIECE);
  #used = 0;
  #found: number[] = [];

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  build({ name, group, description, opening = '' }: DocumentText): SearchDocument {
    // A name may consist of words that are stop words elsewhere.
    this.#field(FIELDS.name, name, (word) => this.#terms.addStem(stem(word)));
    for (const folder of group) this.#field(FIELDS.group, folder);
    const described = withoutExclusions(description.slice(0, LONGEST_DESCRIPTION));
    this.#field(FIELDS.description, described);
    const { headings, text } = partsOf(opening);
    this.#field(FIELDS.heading, headings);
    this.#saturate(1 - BODY_SHARE, SATURATION);
    this.#field(BODY, described);
    this.#field(BODY, text);
    this.#saturate(BODY_SHARE, BODY_SATURATION);
    return this.#finish();
  }

  /** From fields of any kind. */
  compose(parts: readonly DocumentPart[]): SearchDocument {
    for (const { field, text, termOf } of parts) {
      if (termOf === undefined) this.#field(field, text);
      else
        this.#field(field, text, (word) => {
          const term = termOf(word);
          return term === undefined ? -1 : this.#terms.addStem(term);
        });
    }
    this.#saturate(1, COMPOSED_SATURATION);
    return this.#finish();
  }

  #field({ weight, usual, dilution }: Field, text: string, termOf = (word: string) => this.#terms.add(word)): void {
    let length = 0;
    eachWord(text, (word) => {
      length++;
      const term = termOf(word);
      if (term < 0) return;
      if (term >= this.#counts.length) this.#grow(term);
      if (this.#counts[term] === 0) this.#counted.push(term);
      this.#counts[term] = (this.#counts[term] ?? 0) + 1;
    });
    // A very short text is not that much more to the point.
    const share = weight / (1 - dilution + dilution * Math.max(SHORTEST, length / usual));
    for (const term of this.#counted) {
      if (this.#weights[term] === 0) this.#weighed.push(term);
      this.#weights[term] = (this.#weights[term] ?? 0) + share * (this.#counts[term] ?? 0);
      this.#counts[term] = 0;
    }
    this.#counted.length = 0;
  }

  /** What the fields so far are worth, as a part of all. */
  #saturate(part: number, saturation: number): void {
    for (const term of this.#weighed) {
      const weight = this.#weights[term] ?? 0;
      this.#weights[term] = 0;
      if (this.#values[term] === 0) this.#found.push(term);
      this.#values[term] = (this.#values[term] ?? 0) + (part * weight) / (saturation + weight);
    }
    this.#weighed.length = 0;
  }

  #finish(): SearchDocument {
    const document = this.#take(this.#found.length);
    this.#found.forEach((term, index) => {
      document[index] = term * 256 + Math.max(1, Math.round(255 * (this.#values[term] ?? 0)));
      this.#values[term] = 0;
    });
    this.#found.length = 0;
    return document.sort();
  }

  #take(length: number): Uint32Array {
    if (this.#used + length > this.#piece.length) {
      this.#piece = new Uint32Array(Math.max(PIECE, length));
      this.#used = 0;
    }
    this.#used += length;
    return this.#piece.subarray(this.#used - length, this.#used);
  }

  #grow(term: number): void {
    const size = 2 ** Math.ceil(Math.log2(term + 1));
    const [counts, weights, values] = [new Float64Array(size), new Float64Array(size), new Float64Array(size)];
    counts.set(this.#counts);
    weights.set(this.#weights);
    values.set(this.#values);
    [this.#counts, this.#weights, this.#values] = [counts, weights, values];
  }
}

/** Without sentences about what a skill is not for. */
function withoutExclusions(description: string): string {
  return description.replace(/(?:^|(?<=[.!?;]\s))(?:do not|don't|never|not)\s+(?:use\b|for\b|trigger|invoke)[^.!?]{0,400}/gi, '');
}

/** Headings and other text of the beginning of a `SKILL.md`, without its frontmatter. */
function partsOf(opening: string): { readonly headings: string; readonly text: string } {
  const end = opening.startsWith('---') ? opening.indexOf('\n---', 3) : -1;
  const body = end === -1 ? opening : opening.slice(opening.indexOf('\n', end + 1) + 1);
  const headings = [...body.matchAll(/^#{1,6} .*$/gm)].map(([line]) => line);
  return { headings: headings.join('\n'), text: body };
}
