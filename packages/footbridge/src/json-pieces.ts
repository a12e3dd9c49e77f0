/** Large JSON in pieces, so that other calls get their turn: `JSON.stringify` of a long text takes up to 70 ns per character. */
import { weightOf } from './json.js';
import { ownJsonOf, setOwnJson, withoutJsonTexts, writeJson } from './json-text.js';
import { slicesOf } from './text.js';
import { Turns } from './turns.js';

/** The number of characters or values up to which JSON is written at once. Larger JSON is written in pieces. */
const MAX_CHARACTERS = 128 * 1024;
const MAX_VALUES = 10_000;
/** Characters in a piece, before they are escaped. */
const PIECE = 32 * 1024;
/** Characters of JSON before other tasks get their turn, however fast they are written: each is copied a few times more. */
const MAX_IN_TURN = 512 * 1024;
/** The same for a part of a large object, which is then one token. */
const CHARACTERS_OF_TOKEN = 16 * 1024;
const VALUES_OF_TOKEN = 400;
/** Tokens per piece. Checking whether a value is too large for one takes time, even if the token is a bracket. */
const TOKENS_OF_PIECE = 64;
/** Array elements that are written together. */
const MAX_TOGETHER = 64;
const DEEPEST = 5000;

/** Whether an object is to be written in pieces. */
export function isLargeJson(object: object): boolean {
  return hasMore(object, MAX_CHARACTERS, MAX_VALUES);
}

/** Whether an object has more values, or longer texts, than that. */
function hasMore(object: object, mostCharacters: number, mostValues: number): boolean {
  const texts: string[] = [];
  return withoutJsonTexts(texts, () => isBeyond(object, mostCharacters, mostValues)) || texts.some(({ length }) => length > mostCharacters);
}

function isBeyond(object: object, mostCharacters: number, mostValues: number): boolean {
  let characters = 0;
  let values = 0;
  const left: object[] = [object];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const key in next) {
      const value: unknown = next[key as keyof object];
      if (typeof value === 'string') characters += value.length;
      else if (typeof value === 'object' && value !== null) {
        const own = Array.isArray(value) ? ownJsonOf(value) : undefined;
        if (own === undefined) left.push(value);
        else characters += own.length;
      }
      characters += key.length;
      if (++values > mostValues || characters > mostCharacters) return true;
    }
  }
  return false;
}

/** The approximate size of an object in bytes, including the JSON stored with it. Stops counting beyond `most`. */
export function bytesOf(object: object, most: number): number {
  const texts: string[] = [];
  const weight = withoutJsonTexts(texts, () => weightOf(object, most, (array) => ownJsonOf(array)?.length));
  return texts.reduce((sum, { length }) => sum + length, weight);
}

/** The JSON of a large object in one text. */
export async function largeJson(object: object): Promise<string> {
  let text = '';
  for await (const piece of jsonInTurns(object)) text += piece;
  return text;
}

/** The maximum length of the JSON stored with an array. */
const MAX_KEPT = 1024 * 1024;

/** Arrays whose JSON is being written: several answers may ask for it at once. */
const keeping = new WeakMap<readonly unknown[], Promise<void>>();

/** Writes the JSON of an immutable array, and stores it for all answers that contain the array. */
export async function keepJson(array: readonly unknown[]): Promise<void> {
  if (ownJsonOf(array) !== undefined) return;
  if (!isLargeJson(array)) return keep(array, writeJson(array));
  const kept = keeping.get(array) ?? largeJson(array).then((text) => keep(array, text));
  keeping.set(array, kept);
  await kept;
}

function keep(array: readonly unknown[], text: string): void {
  if (text.length <= MAX_KEPT) setOwnJson(array, text);
}

const prepared = new WeakMap<object, string>();

/** Writes the JSON of a large object, for `takeJson`. */
export async function prepareJson(object: object): Promise<void> {
  prepared.set(object, await largeJson(object));
}

/** The JSON of an object: the prepared one on the first call, otherwise written now. */
export function takeJson(object: object): string {
  const json = prepared.get(object);
  if (json === undefined) return JSON.stringify(object);
  prepared.delete(object);
  return json;
}

/** The JSON of an object. If it exceeds `most` characters, only a beginning that exceeds them too. */
export function jsonStart(object: object, most: number): string {
  if (!isLargeJson(object)) return writeJson(object);
  let text = '';
  for (const piece of jsonPieces(object)) {
    text += piece;
    if (text.length > most) break;
  }
  return text;
}

/** The JSON of a large object, written in slices between which other tasks run. */
export async function* jsonInTurns(object: object): AsyncGenerator<string, void, undefined> {
  const turns = new Turns('call');
  let text = '';
  for (const piece of jsonPieces(object)) {
    text += piece;
    if (text.length < MAX_IN_TURN && !turns.isOver) continue;
    yield text;
    text = '';
    await turns.next();
  }
  yield text;
}

/** The JSON of an object in pieces that take a few milliseconds each. Joined they equal `writeJson(object)`. */
export function* jsonPieces(object: object): Generator<string, void, undefined> {
  let piece = '';
  let tokens = 0;
  for (const token of tokensOf(object)) {
    piece += token;
    if (piece.length < PIECE && ++tokens < TOKENS_OF_PIECE) continue;
    yield piece;
    piece = '';
    tokens = 0;
  }
  yield piece;
}

/** Whether two objects have the same JSON. In steps: it may be large. */
export function* sameJsonSteps(one: object, other: object | undefined): Generator<void, boolean> {
  if (other === undefined || isLargeJson(one) !== isLargeJson(other)) return false;
  if (!isLargeJson(one)) return JSON.stringify(one) === JSON.stringify(other);
  const others = jsonPieces(other);
  for (const piece of jsonPieces(one)) {
    if (piece !== others.next().value) return false;
    yield;
  }
  return others.next().done === true;
}

/** An object or an array that is being written. */
interface Frame {
  readonly container: object;
  /** Undefined for an array. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  at: number;
  isFirst: boolean;
  /** How many elements to write together: more while they are small. */
  together: number;
}

function* tokensOf(object: object): Generator<string, void, undefined> {
  const frames = [frameOf(object)];
  const around = new Set([object]);
  yield Array.isArray(object) ? '[' : '{';
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    if (frame.at === frame.length) {
      yield frame.keys === undefined ? ']' : '}';
      frames.pop();
      around.delete(frame.container);
      continue;
    }
    const group = elementsOf(frame);
    if (group !== undefined) {
      if (!frame.isFirst) yield ',';
      frame.isFirst = false;
      yield writeJson(group).slice(1, -1);
      continue;
    }
    const key = frame.keys?.[frame.at] ?? String(frame.at);
    frame.at++;
    const texts: string[] = [];
    const value = shownIn(frame.container, key, texts);
    if (value === undefined && frame.keys !== undefined) continue;
    if (!frame.isFirst) yield ',';
    frame.isFirst = false;
    if (frame.keys !== undefined) {
      yield* quoted(key);
      yield ':';
    }
    const [text] = texts;
    if (text !== undefined) yield* slicesOf(text, PIECE);
    else if (typeof value === 'string') yield* quoted(value);
    else if (typeof value === 'object' && value !== null) {
      if (isToken(value)) {
        yield writeJson(value);
        continue;
      }
      if (around.has(value)) throw new TypeError('The value contains itself.');
      if (frames.length === DEEPEST) throw new RangeError('The value is nested too deeply.');
      frames.push(frameOf(value));
      around.add(value);
      yield Array.isArray(value) ? '[' : '{';
    } else yield value === undefined ? 'null' : JSON.stringify(value);
  }
}

function frameOf(container: object): Frame {
  const keys = Array.isArray(container) ? undefined : Object.keys(container);
  return {
    container,
    keys,
    length: Array.isArray(container) ? container.length : (keys?.length ?? 0),
    at: 0,
    isFirst: true,
    together: MAX_TOGETHER,
  };
}

/** The next elements of an array, if there are several that make one token; the frame goes on after them. */
function elementsOf(frame: Frame): readonly unknown[] | undefined {
  const { at, container, together } = frame;
  if (together === 1 || !Array.isArray(container)) return undefined;
  const elements: readonly unknown[] = container.slice(at, at + together);
  if (elements.some(hasOwnJson) || !isToken(elements)) {
    frame.together = together >> 1;
    return undefined;
  }
  frame.together = Math.min(2 * together, MAX_TOGETHER);
  frame.at += elements.length;
  return elements;
}

/** Whether an object is written at once. `toJSON` is not called again on its result. */
function isToken(object: object): boolean {
  return !hasOwnJson(object) && !hasMore(object, CHARACTERS_OF_TOKEN, VALUES_OF_TOKEN);
}

function hasOwnJson(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'toJSON' in value;
}

/** A field as `JSON.stringify` sees it; undefined for what it leaves out. */
function shownIn(container: object, key: string, texts: string[]): unknown {
  const value: unknown = withoutJsonTexts(texts, () => ownShown(container[key as keyof object], key));
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  return value instanceof String || value instanceof Number || value instanceof Boolean ? value.valueOf() : value;
}

function ownShown(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON(key) : value;
}

function* quoted(text: string): Generator<string, void, undefined> {
  if (text.length <= PIECE) return yield JSON.stringify(text);
  yield '"';
  for (const slice of slicesOf(text, PIECE)) yield JSON.stringify(slice).slice(1, -1);
  yield '"';
}
