/** Parses large JSON in several turns: many keys, or a long text with escapes, take `JSON.parse` up to a hundred milliseconds. */
import { DEEPEST, isFields, MAX_VALUES, shapeOf } from './json.js';
import { Turns } from './turns.js';

/** The length up to which a text is parsed at once. */
export const LARGE_JSON = 128 * 1024;
/** The length up to which a string is parsed at once. */
const PIECE = 64 * 1024;
/** Keys of an object: walking over more of them delays other calls. */
export const MAX_KEYS = 25_000;
/** Tokens between two looks at the clock. */
const TOKENS = 64;

export interface JsonLimits {
  readonly values: number;
  /** Deeper nesting can be parsed but not stringified. */
  readonly depth: number;
}

/** A value, or why it is missing. */
export type ParsedJson = { readonly value: unknown } | { readonly problem: 'invalid' | 'deep' | 'values' };

/** The same value as that of `JSON.parse`. */
export async function parseInTurns(text: string, limits: JsonLimits): Promise<ParsedJson> {
  const reader = new Reader(text, limits);
  const turns = new Turns('call');
  // Decoding it into one text took time already.
  await turns.next();
  try {
    while (!reader.read()) if (turns.isOver) await turns.next();
    return { value: reader.value };
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.problem };
    throw error;
  }
}

class Unreadable extends Error {
  constructor(readonly problem: 'invalid' | 'deep' | 'values') {
    super(problem);
  }
}

const invalid = () => new Unreadable('invalid');

type Container = { readonly array: unknown[] } | { readonly object: Record<string, unknown>; key: string; keys: number };

/** The tokens that may come next. */
type Expected = 'value' | 'first item' | 'first key' | 'key' | 'colon' | 'comma' | 'end';

/** The token that ends an empty container. */
const FIRST_CLOSED: Readonly<Partial<Record<Expected, string>>> = { 'first item': ']', 'first key': '}' };

const WHITE = /[ \t\n\r]{0,1024}/y;
/** Longer numbers are refused. */
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d{0,1999})(?:\.\d{1,2000})?(?:[eE][+-]?\d{1,100})?)(?![\w.+-])/y;
const ESCAPED = /[\\\p{Cc}]/u;

class Reader {
  value: unknown;
  readonly #text: string;
  readonly #limits: JsonLimits;
  readonly #stack: Container[] = [];
  #at = 0;
  #count = 0;
  #expected: Expected = 'value';
  /** A string that is being read, so far. */
  #string: string | undefined;

  constructor(text: string, limits: JsonLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  /** Reads some tokens. True at the end. */
  read(): boolean {
    for (let tokens = 0; tokens < TOKENS; tokens++) {
      if (this.#string !== undefined) {
        // A long string takes a turn for each piece.
        if (!this.#stringPiece()) return false;
        continue;
      }
      this.#skipWhite();
      if (this.#at >= this.#text.length) {
        if (this.#expected !== 'end') throw invalid();
        return true;
      }
      this.#token();
    }
    return false;
  }

  #skipWhite(): void {
    WHITE.lastIndex = this.#at;
    WHITE.test(this.#text);
    this.#at = WHITE.lastIndex;
  }

  #token(): void {
    const character = this.#text.charAt(this.#at);
    // More whitespace than is skipped at once.
    if (/[ \t\n\r]/.test(character)) return;
    if (this.#expected === 'end') throw invalid();
    if (this.#expected === 'comma') this.#next(character);
    else if (this.#expected === 'colon') this.#colon(character);
    else if (character === FIRST_CLOSED[this.#expected]) this.#close();
    else if (this.#expected === 'value' || this.#expected === 'first item') this.#begin(character);
    else this.#beginString(character);
  }

  #colon(character: string): void {
    if (character !== ':') throw invalid();
    this.#at++;
    this.#expected = 'value';
  }

  #next(character: string): void {
    const container = this.#stack.at(-1);
    const isArray = container !== undefined && 'array' in container;
    if (character === (isArray ? ']' : '}')) {
      this.#close();
      return;
    }
    if (character !== ',') throw invalid();
    this.#at++;
    this.#expected = isArray ? 'value' : 'key';
  }

  #begin(character: string): void {
    if (++this.#count > this.#limits.values) throw new Unreadable('values');
    if (character === '"') this.#beginString(character);
    else if (character === '[' || character === '{') this.#open(character);
    else this.#scalar();
  }

  #open(bracket: '[' | '{'): void {
    if (this.#stack.length >= this.#limits.depth) throw new Unreadable('deep');
    this.#at++;
    this.#stack.push(bracket === '[' ? { array: [] } : { object: {}, key: '', keys: 0 });
    this.#expected = bracket === '[' ? 'first item' : 'first key';
  }

  #scalar(): void {
    SCALAR.lastIndex = this.#at;
    const [scalar] = SCALAR.exec(this.#text) ?? [];
    if (scalar === undefined) throw invalid();
    this.#at += scalar.length;
    this.#take(JSON.parse(scalar));
  }

  #close(): void {
    this.#at++;
    const container = this.#stack.pop();
    if (container !== undefined) this.#take('array' in container ? container.array : container.object);
  }

  #take(value: unknown): void {
    const container = this.#stack.at(-1);
    this.#expected = container === undefined ? 'end' : 'comma';
    if (container === undefined) this.value = value;
    else if ('array' in container) container.array.push(value);
    else if (container.key === '__proto__')
      Object.defineProperty(container.object, container.key, { value, configurable: true, enumerable: true, writable: true });
    else container.object[container.key] = value;
  }

  #beginString(character: string): void {
    if (character !== '"') throw invalid();
    const begin = this.#at + 1;
    const end = this.#text.indexOf('"', begin);
    if (end === -1) throw invalid();
    const plain = end - begin > PIECE ? undefined : this.#text.slice(begin, end);
    if (plain !== undefined && !ESCAPED.test(plain)) {
      this.#at = end + 1;
      this.#takeString(plain);
    } else {
      this.#at = begin;
      this.#string = '';
    }
  }

  /** Reads the next piece of a string; true if it was the last. The halves of a surrogate pair are joined in the whole string. */
  #stringPiece(): boolean {
    const text = this.#text;
    const most = Math.min(text.length, this.#at + PIECE);
    let end = this.#at;
    for (; end < most; end++) {
      const code = text.charCodeAt(end);
      if (code === QUOTE) break;
      if (code === BACKSLASH) end += text.charCodeAt(end + 1) === LETTER_U ? 5 : 1;
    }
    if (end >= text.length) throw invalid();
    this.#string = (this.#string ?? '') + parsedString(text.slice(this.#at, end));
    this.#at = end;
    if (text.charCodeAt(end) !== QUOTE || end >= most) return false;
    this.#at++;
    const whole = this.#string;
    this.#string = undefined;
    this.#takeString(whole);
    return true;
  }

  #takeString(value: string): void {
    const container = this.#stack.at(-1);
    const isKey = this.#expected === 'key' || this.#expected === 'first key';
    if (!isKey || container === undefined || 'array' in container) this.#take(value);
    else {
      if (++container.keys > MAX_KEYS) throw new Unreadable('values');
      container.key = value;
      this.#expected = 'colon';
    }
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

function parsedString(escaped: string): string {
  try {
    const value: unknown = JSON.parse(`"${escaped}"`);
    if (typeof value === 'string') return value;
  } catch {
    // It has a control character or an invalid escape.
  }
  throw invalid();
}

/** Parses JSON text that is part of a message or a file: at once if it is small. */
export async function parseText(text: string): Promise<ParsedJson> {
  const limits = { values: MAX_VALUES, depth: DEEPEST };
  return text.length <= LARGE_JSON ? parseSmall(text, limits) : parseInTurns(text, limits);
}

/** Parses a text that is not large, at once. */
export function parseSmall(text: string, { depth, values }: JsonLimits): ParsedJson {
  const shape = shapeOf(text, values);
  if (shape.values > values) return { problem: 'values' };
  if (shape.isDeep && depth < Number.POSITIVE_INFINITY) return { problem: 'deep' };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: 'invalid' };
  }
}

/** A parsed object; undefined for anything else. */
export function fieldsOf(parsed: ParsedJson): Readonly<Record<string, unknown>> | undefined {
  return 'value' in parsed && isFields(parsed.value) ? parsed.value : undefined;
}
