/** Downloads over https; over http from this machine only. */
import { echo } from '../../errors.js';
import { parseJson, shapeOf } from '../../json.js';
import { isLoopbackName } from '../../outgoing/loopback-name.js';
import { FetchError } from './fetch-error.js';

export interface DownloadOptions {
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** The URL whose response named this one. */
  readonly namedBy?: string;
  /** Whether every address has to be public, including the first. */
  readonly isPublicOnly?: boolean;
}

export interface Downloaded {
  readonly bytes: Uint8Array;
  /** After redirects. */
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
}

const MAX_REDIRECTS = 5;

/** Throws a `FetchError` if the URL is not safe, is not found, or answers with more than the bound. Other sites get no headers. */
export async function download(address: string, options: DownloadOptions): Promise<Downloaded> {
  const found = await downloadAny(address, options);
  if (found.status !== 200) throw (await import('./sending.js')).unavailable(found.url, `it answered with HTTP ${found.status}`);
  return found;
}

/**
 * As `download`, whatever the status is. A redirect from a public server must stay public and encrypted; only a server in the private
 * network may redirect within it.
 */
export async function downloadAny(
  address: string,
  { headers = {}, isPublicOnly = false, namedBy, signal }: DownloadOptions,
): Promise<Downloaded> {
  let url = safeUrlOf(address);
  // Loaded on demand: most kinds are only asked whether a specification is theirs.
  const [{ isOnPrivateNetwork }, { send, unavailable }] = await Promise.all([
    import('../upstream/sign-in/guarded-fetch.js'),
    import('./sending.js'),
  ]);
  const { origin } = url;
  const first = namedBy === undefined ? url : safeUrlOf(namedBy);
  let mayBeInside = !isPublicOnly && (namedBy === undefined || url.origin === first.origin || (await isOnPrivateNetwork(first)));
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    if (url.protocol === 'http:' && first.protocol === 'https:') throw notEncrypted(url);
    const response = await send(url, { headers: url.origin === origin ? headers : {}, mayBeInside, signal });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null)
      return { bytes: new Uint8Array(await response.arrayBuffer()), url, status: response.status, headers: response.headers };
    url = safeUrlOf(URL.canParse(location, url.href) ? new URL(location, url).href : location);
    mayBeInside &&= url.origin === first.origin || (await isOnPrivateNetwork(first));
  }
  throw unavailable(url, 'it redirects too often');
}

/** Throws unless it is https, or http on this machine. */
export function safeUrlOf(address: string): URL {
  const url = address.length <= LONGEST_URL && URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new FetchError(`Invalid URL '${echo(address)}'.`, 'Use https://.');
  if (url.protocol === 'http:' && !isLoopbackName(url.hostname)) throw notEncrypted(url);
  if (url.username !== '' || url.password !== '') throw new FetchError('The URL has a user or a password.', 'Leave it out.');
  return url;
}

/** The same limit as for resources: docs/security.md. */
const LONGEST_URL = 8192;

/** More values take too much memory: a list of empty lists takes thirty times its length. */
const MAX_VALUES = 1_000_000;

/** The JSON of an index, a registry or a token service; undefined if it is invalid, or cannot be read with bounded memory. */
export function parseAnswer(bytes: Uint8Array): unknown {
  const text = Buffer.from(bytes).toString('utf8');
  const { isDeep, values } = shapeOf(text, MAX_VALUES);
  return isDeep || values > MAX_VALUES ? undefined : parseJson(text);
}

function notEncrypted({ host }: URL): FetchError {
  return new FetchError(`http://${host} is not encrypted.`, 'Use https://. http:// is allowed only for this machine.');
}
