/** One request to a catalog or registry, which answers with JSON if all is well. */

import { parseJson } from 'footbridge/pack';
import { Failure } from '../failure.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined where the body is no JSON, or too long. */
  readonly json: unknown;
  readonly isTooLong: boolean;
}

export interface Question {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How long one remote call may take, here and with AWS. */
export const LIMIT_MS = 5000;
const MOST_BYTES = 8 * 1024 * 1024;

/** Throws a failure when there is no answer; `who` is asked, as in 'The registry'. */
export async function fetchJson(who: string, url: string, question: Question, signal: AbortSignal): Promise<Answer> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  try {
    const response = await fetch(url, { ...question, redirect: 'manual', signal: AbortSignal.any([signal, limit]) });
    const text = await textOf(response);
    const json = text === undefined ? undefined : parseJson(text);
    return { status: response.status, headers: response.headers, json, isTooLong: text === undefined };
  } catch (cause) {
    // Whoever asks may have less time than that; who has left needs no answer.
    const isLate = signal.aborted && isTimeout(signal.reason);
    if (!isLate) signal.throwIfAborted();
    const whenLate = isLate ? 'in time' : `within ${LIMIT_MS / 1000} s`;
    const reason = isLate || limit.aborted ? `did not answer ${whenLate}` : `cannot be reached (${codeOf(cause)})`;
    throw new Failure('failed', `${who} at ${new URL(url).origin} ${reason}.`, {
      retryable: true,
      actions: [`Check the network, and whether ${new URL(url).origin} is the right address.`],
      cause,
    });
  }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}

/** Undefined where it is longer than anything that is meant for us. */
async function textOf(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop ends the connection.
    if (size > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** `fetch` keeps the reason in the cause. */
function codeOf(error: unknown): string {
  for (let each = error; each instanceof Error; each = each.cause) if ('code' in each && typeof each.code === 'string') return each.code;
  return 'no connection';
}

/** What an answer means that is not the one that was asked for. */
export function unexpected(who: string, url: string, { headers, isTooLong, json, status }: Answer): Failure {
  const place = `${who} at ${new URL(url).origin}`;
  if (status === 429 || status >= 500) {
    const seconds = headers.get('retry-after');
    const wait = seconds !== null && /^\d{1,5}$/.test(seconds) ? `Retry in ${seconds} s.` : 'Retry in a moment.';
    return new Failure('failed', `${place} is busy or in trouble (status ${status}).`, { retryable: true, actions: [wait] });
  }
  if (status >= 300 && status < 400)
    return new Failure('failed', `${place} sends elsewhere (status ${status}), as a page for signing in does.`, {
      actions: [CHECK_ADDRESS],
    });
  if (isTooLong)
    return new Failure('failed', `${place} answered with more than ${MOST_BYTES / 1024 ** 2} MiB.`, { actions: [CHECK_ADDRESS] });
  if (json === undefined) {
    const type = /^[\w.+-]{1,60}\/[\w.+-]{1,60}/.exec(headers.get('content-type') ?? '')?.[0] ?? 'no type';
    const what = /json/i.test(type) ? 'what is no JSON, though it says so' : `${type} instead of JSON`;
    return new Failure('failed', `${place} answered with ${what} (status ${status}).`, { actions: [CHECK_ADDRESS] });
  }
  return new Failure('failed', `${place} answered with status ${status}.`, { actions: [CHECK_ADDRESS] });
}

const CHECK_ADDRESS = 'Check that the catalog is the right one: `quilt3 config` shows it, `quilt3 config https://YOUR-CATALOG` sets it.';
