/** The GET stream for messages that a legacy server sends on its own; reopened when it ends. */
import type { Fields } from '../../../json.js';
import { discard, type HttpClient, mediaType, type SentRequest } from './http-client.js';
import { readStream } from './http-messages.js';

/** A stream that lasted this long resets the back-off. */
const STEADY_MS = 10_000;

export interface ServerStreamOptions {
  readonly client: HttpClient;
  headers(lastEventId: string | undefined): string[];
  receive(message: Fields): void;
  /** The session has expired. */
  gone(): void;
}

export interface ServerStream {
  stop(): void;
}

/** Reads until stopped. A server without this stream is not asked again. */
export function openServerStream({ client, headers, receive, gone }: ServerStreamOptions): ServerStream {
  let sent: SentRequest | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let opened = false;
  let failures = 0;
  let lastEventId: string | undefined;
  let retryMs: number | undefined;

  const openLater = () => {
    if (stopped) return;
    timer = setTimeout(open, pause(failures++, retryMs)).unref();
  };
  const open = () => {
    sent = client.send(
      { method: 'GET', headers: headers(lastEventId), silenceMs: 0 },
      {
        answered(response) {
          const { statusCode: status = 0 } = response;
          if (status !== 200 || mediaType(response) !== 'text/event-stream') {
            discard(response);
            if (status === 429 || status >= 500) openLater();
            else if (status === 404 && opened) gone();
            return;
          }
          opened = true;
          const since = Date.now();
          readStream(response, {
            message: receive,
            ended(end) {
              lastEventId = end.lastEventId ?? lastEventId;
              retryMs = end.retryMs ?? retryMs;
              if (Date.now() - since > STEADY_MS) failures = 0;
              openLater();
            },
          });
        },
        failed: openLater,
      },
    );
  };
  open();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      sent?.abort();
    },
  };
}

/** Consecutive failures before a call gives up. */
export const MOST_FAILURES = 5;

const FIRST_MS = 500;
const LONGEST_MS = 30_000;
/** Lower bound for the server's `retry`. */
const SHORTEST_MS = 50;

/** The server's delay or ours, doubled with each failure. */
export function pause(failures: number, retryMs: number | undefined): number {
  const wished = Math.max(retryMs ?? FIRST_MS, SHORTEST_MS);
  return Math.min(wished * 2 ** Math.min(failures, 10), LONGEST_MS);
}
