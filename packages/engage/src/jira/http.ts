/**
 * One HTTP request on its own connection, with timeouts and a size limit, without following redirects.
 * Not `fetch`: upload progress must be observable, and a response that arrives before the body is sent must be readable.
 */
import { randomBytes } from 'node:crypto';
import dns from 'node:dns';
import type { FileHandle } from 'node:fs/promises';
import http, { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { outgoingAgent, proxyFor, systemCode } from 'footbridge/pack';
import { Failure } from '../failure.js';
import { notAllowed } from './base-url.js';
import { connectionFailure, responseTooLarge, type Subject, unreachable } from './errors.js';

const MAX_RESPONSE_BYTES = 1024 * 1024;
/** A server that does not support `Expect` sends no 100; the body is then sent anyway. */
const CONTINUE_TIMEOUT_MS = 1000;

export interface JiraRequest {
  readonly url: URL;
  readonly subject: Subject;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether to connect to an address that the host name was resolved to. Default: to any. */
  readonly mayConnect?: ((address: string) => boolean) | undefined;
  /** POST with a body, GET without. */
  readonly body?: RequestBody;
  /** Whether to send `Expect: 100-continue` with a body. Default true. */
  readonly expectContinue?: boolean;
  readonly totalTimeoutMs: number;
  /** Time without any data sent or received. */
  readonly idleTimeoutMs: number;
  /** Aborts the request with its reason. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((sentBytes: number) => void) | undefined;
}

export interface JiraResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** False if the response arrived before the whole body was sent. */
  readonly sentWhole: boolean;
}

/** Resolves with any status; throws a `Failure` if no complete response arrived. */
export async function sendRequest(options: JiraRequest): Promise<JiraResponse> {
  const { idleTimeoutMs, signal, subject, totalTimeoutMs } = options;
  signal?.throwIfAborted();
  const request = await open(options);
  let fail: (reason: unknown) => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const onAbort = () => fail(signal?.reason);
  const onTimeout = () => fail(unreachable('ETIMEDOUT', subject));
  const total = setTimeout(onTimeout, totalTimeoutMs);
  const idle = setTimeout(onTimeout, idleTimeoutMs);
  signal?.addEventListener('abort', onAbort);
  try {
    return await Promise.race([exchange(request, options, () => idle.refresh()), aborted]);
  } finally {
    request.destroy();
    clearTimeout(total);
    clearTimeout(idle);
    signal?.removeEventListener('abort', onAbort);
  }
}

async function open({ url, headers, body, expectContinue = true, mayConnect, subject }: JiraRequest): Promise<ClientRequest> {
  const agent = await agentFor(url, mayConnect, subject);
  const { request } = url.protocol === 'https:' ? https : http;
  return request(url, {
    method: body === undefined ? 'GET' : 'POST',
    agent,
    // Verify certificates whatever NODE_TLS_REJECT_UNAUTHORIZED says.
    rejectUnauthorized: true,
    ...(mayConnect && { lookup: checkedLookup(mayConnect) }),
    headers: {
      Accept: 'application/json',
      'Accept-Encoding': 'identity',
      'User-Agent': 'footbridge',
      ...headers,
      ...(body && { 'Content-Type': body.contentType, 'Content-Length': body.sizeBytes }),
      ...(body && expectContinue && { Expect: '100-continue' }),
    },
  });
}

/** No connection outlives its request. */
async function agentFor(url: URL, mayConnect: JiraRequest['mayConnect'], subject: Subject): Promise<http.Agent> {
  try {
    if (mayConnect !== undefined && (await proxyFor(url)) !== undefined) await checkKnownAddresses(url.hostname, mayConnect);
    return await outgoingAgent(url);
  } catch (cause) {
    throw connectionFailure(cause, subject);
  }
}

/** Through a proxy, which resolves the name, only the addresses that are known here can be checked. */
async function checkKnownAddresses(hostname: string, mayConnect: (address: string) => boolean): Promise<void> {
  const addresses = await dns.promises.lookup(hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(() => []);
  if (!addresses.every(({ address }) => mayConnect(address))) throw notAllowed();
}

/**
 * Resolves a host name, and fails if any of its addresses may not be connected to. The connection is made to these addresses without
 * resolving the name again, so an answer that changes (DNS rebinding) makes no difference.
 */
function checkedLookup(mayConnect: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) callback(error ?? new Error('no address'), '');
      else if (!addresses.every(({ address }) => mayConnect(address))) callback(notAllowed(), '');
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

async function exchange(request: ClientRequest, options: JiraRequest, onActivity: () => void): Promise<JiraResponse> {
  const { subject } = options;
  const responded = new AbortController();
  request.once('socket', ignoreResetOnWrite);
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', (message) => {
      responded.abort();
      resolve(message);
    });
    // Not `once`: after a response, later write errors do not matter.
    request.on('error', (cause) => {
      responded.abort();
      reject(connectionFailure(cause, subject));
    });
  });
  const sent = send(request, options, responded.signal, onActivity);
  // A failure to read the file rejects `sent`; any other outcome is decided by the response.
  const message = await Promise.race([response, sent.then(() => response)]);
  try {
    const text = await readText(message, onActivity);
    return { status: message.statusCode ?? 0, headers: message.headers, text, sentWhole: await sent };
  } catch (cause) {
    throw connectionFailure(cause, subject);
  }
}

/** Resolves with whether the whole body was sent before `stop`. Throws only what the body throws. */
async function send(request: ClientRequest, options: JiraRequest, stop: AbortSignal, onActivity: () => void): Promise<boolean> {
  const { body, onProgress, expectContinue = true } = options;
  if (body !== undefined) {
    const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
    if (expectContinue) await Promise.race([continued(request), stopped]);
    let sentBytes = 0;
    for await (const chunk of body.chunks()) {
      if (stop.aborted) return false;
      sentBytes += chunk.length;
      await Promise.race([new Promise((resolve) => request.write(chunk, resolve)), stopped]);
      // The response may arrive before the callback of the last write.
      if (stop.aborted) return sentBytes === body.sizeBytes;
      onActivity();
      onProgress?.(sentBytes);
    }
  }
  request.end();
  return true;
}

/** Resolves with 100 Continue, so that a refusal arrives before the upload rather than in the middle of it. */
function continued(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, CONTINUE_TIMEOUT_MS);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    request.once('continue', done);
    request.once('close', done);
  });
}

async function readText(message: IncomingMessage, onActivity: () => void): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    if (!Buffer.isBuffer(chunk)) continue;
    onActivity();
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) throw responseTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

type WriteCallback = (error?: Error | null) => void;

/**
 * A server may refuse an upload half-way and close the connection. Node destroys a socket when a write to it fails, which
 * loses the unread response. Such a write never completes here; reading then finds the response, or the end of the stream.
 */
function ignoreResetOnWrite(socket: Socket): void {
  const unlessReset =
    (callback: WriteCallback): WriteCallback =>
    (error) => {
      const code = systemCode(error);
      if (code !== 'EPIPE' && code !== 'ECONNRESET') callback(error);
    };
  const write = socket._write.bind(socket);
  socket._write = (chunk, encoding, callback) => write(chunk, encoding, unlessReset(callback));
  const writev = socket._writev?.bind(socket);
  if (writev !== undefined) socket._writev = (chunks, callback) => writev(chunks, unlessReset(callback));
}

const CHUNK_BYTES = 64 * 1024;

/** The caller opens and closes the file. */
export interface OpenFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly handle: FileHandle;
}

/** Chunks share one buffer: each is valid until the next is read. */
interface RequestBody {
  readonly contentType: string;
  readonly sizeBytes: number;
  chunks(): AsyncIterable<Uint8Array>;
}

export function multipart(file: OpenFile): RequestBody {
  const boundary = `footbridge-${randomBytes(24).toString('hex')}`;
  const disposition = `form-data; name="file"; filename="${safeFilename(file.name)}"`;
  const head = Buffer.from(`--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n`);
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    sizeBytes: head.length + file.sizeBytes + tail.length,
    async *chunks() {
      yield head;
      yield* contentOf(file);
      yield tail;
    },
  };
}

/** Escapes quotes, line breaks and path separators as browsers do. */
function safeFilename(name: string): string {
  const plain = name
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029/\\]/gu, '_')
    .replaceAll('"', '%22');
  return plain === '' ? 'attachment' : plain;
}

async function* contentOf({ handle, sizeBytes }: OpenFile): AsyncIterable<Uint8Array> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; position < sizeBytes; ) {
    const { bytesRead } = await handle
      .read(buffer, 0, Math.min(CHUNK_BYTES, sizeBytes - position), position)
      .catch(() => ({ bytesRead: 0 }));
    if (bytesRead === 0) {
      throw new Failure('artifact_invalid', 'The file could not be read completely during the upload.', 'Fetch it again, then attach it.');
    }
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
