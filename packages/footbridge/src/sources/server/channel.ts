/** Requests to a server on behalf of a caller. */
import { type Fields, isFields, weightOf } from '../../json.js';
import { inTurns, stepsOver } from '../../turns.js';
import { InputRequired, type ReadContext, type ResourceContents, type ResourceReading } from '../resource.js';

export interface Channel {
  /** Rejects with a `ServerError` when the server answers with an error, and when the request is cancelled. */
  request(method: string, params: Fields, context: ReadContext): Promise<Fields>;
}

/** A server's error. */
export class ServerError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data: unknown,
    /** The error thrown by a server in this process. */
    cause?: unknown,
  ) {
    // Without a name of its own, which would be shown as if the server had sent it.
    super(message, cause === undefined ? undefined : { cause });
  }
}

const NOT_FOUND: readonly number[] = [-32002, -32602];
/** Messages of servers that use other codes. */
const NOT_FOUND_WORDS = /\b(?:not found|no such|unknown resource|does(?: not|n't) exist)\b/i;

/** Whether a server answered that it has no such resource. */
export function saysNotFound(cause: unknown): cause is ServerError {
  return cause instanceof ServerError && (NOT_FOUND.includes(cause.code) || NOT_FOUND_WORDS.test(cause.message));
}

/** Limit of pages for a server whose list never ends. */
const MAX_PAGES = 1000;
/** The approximate size of all its entries and cursors together, in bytes. */
const LARGEST_LIST = 64 * 1024 * 1024;
export const METHOD_NOT_FOUND = -32601;

/** All entries of a list that are objects; undefined from a server that does not know the method. */
export async function listAll(channel: Channel, method: string, field: string, context: ReadContext): Promise<Fields[] | undefined> {
  const entries: Fields[] = [];
  const cursors = new Set<unknown>();
  let cursor: unknown;
  let size = 0;
  do {
    let result: Fields;
    try {
      result = await channel.request(method, cursor === undefined ? {} : { cursor }, context);
    } catch (cause) {
      if (cause instanceof ServerError && cause.code === METHOD_NOT_FOUND) return undefined;
      throw cause;
    }
    const listed = result[field];
    cursor = result['nextCursor'];
    // Each cursor is kept, too.
    size += weightOf(cursor, LARGEST_LIST);
    if (Array.isArray(listed))
      await inTurns(
        stepsOver<unknown>(listed, (entry) => {
          size += weightOf(entry, LARGEST_LIST);
          if (isFields(entry)) entries.push(entry);
        }),
      );
    if (size > LARGEST_LIST) throw new Error(`${method} returned more than ${LARGEST_LIST} bytes`);
    // A repeated cursor is a loop.
    if (cursors.has(cursor)) break;
    cursors.add(cursor);
  } while (typeof cursor === 'string' && cursors.size < MAX_PAGES);
  return entries;
}

/** The content of an answer. Throws when it is something else. */
export function parseReading(result: Fields): ResourceReading {
  if (result['resultType'] === 'input_required') throw new InputRequired(result);
  const { contents, _meta } = result;
  if (!Array.isArray(contents)) throw new TypeError('the server returned no contents');
  return { contents: contents.map(toContents), _meta: isFields(_meta) ? _meta : undefined };
}

/** An answer with the URI that hosts know in place of the server's own. */
export function withShownUri(result: Fields, own: string, shown: string): Fields {
  const { contents } = result;
  if (own === shown || !Array.isArray(contents)) return result;
  const rename = (each: unknown) => (isFields(each) && each['uri'] === own ? { ...each, uri: shown } : each);
  return { ...result, contents: contents.map(rename) };
}

/** The valid contents of an answer; undefined if it has none. */
export function contentsOf({ contents }: Fields): readonly ResourceContents[] | undefined {
  return Array.isArray(contents) ? contents.filter(isClean) : undefined;
}

function toContents(value: unknown, index: number): ResourceContents {
  if (isClean(value)) return value;
  // An object from this process may contain values that JSON cannot: undefined fields, a URL as the URI.
  const sent: unknown = isFields(value) ? JSON.parse(JSON.stringify(value)) : value;
  if (isClean(sent)) return sent;
  throw new TypeError(`the server returned invalid content: contents[${index}]`);
}

/** Whether it has a URI, and either text or a blob. */
function isClean(value: unknown): value is ResourceContents {
  if (!isFields(value) || typeof value['uri'] !== 'string') return false;
  return 'text' in value ? typeof value['text'] === 'string' && !('blob' in value) : typeof value['blob'] === 'string';
}
