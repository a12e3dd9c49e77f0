/** Messages out of what a server sends over HTTP, and the error that stands for an answer that does not come. */
import type { IncomingMessage } from 'node:http';
import { type Fields, isDeep, isFields } from '../../../json.js';
import type { UpstreamFailure } from '../failure.js';
import { EventParser } from './sse-events.js';

/** The longest body and the longest event that is read. */
export const LONGEST_ANSWER = 64 * 1024 * 1024;

/** JSON-RPC's code for what went wrong between client and server. */
const CONNECTION_ERROR = -32_000;

/** The messages in a JSON text, one or a list; undefined when it is none. */
export function parseMessages(text: string): readonly Fields[] | undefined {
  if (isDeep(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (isFields(value)) return [value];
    return Array.isArray(value) && value.every(isFields) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** An answer to request `id`, as if by the server. */
export function errorAnswer(id: unknown, { kind, message, status }: UpstreamFailure & { readonly status?: number }): Fields {
  const data = status === undefined ? { kind } : { kind, httpStatus: status };
  return { jsonrpc: '2.0', id, error: { code: CONNECTION_ERROR, message, data } };
}

/** Where a stream stood when it ended. */
export interface StreamEnd {
  readonly lastEventId: string | undefined;
  readonly retryMs: number | undefined;
  readonly tooLong: boolean;
}

export interface StreamHandler {
  message(message: Fields): void;
  /** An event of another kind than `message`. */
  event?(name: string, data: string): void;
  ended(end: StreamEnd): void;
}

/** Reads events until the stream ends, however it does. */
export function readStream(response: IncomingMessage, handler: StreamHandler): void {
  const parser = new EventParser(
    {
      event(name, data) {
        if (name !== 'message') return handler.event?.(name, data);
        for (const message of parseMessages(data) ?? []) handler.message(message);
      },
    },
    LONGEST_ANSWER,
  );
  let tooLong = false;
  let over = false;
  const finish = () => {
    if (over) return;
    over = true;
    handler.ended({ lastEventId: parser.lastEventId, retryMs: parser.retryMs, tooLong });
  };
  response.setEncoding('utf8');
  response.on('data', (text: string) => {
    if (tooLong || parser.feed(text)) return;
    tooLong = true;
    response.destroy();
  });
  response.on('end', finish);
  response.on('close', finish);
}
