/** The signing keys of an issuer: found through its metadata, cached and refreshed. */
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { echo, reasonOf } from '../../../errors.js';
import { type Fields, isFields } from '../../../json.js';
import type { Log } from '../../../log.js';
import { isLoopback } from '../addresses.js';
import type { OAuthOptions } from '../options.js';

/** The minimum time between two fetches, successful or not. */
const FETCH_INTERVAL_MS = 10_000;
/** Includes the discovery of their address. */
const FETCH_TIMEOUT_MS = 5000;
/** Older keys are fetched again before they are used. */
const FRESH_MS = 10 * 60_000;
const MAX_DOCUMENT_BYTES = 1024 * 1024;

/** The keys cannot be fetched, so a token can be neither accepted nor rejected. */
export class KeysUnavailable extends Error {
  override name = 'KeysUnavailable';
}

export interface IssuerKeys {
  /** Throws `KeysUnavailable` when the key is unknown and cannot be fetched. */
  readonly find: JWTVerifyGetKey;
  /** Aborts a fetch in progress. */
  close(): void;
}

/** Fetched for the first token and when a token has an unknown key; known keys keep working when that fails. Throws for an invalid URL. */
export function issuerKeys(options: OAuthOptions, log: Log): IssuerKeys {
  checkAddress(options.jwksUri ?? options.issuer, log);
  const closing = new AbortController();
  let known: JWTVerifyGetKey | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let pending: Promise<void> | undefined;

  const fetchKeys = async () => {
    triedAt = Date.now();
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]);
    try {
      const url = options.jwksUri === undefined ? await discoverKeys(options.issuer, signal) : new URL(options.jwksUri);
      const { keys } = await fetchDocument(url, signal);
      // jose validates each key when it is used.
      if (!Array.isArray(keys)) throw new Error('not a JSON Web Key Set');
      known = createLocalJWKSet({ keys });
      fetchedAt = Date.now();
    } catch (error) {
      if (!closing.signal.aborted) log.warn(`Cannot fetch the keys of ${options.issuer}: ${reasonOf(error)}`);
    } finally {
      pending = undefined;
    }
  };
  const refresh = async () => {
    if (pending === undefined && Date.now() >= triedAt + FETCH_INTERVAL_MS) pending = fetchKeys();
    await pending;
  };

  return {
    async find(header, token) {
      if (Date.now() >= fetchedAt + FRESH_MS) await refresh();
      if (known === undefined) throw new KeysUnavailable();
      try {
        return await known(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        await refresh();
        if (fetchedAt < triedAt) throw new KeysUnavailable();
        return known(header, token);
      }
    },
    close: () => closing.abort(),
  };
}

function checkAddress(address: string, log: Log): void {
  if (!URL.canParse(address)) throw new Error(`http.oauth: invalid URL ${echo(address)}.`);
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:' || isLoopback(hostname)) return;
  log.warn(`http.oauth: the keys are fetched from ${address} without TLS, so they can be replaced in transit. Use https.`);
}

/** The address of the keys from the issuer's metadata. */
async function discoverKeys(issuer: string, signal: AbortSignal): Promise<URL> {
  const { origin, pathname, protocol } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const failures: string[] = [];
  // RFC 8414 puts its well-known name before the issuer's path, OpenID Connect after it.
  for (const name of [`/.well-known/oauth-authorization-server${path}`, `${path}/.well-known/openid-configuration`]) {
    try {
      const metadata = await fetchDocument(new URL(`${origin}${name}`), signal);
      // Otherwise one tenant of a shared host could act as the issuer of another.
      if (metadata['issuer'] !== issuer) throw new Error('the metadata belongs to another issuer');
      const { jwks_uri: address } = metadata;
      if (typeof address !== 'string' || !URL.canParse(address)) throw new Error('the metadata has no valid jwks_uri');
      const url = new URL(address);
      if (url.protocol !== 'https:' && url.protocol !== protocol) throw new Error('the jwks_uri is not https');
      return url;
    } catch (error) {
      failures.push(reasonOf(error));
    }
  }
  throw new Error(failures.join('; '));
}

/** Fetches a JSON object without following redirects. */
async function fetchDocument(url: URL, signal: AbortSignal): Promise<Fields> {
  try {
    const response = await fetch(url, {
      redirect: 'error',
      headers: { accept: 'application/json, application/jwk-set+json' },
      signal,
    });
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel();
      throw new Error(`HTTP ${response.status}`);
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body) {
      size += chunk.byteLength;
      if (size > MAX_DOCUMENT_BYTES) throw new Error(`larger than ${MAX_DOCUMENT_BYTES} bytes`);
      chunks.push(chunk);
    }
    const document: unknown = JSON.parse(Buffer.concat(chunks).toString());
    if (!isFields(document)) throw new Error('not a JSON object');
    return document;
  } catch (error) {
    throw new Error(`${url.href}: ${reasonOf(error)}`);
  }
}
