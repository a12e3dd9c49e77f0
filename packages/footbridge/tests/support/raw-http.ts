/** Bytes on a socket, for requests that no HTTP client would send. */
import { connect } from 'node:net';

export interface RawAnswer {
  /** 0 when the connection ended without an answer. */
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

/** What is sent, piece by piece; `end` also ends the request. */
export interface RawRequest {
  readonly pieces: readonly (string | Uint8Array)[];
  readonly end?: boolean;
}

/** How long to wait for data before the request counts as unanswered. */
const FORGOTTEN_MS = 60_000;

/** Sends a request on a new connection; resolves with the first response. */
export function exchange(origin: string, { pieces, end = false }: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(new URL(origin).port), host: '127.0.0.1' });
    let received = Buffer.alloc(0);
    const finish = (answer: RawAnswer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(FORGOTTEN_MS, () => {
      socket.destroy();
      reject(new Error(`no answer to ${String(pieces[0]).slice(0, 300)}`));
    });
    // A server that refuses a body may end the connection while it is still being sent.
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const answer = parse(received, false);
      if (answer !== undefined) finish(answer);
    });
    socket.on('close', () => resolve(parse(received, true) ?? { status: 0, headers: '', body: '' }));
    socket.on('connect', () => {
      for (const piece of pieces) socket.write(piece);
      if (end) socket.end();
    });
  });
}

/** The response, once it is complete. */
function parse(received: Buffer, closed: boolean): RawAnswer | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const headers = received.toString('latin1', 0, end);
  const body = received.subarray(end + 4);
  const answer = { status: Number(headers.slice(9, 12)), headers };
  const length = /\r\ncontent-length: *(\d+)/i.exec(headers)?.[1];
  if (length !== undefined) return body.length < Number(length) && !closed ? undefined : { ...answer, body: body.toString('utf8') };
  if (!/\r\ntransfer-encoding: *chunked/i.test(headers)) return closed ? { ...answer, body: body.toString('utf8') } : undefined;
  const text = body.toString('utf8');
  if (!closed && !text.endsWith('0\r\n\r\n')) return undefined;
  return { ...answer, body: text.replace(/^[\da-f]+\r\n/gim, '').trimEnd() };
}
