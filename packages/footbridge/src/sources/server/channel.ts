/** Asking a server, in the name of whoever a request is about. */
import { type Fields, isFields } from '../../json.js';
import type { ReadContext } from '../resource.js';

export interface Channel {
  /** Resolves with the result. Rejects with a `ServerError` when the server refuses, and when the request is called off. */
  request(method: string, params: Fields, context: ReadContext): Promise<Fields>;
}

/** What a server answered instead of a result. */
export class ServerError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data: unknown,
  ) {
    // Its name would be shown as if the server had said it.
    super(message);
  }
}

/** Pages of one list; a server that never ends it is not followed further. */
const MOST_PAGES = 1000;
const METHOD_NOT_FOUND = -32601;

/** All pages of a list, what is an object in them; undefined from a server that does not know the method. */
export async function listAll(channel: Channel, method: string, field: string, context: ReadContext): Promise<Fields[] | undefined> {
  const entries: Fields[] = [];
  const cursors = new Set<unknown>();
  let cursor: unknown;
  do {
    let result: Fields;
    try {
      result = await channel.request(method, cursor === undefined ? {} : { cursor }, context);
    } catch (cause) {
      if (cause instanceof ServerError && cause.code === METHOD_NOT_FOUND) return undefined;
      throw cause;
    }
    const listed = result[field];
    if (Array.isArray(listed)) for (const entry of listed) if (isFields(entry)) entries.push(entry);
    cursor = result['nextCursor'];
    // A cursor that comes twice leads round in a circle.
    if (cursors.has(cursor)) break;
    cursors.add(cursor);
  } while (typeof cursor === 'string' && cursors.size < MOST_PAGES);
  return entries;
}
