/** Cursors: opaque to the caller, and valid after the list changed. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

/** How far from its place the last item of a page is looked for after the list changed. */
const FARTHEST = 5000;
/** Characters of a key that a cursor contains. */
const LONGEST_KEY = 1024;
/** Characters of a cursor: more than one with the longest key, every character of which is escaped, has. */
const LONGEST_CURSOR = 16 * 1024;

/** The cursor was not issued by Footbridge. */
export class CursorError extends Error {}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/**
 * The page after `cursor`, of a fixed size or of one that depends on where it starts. `key` identifies items; after the
 * cursor's item was removed, the page starts at its position.
 */
export function paginate<T>(
  items: readonly T[],
  cursor: string | undefined,
  size: number | ((start: number) => number),
  key: (item: T) => string,
): Page<T> {
  const start = cursor === undefined ? 0 : startAfter(items, cursor, key);
  const end = start + (typeof size === 'number' ? size : size(start));
  const page = items.slice(start, end);
  const last = page.at(-1);
  if (last === undefined || end >= items.length) return { items: page };
  return { items: page, nextCursor: encode(end, markOf(key(last))) };
}

/** A page of a list of the protocol. Throws a protocol error for an unknown cursor. */
export function protocolPage<T>(make: () => Page<T>): Page<T> {
  try {
    return make();
  } catch (error) {
    if (error instanceof CursorError)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${error.message} List again without a cursor.`);
    throw error;
  }
}

function startAfter<T>(items: readonly T[], cursor: string, key: (item: T) => string): number {
  const [position, after] = decode(cursor);
  const item = items[position - 1];
  if (item !== undefined && markOf(key(item)) === after) return position;
  // It seldom moved far, and the list may be very long.
  const place = Math.min(position, items.length) - 1;
  for (let distance = 0; distance <= FARTHEST; distance++) {
    for (const at of [place - distance, place + distance]) {
      const each = items[at];
      if (each !== undefined && markOf(key(each)) === after) return at + 1;
    }
  }
  return position;
}

/** What a cursor has of the key of an item. */
function markOf(key: string): string {
  return key.length > LONGEST_KEY ? key.slice(0, LONGEST_KEY) : key;
}

function encode(position: number, after: string): string {
  return Buffer.from(JSON.stringify([position, after])).toString('base64url');
}

function decode(cursor: string): [position: number, after: string] {
  if (cursor.length > LONGEST_CURSOR) throw new CursorError('Invalid cursor.');
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(value)) {
      const [position, after]: unknown[] = value;
      if (Number.isSafeInteger(position) && typeof position === 'number' && position >= 0 && typeof after === 'string')
        return [position, after];
    }
  } catch {
    // reported below
  }
  throw new CursorError('Invalid cursor.');
}
