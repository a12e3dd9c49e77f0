/** The keys that an issuer signs with. */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { echo, reasonOf } from '../../../errors.js';
import type { Fields } from '../../../json.js';
import type { Log } from '../../../log.js';
import { isLoopback } from '../addresses.js';
import type { OAuthOptions } from '../options.js';
import { discoverKeys, fetchDocument } from './documents.js';

/** Keys are fetched no more often than this, whatever is asked for and however the last time ended. */
const BETWEEN_FETCHES_MS = 10_000;
/** Finding out where they are included. */
const TIME_LIMIT_MS = 5000;
/** Keys older than this are fetched again before they are used. */
const FRESH_MS = 10 * 60_000;

/** The authorization server cannot be asked, so that it is not known whether a token is good. */
export class KeysUnavailable extends Error {
  constructor() {
    super('the keys of the authorization server cannot be fetched');
    this.name = 'KeysUnavailable';
  }
}

export interface IssuerKeys {
  /** Throws `KeysUnavailable` where the key is not known and cannot be asked for. */
  readonly find: JWTVerifyGetKey;
  /** Ends what is under way. */
  close(): void;
}

/**
 * Fetched when the first token comes and when a token names an unknown key; known keys go on working when that fails. Throws when
 * the options give no address.
 */
export function issuerKeys(options: OAuthOptions, log: Log): IssuerKeys {
  checkAddress(options.jwksUri ?? options.issuer, log);
  const closing = new AbortController();
  let known: JWTVerifyGetKey | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let pending: Promise<void> | undefined;

  const fetchKeys = async () => {
    triedAt = Date.now();
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(TIME_LIMIT_MS)]);
    try {
      const url = options.jwksUri === undefined ? await discoverKeys(options.issuer, signal) : new URL(options.jwksUri);
      known = createLocalJWKSet(keySet(await fetchDocument(url, signal)));
      fetchedAt = Date.now();
    } catch (error) {
      if (!closing.signal.aborted) log.warn(`the keys of ${options.issuer} cannot be fetched: ${reasonOf(error)}`);
    } finally {
      pending = undefined;
    }
  };
  const refresh = async () => {
    if (pending === undefined && Date.now() >= triedAt + BETWEEN_FETCHES_MS) pending = fetchKeys();
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
  if (!URL.canParse(address)) throw new Error(`http.oauth: ${echo(address)} is not a URL.`);
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:' || isLoopback(hostname)) return;
  log.warn(`http.oauth: the keys come from ${address} without protection, so that others can put theirs in place. Use https.`);
}

/** What each key holds is looked at by jose when it is used. */
function keySet({ keys }: Fields): JSONWebKeySet {
  if (!Array.isArray(keys)) throw new Error('the answer is no key set');
  return { keys };
}
