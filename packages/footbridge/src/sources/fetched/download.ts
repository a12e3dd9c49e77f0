/** Downloads over https; over http from this machine only. */
import { echo } from '../../errors.js';
import { networkProblem } from '../../outgoing/agent.js';
import { BodyTooLongError, outgoingFetch } from '../../outgoing/fetch.js';
import { isLoopbackName } from '../upstream/sign-in/guarded-fetch.js';
import { FETCH_BOUNDS } from './bounds.js';
import { FetchError } from './fetch-error.js';

export interface DownloadOptions {
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Downloaded {
  readonly bytes: Uint8Array;
  /** After redirects. */
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
}

const MOST_REDIRECTS = 5;

/** Throws a `FetchError` if the URL is not safe, is not found, or answers with more than the bound. Other sites get no headers. */
export async function download(address: string, options: DownloadOptions): Promise<Downloaded> {
  const found = await downloadAny(address, options);
  if (found.status !== 200) throw unavailable(found.url, `it answered with HTTP ${found.status}`);
  return found;
}

/** As `download`, whatever the status is. */
export async function downloadAny(address: string, { headers = {}, signal }: DownloadOptions): Promise<Downloaded> {
  let url = safeUrlOf(address);
  const { origin } = url;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const response = await send(url, url.origin === origin ? headers : {}, signal);
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null)
      return { bytes: new Uint8Array(await response.arrayBuffer()), url, status: response.status, headers: response.headers };
    url = safeUrlOf(URL.canParse(location, url.href) ? new URL(location, url).href : location);
  }
  throw unavailable(url, 'it redirects too often');
}

/** Throws unless it is https, or http on this machine. */
export function safeUrlOf(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new FetchError(`Invalid URL '${echo(address)}'.`, 'Use https://.');
  if (url.protocol === 'http:' && !isLoopbackName(url.hostname))
    throw new FetchError(`http://${url.host} is not encrypted.`, 'Use https://. http:// is allowed only for this machine.');
  if (url.username !== '' || url.password !== '') throw new FetchError('The URL has a user or a password.', 'Leave it out.');
  return url;
}

async function send(url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> {
  const timeout = AbortSignal.timeout(FETCH_BOUNDS.requestMs);
  try {
    return await outgoingFetch(url, { headers, signal: AbortSignal.any([signal, timeout]), longestBody: FETCH_BOUNDS.download });
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof BodyTooLongError) throw unavailable(url, `it has more than ${FETCH_BOUNDS.download / 1024 / 1024} MiB`);
    if (timeout.aborted) throw unavailable(url, 'it did not answer in time');
    throw unavailable(url, networkProblem(cause) ?? 'the server cannot be reached');
  }
}

function unavailable({ href }: URL, reason: string): FetchError {
  return new FetchError(`${echo(href)} cannot be downloaded: ${reason}.`.replace(/\.\.$/, '.'), 'Check the address and the network.');
}
