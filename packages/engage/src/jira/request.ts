/**
 * One request and its whole answer, on a connection of its own: bounded in time and size, redirects not followed.
 * Not `fetch`, since what is sent has to be seen moving, and an answer that comes before all was sent has to be read.
 */
import http, { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { systemCode } from 'footbridge/pack';
import { Failure } from '../failure.js';
import type { RequestBody } from './multipart.js';
import { readOn } from './read-on.js';
import { type Subject, tooMuch, unreachable } from './refusals.js';
import { sendBody } from './sending.js';

const MOST_ANSWER_BYTES = 1024 * 1024;

export interface JiraRequest {
  readonly url: URL;
  readonly subject: Subject;
  readonly headers: Readonly<Record<string, string>>;
  /** With one it is a POST, otherwise a GET. */
  readonly body?: RequestBody;
  /** Whether to ask first if the body is wanted; true unless told otherwise. */
  readonly expects?: boolean;
  /** For everything. */
  readonly totalMs: number;
  /** For a time in which nothing moves. */
  readonly idleMs: number;
  /** Ends the request; its reason is what is thrown. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((sentBytes: number) => void) | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** False if it came before everything was sent. */
  readonly sentWhole: boolean;
}

/** Throws a failure of ours where no whole answer came, whatever its status. */
export async function ask(options: JiraRequest): Promise<Answer> {
  options.signal?.throwIfAborted();
  const request = open(options);
  const ends: (() => void)[] = [() => request.destroy()];
  try {
    return await new Promise<Answer>((resolve, reject) => {
      const late = () => reject(unreachable('ETIMEDOUT', options.subject));
      const total = setTimeout(late, options.totalMs);
      const idle = setTimeout(late, options.idleMs);
      const aborted = () => reject(options.signal?.reason);
      options.signal?.addEventListener('abort', aborted);
      ends.push(() => {
        clearTimeout(total);
        clearTimeout(idle);
        options.signal?.removeEventListener('abort', aborted);
      });
      exchange(request, options, () => idle.refresh()).then(resolve, reject);
    });
  } finally {
    for (const end of ends) end();
  }
}

function open({ url, headers, body, expects = true }: JiraRequest): ClientRequest {
  const { request } = url.protocol === 'https:' ? https : http;
  return request(url, {
    method: body === undefined ? 'GET' : 'POST',
    // No pool: nothing stays open behind a call, and no answer can be that of another.
    agent: false,
    // A token is never sent to someone whose certificate nobody has checked, whatever the environment says.
    rejectUnauthorized: true,
    headers: {
      Accept: 'application/json',
      'Accept-Encoding': 'identity',
      'User-Agent': 'footbridge',
      ...headers,
      ...(body === undefined ? {} : { 'Content-Type': body.contentType, 'Content-Length': body.sizeBytes }),
      ...(body === undefined || !expects ? {} : { Expect: '100-continue' }),
    },
  });
}

async function exchange(request: ClientRequest, options: JiraRequest, moved: () => void): Promise<Answer> {
  const { subject, body, onProgress, expects = true } = options;
  const answered = new AbortController();
  request.once('socket', readOn);
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', (message) => {
      answered.abort();
      resolve(message);
    });
    // For as long as the request lives: once there is an answer, it no longer matters that sending failed.
    request.on('error', (cause) => {
      answered.abort();
      reject(unreachable(systemCode(cause) ?? 'unknown', subject));
    });
  });
  const sent = body === undefined ? end(request) : sendBody({ request, body, stop: answered.signal, moved, onProgress, expects });
  // Sending fails by itself only if there is nothing more to send; otherwise the answer, or its lack, says why it ended.
  const message = await Promise.race([response, sent.then(() => response)]);
  try {
    const text = await readAnswer(message, moved);
    return { status: message.statusCode ?? 0, headers: message.headers, text, sentWhole: await sent };
  } catch (cause) {
    throw cause instanceof Failure ? cause : unreachable(systemCode(cause) ?? 'unknown', subject);
  }
}

async function end(request: ClientRequest): Promise<boolean> {
  request.end();
  return true;
}

async function readAnswer(message: IncomingMessage, moved: () => void): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    if (!Buffer.isBuffer(chunk)) continue;
    moved();
    size += chunk.length;
    if (size > MOST_ANSWER_BYTES) throw tooMuch();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
