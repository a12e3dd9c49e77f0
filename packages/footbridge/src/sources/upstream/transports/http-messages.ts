/** JSON-RPC messages in HTTP bodies and event streams. */
import type { IncomingMessage } from 'node:http';
import { type Fields, isDeep, isFields } from '../../../json.js';
import type { UpstreamFailure } from '../failure.js';
import { EventParser } from './sse-events.js';

/** Longest body and longest event. */
export const LONGEST_ANSWER = 64 * 1024 * 1024;

/** The code for a failure between client and server. */
const CONNECTION_ERROR = -32_000;

/** One message or a batch; undefined for anything else. */
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

/** An error answer in place of the server's. */
export function failedAnswer(id: unknown, { kind, message, status }: UpstreamFailure & { readonly status?: number }): Fields {
  const data = status === undefined ? { kind } : { kind, httpStatus: status };
  return { jsonrpc: '2.0', id, error: { code: CONNECTION_ERROR, message, data } };
}

/** The state of a stream at its end. */
export interface StreamEnd {
  readonly lastEventId: string | undefined;
  readonly retryMs: number | undefined;
  readonly tooLong: boolean;
}

export interface StreamHandler {
  message(message: Fields): void;
  /** An event of another type than `message`. */
  event?(name: string, data: string): void;
  ended(end: StreamEnd): void;
}

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
