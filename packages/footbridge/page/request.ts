/** Requests to the server. Failures become a `Problem` that can be shown. */
import { token } from './token.js';

/** A failed request, with a message for the user. */
export class Problem extends Error {
  constructor(
    readonly kind: 'signed-out' | 'busy' | 'gone' | 'refused',
    message: string,
    /** The error code of the server, if any. */
    readonly code?: string,
  ) {
    super(message);
  }
}

const signedOut = new Set<(problem: Problem) => void>();

/** Calls `listener` on every 401. Returns a function that unsubscribes. */
export function onSignedOut(listener: (problem: Problem) => void): () => void {
  signedOut.add(listener);
  return () => signedOut.delete(listener);
}

/** Sends a request with the token, if any. Throws a `Problem` unless the status is 2xx or 304. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const kept = token();
  if (kept !== undefined) headers.set('authorization', `Bearer ${kept}`);
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers, cache: 'no-store', credentials: 'omit', redirect: 'error' });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Problem('gone', 'The server is unreachable. It may have stopped, or the connection is down.');
  }
  if (response.ok || response.status === 304) return response;
  const problem = await problemOf(response);
  if (problem.kind === 'signed-out') for (const listener of signedOut) listener(problem);
  throw problem;
}

async function problemOf(response: Response): Promise<Problem> {
  const { code, message } = describe(await response.json().catch(() => undefined));
  if (response.status === 401) return new Problem('signed-out', message ?? 'This server requires an access token.', code);
  if (response.status === 429) return new Problem('busy', busy(response.headers.get('retry-after')), code);
  return new Problem('refused', message ?? `The server returned HTTP ${response.status}.`, code);
}

function busy(after: string | null): string {
  const seconds = Number(after);
  const when =
    after === null || !Number.isFinite(seconds) ? 'in a moment' : seconds === 1 ? 'in 1 second' : `in ${Math.ceil(seconds)} seconds`;
  return `Too many requests. Try again ${when}.`;
}

/** Reads `{ error, message }` or JSON-RPC's `{ error: { code, message } }`. */
function describe(body: unknown): { readonly code?: string; readonly message?: string } {
  if (typeof body !== 'object' || body === null) return {};
  if ('message' in body && typeof body.message === 'string')
    return { message: body.message, ...('error' in body && typeof body.error === 'string' ? { code: body.error } : {}) };
  return 'error' in body ? describe(body.error) : {};
}
