/** Answers on the wire. */
import type { ServerResponse } from 'node:http';
import type { RefusalReason } from '../telemetry/metrics.js';
import type { Outgoing } from './outgoing.js';
import type { Visit } from './visit.js';

interface RefusalOptions {
  /** The JSON-RPC error code. Default -32000. */
  readonly code?: number;
  /** For the metrics; none for what is the client's own mistake. */
  readonly reason?: RefusalReason;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the connection ends with it, as when a body is left unread. */
  readonly close?: boolean;
}

/** A request that is not served, and why: JSON-RPC in the body, since clients of the protocol look there. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly options: RefusalOptions = {},
  ) {
    super(message);
  }
}

export function sendRefusal(response: ServerResponse, { status, message, options }: Refusal): void {
  const { code = -32000, headers, close = false } = options;
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
  sendJson(response, status, body, { ...headers, ...(close ? { connection: 'close' } : {}) });
}

/** One write for the whole answer. */
export function sendJson(response: ServerResponse, status: number, body: string, headers?: Readonly<Record<string, string>>): void {
  // Whoever asked may have gone.
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers });
  response.end(body);
}

/** Sends what the SDK answered. A stream stays open until either side ends it, or nobody reads it. */
export async function sendResponse(response: ServerResponse, answer: Response, outgoing: Outgoing, visit: Visit): Promise<void> {
  if (response.destroyed) return void answer.body?.cancel().catch(() => {});
  const headers = Object.fromEntries(answer.headers);
  if (answer.body === null || !headers['content-type']?.startsWith('text/event-stream')) {
    const body = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, { ...headers, 'content-length': body.length });
    response.end(body);
    outgoing.follow(response, visit);
    return;
  }
  response.writeHead(answer.status, headers);
  response.flushHeaders();
  const reader = answer.body.getReader();
  const leave = outgoing.enter(response, visit);
  const cancel = () => void reader.cancel().catch(() => {});
  response.once('close', cancel);
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) await outgoing.write(response, part.value);
  } finally {
    response.off('close', cancel);
    leave();
    response.end();
  }
}
