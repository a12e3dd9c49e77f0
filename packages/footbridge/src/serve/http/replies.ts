/** Replies to POSTs: dispatches the requests, and sends the answers. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { JSONRPCRequest } from '@modelcontextprotocol/server';
import { Deadlines } from '../../catalog/deadlines.js';
import { processMemory } from '../../memory-budget.js';
import { Cancellation } from '../../sources/context.js';
import type { RequestParts } from '../connection.js';
import { cancelledAnswer } from '../dispatch/answers.js';
import type { Answer } from '../messages.js';
import { tooManyUnread } from './admission.js';
import { EventStream } from './event-stream.js';
import type { IncomingCall } from './incoming-call.js';
import type { OpenResponses } from './open-responses.js';
import { HttpReply, plainStream } from './reply.js';
import type { Session } from './session.js';

export interface RepliesOptions {
  readonly responses: OpenResponses;
  readonly keepAliveMs: number;
}

/** The requests of one POST. */
export interface Posted {
  readonly requests: readonly JSONRPCRequest[];
  readonly isBatch: boolean;
  readonly response: ServerResponse;
  readonly call: IncomingCall;
  readonly session?: Session | undefined;
  /** The client's revision, where a session needs to know it. */
  readonly version?: string;
  answer(request: JSONRPCRequest, parts: RequestParts): Promise<Answer | undefined>;
  /** The status of an answer, in 2026-07-28. */
  statusOf?(answer: Answer): number;
}

/** The first revision whose clients understand an event without data. */
const PRIMING_VERSION = '2025-11-25';
/** A waiting legacy client gets a stream soon, since the stream of a session can be resumed. */
const UPGRADE_MS = 50;
/** In 2026-07-28 the HTTP status reflects the error, and a stream always has 200. */
const MODERN_UPGRADE_MS = 5000;

/** Requests of a batch that are answered side by side. */
const MAX_AT_ONCE = 8;

export class Replies {
  readonly #options: RepliesOptions;
  readonly #deadlines = new Deadlines();

  constructor(options: RepliesOptions) {
    this.#options = options;
  }

  /** Rejects with a refusal of middleware while nothing was sent. */
  async answer(posted: Posted): Promise<void> {
    const { responses } = this.#options;
    const { call, isBatch, requests, response, session, statusOf } = posted;
    const cancellation = new Cancellation();
    const headers = session === undefined ? undefined : { 'mcp-session-id': session.id };
    const reply = new HttpReply(response, {
      call,
      responses,
      headers,
      isBatch,
      cancellation,
      deadlines: this.#deadlines,
      upgradeMs: statusOf === undefined ? UPGRADE_MS : MODERN_UPGRADE_MS,
      upgrade: () => this.#openStream(posted, headers, cancellation),
    });
    let status = 200;
    try {
      const [only] = requests;
      if (requests.length === 1 && only !== undefined) {
        const answer = await settle(posted, only, cancellation, reply);
        if (statusOf !== undefined) status = statusOf(answer);
      }
      // The requests of a batch are cancelled one by one.
      else await settleAll(posted, cancellation, reply);
    } catch (cause) {
      reply.abort();
      throw cause;
    }
    if (!reply.finish(status)) throw tooManyUnread();
  }

  #openStream({ call, response, session, version }: Posted, headers: Record<string, string> | undefined, cancellation: Cancellation) {
    const { keepAliveMs, responses } = this.#options;
    const stream = new EventStream(response, { responses, call, keepAliveMs, headers });
    if (session === undefined) return plainStream(stream, () => cancellation.abort());
    return session.openReply(randomUUID(), stream, version !== undefined && version >= PRIMING_VERSION);
  }
}

async function settle({ answer, call }: Posted, request: JSONRPCRequest, cancellation: Cancellation, reply: HttpReply): Promise<Answer> {
  const { memory } = call;
  const settled = (await answer(request, { cancellation, memory, send: reply.send })) ?? cancelledAnswer(request.id);
  void reply.add(settled, memory);
  return settled;
}

/** Of a batch: some at a time, as the client reads the answers. */
async function settleAll({ answer, call, requests }: Posted, cancellation: Cancellation, reply: HttpReply): Promise<void> {
  const left = requests.values();
  const work = async () => {
    for (const request of left) {
      if (cancellation.aborted) return;
      // Each waits for memory and returns it as if it had come alone.
      const memory = processMemory.open(call.account.id);
      try {
        const given = await answer(request, { cancellation: follower(cancellation), memory, send: reply.send });
        await reply.add(given ?? cancelledAnswer(request.id), memory);
      } finally {
        memory.leave();
      }
    }
  };
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, work));
}

/** Cancelled with another, or by itself. */
function follower(leader: Cancellation): Cancellation {
  const own = new Cancellation();
  leader.listen(() => own.abort(leader.reason));
  return own;
}
