/** Parses large JSON in several turns: many keys, or a long text with escapes, take `JSON.parse` up to a hundred milliseconds. */
import { DEEPEST, isFields, MOST_VALUES, shapeOf } from './json.js';
import { Turns } from './turns.js';

/** Characters of a text that is parsed at once. */
export const LARGE_JSON = 128 * 1024;
/** Of a string that is parsed at once. */
const PIECE = 64 * 1024;
/** Keys of an object: walking over more of them delays other calls. */
export const MOST_KEYS = 25_000;
/** Texts that are taken without a look at the clock. */
const UNTIMED = 8;
/** What a turn may take with all that its texts lead to, and how many texts that is: found out as they come. */
const TURN_MS = 3;
const FEWEST_AT_ONCE = 4;
const MOST_AT_ONCE = 512;
/** Characters that may wait behind a text before the stream is paused. */
const MOST_BEHIND = 256 * 1024;
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
  // To have it as one text took its time already.
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

/** What may come next. */
type Expected = 'value' | 'first item' | 'first key' | 'key' | 'colon' | 'comma' | 'end';

/** What ends a container that is empty. */
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
  /** A string that is being read: what there is of it. */
  #string: string | undefined;

  constructor(text: string, limits: JsonLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  /** Reads some tokens. True at the end. */
  read(): boolean {
    for (let tokens = 0; tokens < TOKENS; tokens++) {
      if (this.#string !== undefined) {
        // A long one takes a turn for each piece.
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
    // More white space than is skipped at once.
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

  /** Reads the next piece of a string; true if it was the last. Halves of a pair of escapes meet again in the whole. */
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
      if (++container.keys > MOST_KEYS) throw new Unreadable('values');
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
    // It has a control character, or an escape that there is not.
  }
  throw invalid();
}

/**
 * Texts that are parsed and taken one after the other: small ones at once, as many as other tasks can wait for, and large ones in
 * several turns, which those after it wait for unless they are urgent.
 */
export class JsonQueue {
  readonly #input: JsonInput;
  readonly #limits: JsonLimits;
  readonly #take: (parsed: ParsedJson, text: string) => void;
  readonly #isUrgent: (text: string) => boolean;
  readonly #waiting: string[] = [];
  #running: Promise<void> | undefined;
  /** Of all that wait. */
  #characters = 0;
  /** What is left of this turn of the event loop: a stream may deliver megabytes in one. */
  #turn: Turn | undefined;
  /** Texts that one turn takes. */
  #atOnce = UNTIMED;
  #untimed = 0;

  /** `isUrgent` says of a small text whether it overtakes those that wait. */
  constructor(
    input: JsonInput,
    limits: JsonLimits,
    take: (parsed: ParsedJson, text: string) => void,
    isUrgent: (text: string) => boolean = () => false,
  ) {
    this.#input = input;
    this.#limits = limits;
    this.#take = take;
    this.#isUrgent = isUrgent;
  }

  /** Undefined if nothing waits; else resolves when nothing does. */
  get idle(): Promise<void> | undefined {
    return this.#running;
  }

  push(text: string): void {
    const isSmall = text.length <= LARGE_JSON;
    if (isSmall && (this.#running === undefined ? !this.#isOver() : this.#isUrgent(text))) {
      this.#take(parseSmall(text, this.#limits), text);
      return;
    }
    this.#waiting.push(text);
    this.#characters += text.length;
    this.#running ??= this.#run();
    if (this.#characters - (this.#waiting[0]?.length ?? 0) > MOST_BEHIND) this.#input.pause();
  }

  async #run(): Promise<void> {
    const turns = new Turns('call', TURN_MS);
    await turns.next();
    let turn = this.#begin();
    for (let text = this.#waiting.shift(); text !== undefined; text = this.#waiting.shift()) {
      this.#characters -= text.length;
      const parsed = text.length <= LARGE_JSON ? parseSmall(text, this.#limits) : await parseInTurns(text, this.#limits);
      this.#take(parsed, text);
      if (++turn.taken < this.#atOnce && !turns.isOver) continue;
      await turns.next();
      turn = this.#begin();
    }
    this.#running = undefined;
    this.#input.resume();
  }

  #isOver(): boolean {
    // Most turns have few texts, and are not worth timing.
    if (this.#turn === undefined && ++this.#untimed % UNTIMED !== 0) return false;
    const turn = this.#turn ?? this.#begin();
    return turn.taken++ >= this.#atOnce || performance.now() - turn.begin > TURN_MS;
  }

  /** A turn is over when everything that its texts led to has run, as far as it does not wait for another turn. */
  #begin(): Turn {
    const turn = { begin: performance.now(), taken: 0 };
    this.#turn = turn;
    setImmediate(() => {
      const took = performance.now() - turn.begin;
      if (took > TURN_MS) this.#atOnce = Math.max(FEWEST_AT_ONCE, Math.min(this.#atOnce, Math.floor((turn.taken * TURN_MS) / took)));
      else if (turn.taken >= this.#atOnce && took < TURN_MS / 2) this.#atOnce = Math.min(MOST_AT_ONCE, this.#atOnce * 2);
      if (this.#turn === turn) this.#turn = undefined;
    });
    return turn;
  }
}

/** A turn of the event loop, and how many texts it took. */
interface Turn {
  readonly begin: number;
  taken: number;
}

/** Where the texts come from. It is paused while many wait, and resumed when none does. */
export interface JsonInput {
  pause(): void;
  resume(): void;
}

/** Parses JSON text that is part of a message or a file: at once if it is small. */
export async function parseText(text: string): Promise<ParsedJson> {
  const limits = { values: MOST_VALUES, depth: DEEPEST };
  return text.length <= LARGE_JSON ? parseSmall(text, limits) : parseInTurns(text, limits);
}

function parseSmall(text: string, { depth, values }: JsonLimits): ParsedJson {
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
