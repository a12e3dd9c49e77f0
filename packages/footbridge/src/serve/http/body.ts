/** Reads JSON request bodies up to a limit. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { isJsonContentType } from '@modelcontextprotocol/server';
import { FootbridgeError } from '../../errors.js';
import { DEEPEST, MAX_VALUES, parseJson, shapeOf } from '../../json.js';
import { LARGE_JSON, MAX_KEYS, parseInTurns } from '../../json-turns.js';
import type { MemoryHold } from '../../memory-budget.js';
import { HttpRefusal } from './reply.js';

/** A client that is still sending would not see the response if the connection closed at once: input is discarded until it pauses. */
const DRAIN_PAUSE_MS = 200;

/** Longer bodies have memory reserved: for the chunks, the whole body, and twice for its text. */
const SMALL_BODY = 64 * 1024;
const COPIES_OF_BODY = 4;
/** Longer bodies are parsed in several turns. */
const LARGE_BODY = 1024 * 1024;
/** The approximate size of a value in a parsed body, in bytes. */
const BYTES_OF_VALUE = 32;

/** Throws a `HttpRefusal` for a body that is too long, of another type or not JSON, or when there is no memory for it. */
export async function readJson(request: IncomingMessage, maxBytes: number, memory?: MemoryHold): Promise<unknown> {
  if (!isJsonContentType(request.headers['content-type'] ?? null))
    throw new HttpRefusal(415, 'Content-Type must be application/json.', { reason: 'body' });
  const length = Number(request.headers['content-length'] ?? 0);
  let reserved = 0;
  const reserve = () => {
    reserved = length > 0 ? length : maxBytes;
    return memory?.take(COPIES_OF_BODY * reserved);
  };
  let bytes: Buffer | undefined;
  try {
    if (length <= maxBytes) bytes = await collect(request, maxBytes, reserve);
  } catch (cause) {
    return refuse(request, cause);
  }
  if (bytes === undefined) {
    await discard(request);
    throw new HttpRefusal(413, `The body is longer than ${maxBytes} bytes.`, { reason: 'body', close: true });
  }
  if (!isUtf8(bytes)) throw new HttpRefusal(400, 'Parse error: the body is not UTF-8.', { code: -32700, reason: 'body' });
  const isLarge = bytes.length > LARGE_BODY;
  const text = bytes.toString('utf8');
  if (isLarge) await setImmediate();
  const { isDeep, values } = shapeOf(text, MAX_VALUES);
  if (isDeep) throw new HttpRefusal(400, 'Parse error: the body is nested too deeply.', { code: -32700, reason: 'body' });
  if (values > MAX_VALUES) throw new HttpRefusal(413, `The body has more than ${MAX_VALUES} values.`, { reason: 'body' });
  if (text.length > SMALL_BODY) memory?.add(values * BYTES_OF_VALUE);
  const parsed = text.length > LARGE_JSON ? await parseInTurns(text, { values: MAX_VALUES, depth: DEEPEST }) : { value: parseJson(text) };
  if ('problem' in parsed && parsed.problem === 'values')
    throw new HttpRefusal(413, `The body has an object with more than ${MAX_KEYS} keys.`, { reason: 'body' });
  // JSON has no undefined.
  if ('problem' in parsed || parsed.value === undefined)
    throw new HttpRefusal(400, 'Parse error: the body is not valid JSON.', { code: -32700, reason: 'body' });
  // The parsed values stay in memory.
  memory?.add(-(COPIES_OF_BODY - 1) * reserved);
  return parsed.value;
}

/** Undefined for more than `maxBytes`. `reserve` is called once for a body that is not small, which waits for it. */
function collect(request: IncomingMessage, maxBytes: number, reserve: () => Promise<void> | undefined): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let isReserved = false;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) {
        chunks.length = 0;
        return resolve(undefined);
      }
      chunks.push(chunk);
      if (isReserved || length <= SMALL_BODY) return;
      isReserved = true;
      const room = attempt(reserve);
      if (room === undefined) return;
      request.pause();
      room.then(() => request.resume(), reject);
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

/** Returns a promise that rejects if it throws. */
function attempt(reserve: () => Promise<void> | undefined): Promise<void> | undefined {
  try {
    return reserve();
  } catch (cause) {
    return Promise.reject(cause);
  }
}

async function refuse(request: IncomingMessage, cause: unknown): Promise<never> {
  if (!(cause instanceof FootbridgeError)) throw cause;
  request.resume();
  await discard(request);
  throw new HttpRefusal(503, 'The server is busy. Try again in a moment.', {
    reason: 'concurrency',
    headers: { 'retry-after': '5' },
    close: true,
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
