/** Sends a body as fast as the other side takes it, and no longer than it wants it. */
import type { ClientRequest } from 'node:http';
import type { RequestBody } from './multipart.js';

/** A server that knows nothing of `Expect` says nothing; then the body is sent all the same. */
const CONTINUE_WAIT_MS = 1000;

interface Sending {
  readonly request: ClientRequest;
  readonly body: RequestBody;
  /** Aborted when there is an answer, or none will come. */
  readonly stop: AbortSignal;
  /** Called whenever the other side took some. */
  readonly moved: () => void;
  readonly onProgress: ((sentBytes: number) => void) | undefined;
  /** Whether the request asks if its body is wanted. */
  readonly expects: boolean;
}

/** Whether all of it was sent. Throws only what the body throws. */
export async function sendBody({ request, body, stop, moved, onProgress, expects }: Sending): Promise<boolean> {
  const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
  if (expects) await Promise.race([goAhead(request), stopped]);
  let sentBytes = 0;
  for await (const chunk of body.chunks()) {
    if (stop.aborted) return false;
    sentBytes += chunk.length;
    await Promise.race([new Promise((resolve) => request.write(chunk, resolve)), stopped]);
    // An answer may be here before the word that the last chunk is gone.
    if (stop.aborted) return sentBytes === body.sizeBytes;
    moved();
    onProgress?.(sentBytes);
  }
  request.end();
  return true;
}

/** Waits until the server wants the body, so that a refusal comes before many megabytes instead of amid them. */
function goAhead(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, CONTINUE_WAIT_MS);
    const go = () => {
      clearTimeout(timer);
      resolve();
    };
    request.once('continue', go);
    request.once('close', go);
  });
}
