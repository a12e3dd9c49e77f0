/** Reading what a client sends, up to a limit. */
import type { IncomingMessage } from 'node:http';
import { isJsonContentType } from '@modelcontextprotocol/server';
import { Refusal } from './reply.js';

/** The JSON that was posted. Throws a refusal for what is too long, of another type or no JSON. */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  if (!isJsonContentType(request.headers['content-type'] ?? null))
    throw new Refusal(415, 'Content-Type has to be application/json.', { reason: 'body' });
  const text = await readText(request, maxBytes);
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 'Parse error: the body is not valid JSON.', { code: -32700, reason: 'body' });
  }
}

function readText(request: IncomingMessage, maxBytes: number): Promise<string> {
  const tooLarge = () => new Refusal(413, `The body is over ${maxBytes} bytes, the most that is taken.`, { reason: 'body', close: true });
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) {
        request.pause();
        reject(tooLarge());
      } else chunks.push(chunk);
    });
    request.on('end', () => resolve((chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)).toString('utf8')));
    request.on('error', () => reject(new Refusal(400, 'The body ended early.', { reason: 'body', close: true })));
    request.on('close', () => reject(new Refusal(400, 'The body ended early.', { reason: 'body', close: true })));
  });
}
