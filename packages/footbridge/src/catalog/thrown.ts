/** Reads errors without trusting them: getters may throw, proxies may lie, chains may be endless. */

/** One error of a chain, as plain facts. */
export interface Thrown {
  readonly name: string;
  readonly message: string;
  /** Names a library gave the failure, such as `ECONNRESET` or `AccessDenied`. */
  readonly codes: readonly string[];
  /** Numbers it gave: HTTP statuses and JSON-RPC codes. */
  readonly numbers: readonly number[];
}

const LONGEST_CHAIN = 16;
/** A longer message is cut before anything else. */
const LONGEST_MESSAGE = 16_384;
const LONGEST_CODE = 100;

const CODE_PLACES = [
  ['code'],
  ['Code'],
  ['status'],
  ['statusCode'],
  ['response', 'status'],
  ['response', 'statusCode'],
  ['$metadata', 'httpStatusCode'],
  ['extensions', 'code'],
  ['data', 'code'],
  ['data', 'name'],
  ['data', 'type'],
  ['data', 'error'],
  ['data', 'reason'],
  ['data', 'status'],
  ['data', 'statusCode'],
  ['data', 'httpStatus'],
];

/** An error and its causes, the outermost first. Never throws. */
export function thrownChain(thrown: unknown): Thrown[] {
  const chain: Thrown[] = [];
  const seen = new Set<unknown>();
  const waiting: unknown[] = [thrown];
  while (waiting.length > 0 && chain.length < LONGEST_CHAIN) {
    const next = waiting.shift();
    if (seen.has(next)) continue;
    seen.add(next);
    chain.push(toThrown(next));
    const cause = read(next, 'cause');
    if (cause !== undefined && cause !== null) waiting.push(cause);
    waiting.push(...elements(read(next, 'errors')));
  }
  return chain;
}

function toThrown(thrown: unknown): Thrown {
  if (!isObject(thrown)) return { name: '', message: primitiveText(thrown), codes: [], numbers: [] };
  const found = CODE_PLACES.map((place) => place.reduce(read, thrown));
  const numbers = found.map((value) => (typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value));
  return {
    name: word(read(thrown, 'name')),
    message: text(read(thrown, 'message'), LONGEST_MESSAGE),
    codes: found.map(word).filter((value) => value !== ''),
    numbers: numbers.filter((value) => typeof value === 'number'),
  };
}

/** A property; undefined where reading it throws. */
function read(value: unknown, key: string): unknown {
  if (!isObject(value)) return undefined;
  try {
    return Reflect.get(value, key);
  } catch {
    return undefined;
  }
}

function elements(value: unknown): unknown[] {
  try {
    return Array.isArray(value) ? value.slice(0, LONGEST_CHAIN) : [];
  } catch {
    return [];
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** A name or a code. A longer text is left out whole: a part of it could be part of a secret. */
function word(value: unknown): string {
  return typeof value === 'string' && value.length <= LONGEST_CODE ? value : '';
}

function text(value: unknown, longest: number): string {
  return typeof value === 'string' ? value.slice(0, longest) : '';
}

function primitiveText(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown.slice(0, LONGEST_MESSAGE);
  if (typeof thrown === 'symbol') return text(thrown.description, LONGEST_MESSAGE);
  return thrown === undefined || thrown === null ? `The reader threw ${thrown}.` : String(thrown);
}
