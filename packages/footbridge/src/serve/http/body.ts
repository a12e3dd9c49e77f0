/** Reads JSON request bodies up to a limit. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { isJsonContentType } from '@modelcontextprotocol/server';
import { isDeep } from '../../json.js';
import { HttpRefusal } from './reply.js';

/** A client that is still sending would not see the response if the connection closed at once: input is discarded until it pauses. */
const DRAIN_PAUSE_MS = 200;

/** Throws a `HttpRefusal` for a body that is too long, of another type or not JSON. */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  if (!isJsonContentType(request.headers['content-type'] ?? null))
    throw new HttpRefusal(415, 'Content-Type must be application/json.', { reason: 'body' });
  const length = Number(request.headers['content-length'] ?? 0);
  const bytes = length > maxBytes ? undefined : await collect(request, maxBytes);
  if (bytes === undefined) {
    await discard(request);
    throw new HttpRefusal(413, `The body is longer than ${maxBytes} bytes.`, { reason: 'body', close: true });
  }
  if (!isUtf8(bytes)) throw new HttpRefusal(400, 'Parse error: the body is not UTF-8.', { code: -32700, reason: 'body' });
  const text = bytes.toString('utf8');
  if (isDeep(text)) throw new HttpRefusal(400, 'Parse error: the body is nested too deeply.', { code: -32700, reason: 'body' });
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpRefusal(400, 'Parse error: the body is not valid JSON.', { code: -32700, reason: 'body' });
  }
}

/** Undefined for more than `maxBytes`. */
function collect(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) return void chunks.push(chunk);
      chunks.length = 0;
      resolve(undefined);
    });
    let ended = false;
    request.on('end', () => {
      ended = true;
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    });
    // Every request closes, after its response if not before. Without a listener for errors Node reports none.
    request.on('close', () => {
      if (!ended) reject(new HttpRefusal(400, 'The body is incomplete.', { reason: 'body', close: true }));
    });
  });
}

function discard(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const quiet = setTimeout(resolve, DRAIN_PAUSE_MS);
    request.on('data', () => quiet.refresh());
    for (const event of ['end', 'error', 'close'])
      request.on(event, () => {
        clearTimeout(quiet);
        resolve();
      });
  });
}
