/** What an authorization server publishes, fetched with care. */
import { reasonOf } from '../../../errors.js';
import { type Fields, isFields } from '../../../json.js';

const LARGEST_DOCUMENT = 1024 * 1024;

/** A JSON object from this address itself: no redirect is followed. Throws when there is none, or when it is too large. */
export async function fetchDocument(url: URL, signal: AbortSignal): Promise<Fields> {
  try {
    return await readDocument(url, signal);
  } catch (error) {
    throw new Error(`${url.href}: ${reasonOf(error)}`);
  }
}

async function readDocument(url: URL, signal: AbortSignal): Promise<Fields> {
  const response = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/json, application/jwk-set+json' },
    signal,
  });
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new Error(`the answer was ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > LARGEST_DOCUMENT) throw new Error(`larger than ${LARGEST_DOCUMENT} bytes`);
    chunks.push(chunk);
  }
  const document: unknown = JSON.parse(Buffer.concat(chunks).toString());
  if (!isFields(document)) throw new Error('no JSON object');
  return document;
}

/** Where the issuer's own metadata says that its keys are. */
export async function discoverKeys(issuer: string, signal: AbortSignal): Promise<URL> {
  const failures: string[] = [];
  for (const url of metadataUrls(issuer)) {
    try {
      return keysOf(issuer, await fetchDocument(url, signal));
    } catch (error) {
      failures.push(reasonOf(error));
    }
  }
  throw new Error(failures.join('; '));
}

/** RFC 8414 puts its name before the issuer's path, OpenID Connect behind it. */
function metadataUrls(issuer: string): URL[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [new URL(`${origin}/.well-known/oauth-authorization-server${path}`), new URL(`${origin}${path}/.well-known/openid-configuration`)];
}

function keysOf(issuer: string, metadata: Fields): URL {
  // Otherwise one tenant of a shared host could speak for another.
  if (metadata['issuer'] !== issuer) throw new Error('the metadata is that of another issuer');
  const { jwks_uri: address } = metadata;
  if (typeof address !== 'string' || !URL.canParse(address)) throw new Error('the metadata names no jwks_uri');
  const url = new URL(address);
  if (url.protocol !== 'https:' && url.protocol !== new URL(issuer).protocol) throw new Error('the jwks_uri is not https');
  return url;
}
