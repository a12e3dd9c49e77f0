/** The credentials of a session: found once for all that it asks of AWS, and again before they end. */
import { Failure } from '../failure.js';
import type { CredentialOrigin, Credentials, Found } from './credentials.js';
import { within } from './within.js';

/** So long before their end, others are looked for. */
const AHEAD_MS = 5 * 60_000;
/** Those without an end are looked for again: somebody may have changed the files. */
const LIFE_MS = 15 * 60_000;
/** A search that takes longer is given up; until then, all wait for the same one. */
const SEARCH_MS = 30_000;

export class KeptCredentials {
  readonly #find: () => Promise<Found>;
  #kept: { readonly found: Found; readonly until: number } | undefined;
  #search: Promise<Found> | undefined;

  constructor(find: () => Promise<Found>) {
    this.#find = find;
  }

  /** Of those in use; undefined before they were needed. */
  get origin(): CredentialOrigin | undefined {
    return this.#kept?.found.origin;
  }

  /** Throws what the search throws, unless those at hand are still good and the cause will pass. */
  async get(): Promise<Credentials> {
    if (this.#kept !== undefined && Date.now() < this.#kept.until) return this.#kept.found.credentials;
    this.#search ??= this.#renew().finally(() => {
      this.#search = undefined;
    });
    return (await this.#search).credentials;
  }

  async #renew(): Promise<Found> {
    const limit = AbortSignal.timeout(SEARCH_MS);
    try {
      const found = await within(this.#find(), limit);
      this.#kept = { found, until: Date.now() + lifeOf(found.credentials) };
      return found;
    } catch (cause) {
      const failure = limit.aborted ? credentialsLate(SEARCH_MS, cause) : cause;
      const kept = this.#kept?.found;
      if (kept !== undefined && failure instanceof Failure && failure.retryable && leftOf(kept.credentials) > 0) return kept;
      throw failure;
    }
  }
}

/** Of those that are lent for a few minutes only, half of the time is used. */
function lifeOf(credentials: Credentials): number {
  const left = leftOf(credentials);
  return credentials.expiration === undefined ? LIFE_MS : Math.max(left - AHEAD_MS, left / 2);
}

function leftOf({ expiration }: Credentials): number {
  return expiration === undefined ? Number.POSITIVE_INFINITY : expiration.getTime() - Date.now();
}

export function credentialsLate(limitMs: number, cause: unknown): Failure {
  return new Failure('failed', `AWS credentials did not come within ${limitMs / 1000} s.`, {
    retryable: true,
    actions: ['Check what hands them out: the credential_process or the SSO session of the AWS profile in use (`aws sso login`).'],
    cause,
  });
}
