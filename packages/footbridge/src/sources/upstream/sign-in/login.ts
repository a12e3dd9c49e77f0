/**
 * The login to one server: the header of its requests, renewed when it expires. What needs an authorization server is loaded
 * when it is needed, so a start costs reading one file.
 */
import type { HttpChallenge } from '../transports/http-headers.js';
import type { PendingSignIn } from './interactive.js';
import type { LoginEvents, LoginOptions, LoginValidity } from './login-options.js';
import type { LoginRecord, LoginStorage } from './login-storage.js';
import { loginId } from './login-store.js';

/** A token is renewed this long before it expires. */
const EARLY_MS = 30_000;
/** How long a failed renewal is not repeated. */
const PAUSE_MS = 5000;
/** How long a login is not renewed whose new token was refused. */
const REFUSED_MS = 60_000;
const LOOK_MS = 50;
/** Longer than a renewal may take. */
const WAIT_MS = 90_000;

const REFUSED =
  'It refused the last login, which its authorization server had just issued. If it does so again, the two do not agree on what tokens are for: ask its operator.';

export class Login {
  readonly id: string;
  readonly #options: LoginOptions;
  readonly #store: LoginStorage;
  #record: LoginRecord | undefined;
  #isRead = false;
  /** Whether the store has to be asked for a login that it cannot read at once. */
  #isSealed = false;
  #hasAsked = false;
  #renewing: Promise<void> | undefined;
  #failedAt = 0;
  /** Why the last renewal failed. */
  #failure: string | undefined;
  #challenge: HttpChallenge | undefined;
  /** A token that the server refused and that cannot be renewed, or that is new. */
  #ended: string | undefined;
  /** When a new token was refused. */
  #refusedAt = 0;
  /** The token that this process got last. */
  #renewed: string | undefined;
  /** Scopes that the server asked for besides. */
  #additionalScope: string | undefined;
  #pending: Promise<PendingSignIn> | undefined;
  #stopWatching: (() => void) | undefined;
  #events: LoginEvents | undefined;

  constructor(options: LoginOptions) {
    this.#options = options;
    this.#store = options.store;
    this.id = options.id ?? loginId(options.url, options.settings);
  }

  /** Whether the server asked for a login that is not there: a person has to sign in. */
  get isRequired(): boolean {
    if (this.#additionalScope !== undefined) return true;
    return this.#challenge !== undefined && (this.#token === undefined || this.#token === this.#ended);
  }

  /** The header Authorization; undefined before the first sign-in. */
  get header(): string | undefined {
    const token = this.#token;
    return token === undefined ? undefined : `Bearer ${token}`;
  }

  /** Undefined before the first sign-in. */
  get validity(): LoginValidity | undefined {
    const { expiresAt, tokens } = this.#current() ?? {};
    return tokens === undefined ? undefined : { expiresAt, isRenewed: this.#canRenew, keyIn: this.#store.placeOf?.(this.id) };
  }

  /** Whether the login needs no person. */
  get isUnattended(): boolean {
    const { grant } = this.#options.settings;
    return grant === 'client_credentials' || grant === 'token_exchange';
  }

  /** Why there is no login, where a person cannot know that; undefined where they only have to sign in. */
  get problem(): string | undefined {
    if (this.isRequired && this.#refusedAt > 0 && this.#ended !== undefined) return REFUSED;
    if (this.isUnattended) return this.#failure;
    if (this.#current() !== undefined || this.#store.isSealed?.(this.id) !== true) return undefined;
    return 'You have signed in before, but the key of that login is in the system keychain, which is locked or cannot be reached. Unlock it, or sign in again.';
  }

  /** Whether to `prepare` before the next request. */
  get isReady(): boolean {
    return !this.#isExpiring && !this.#isSealed;
  }

  /** Reads the login, and renews it if it expires. Never rejects: without a token, the request is refused. */
  async prepare(): Promise<void> {
    if (this.#isSealed) {
      this.#hasAsked = true;
      await this.#reload();
    }
    if (this.#isExpiring) await this.renew();
  }

  /** Never rejects: without a new token, the request is sent with the old one, and refused. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /** The server refused a request with the header `sent`. Resolves to true if it should be sent again. */
  async challenged(challenge: HttpChallenge, sent: string | undefined): Promise<boolean> {
    if (challenge.status === 403) {
      const { challengedScope, scopeUnion } = await import('./authorization-server.js');
      const scope = challengedScope(challenge);
      if (scope === undefined || this.isUnattended) return false;
      this.#challenge = challenge;
      this.#additionalScope = scopeUnion(this.#current()?.tokens?.scope, scope);
      this.#waitForOthers();
      return false;
    }
    this.#challenge = challenge;
    await this.#reload();
    if (this.header === sent && this.#canRenew && !this.#isRefused) await this.renew();
    if (this.header !== undefined && this.header !== sent) return true;
    // A renewal that failed may succeed later.
    if (!this.#isRefused) this.#ended = this.#canRenew ? undefined : this.#token;
    this.#waitForOthers();
    return false;
  }

  /** Whether this process had the token of a header issued. One that it found in the store may be old. */
  isOwn(header: string | undefined): boolean {
    return this.#renewed !== undefined && header === `Bearer ${this.#renewed}`;
  }

  /** The server refused a token that was just issued: another one would be refused, too. */
  refused(challenge: HttpChallenge): void {
    this.#challenge = challenge;
    this.#ended = this.#token;
    this.#refusedAt = Date.now();
    this.#waitForOthers();
  }

  /** The sign-in that a person has to finish; one at a time. */
  begin(): Promise<PendingSignIn> {
    this.#pending ??= this.#begin();
    return this.#pending;
  }

  watch(events: LoginEvents): void {
    this.#events = events;
  }

  close(): void {
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    this.#pending?.then(
      ({ cancel }) => cancel(),
      () => {},
    );
  }

  get #isExpiring(): boolean {
    const { expiresAt, tokens } = this.#current() ?? {};
    return expiresAt !== undefined && tokens !== undefined && this.#canRenew && Date.now() > expiresAt - EARLY_MS;
  }

  /** Whether the server refuses what its authorization server issues. */
  get #isRefused(): boolean {
    return this.#ended !== undefined && this.#ended === this.#token && Date.now() - this.#refusedAt < REFUSED_MS;
  }

  get #token(): string | undefined {
    return this.#current()?.tokens?.access_token;
  }

  get #canRenew(): boolean {
    return this.isUnattended || this.#current()?.tokens?.refresh_token !== undefined;
  }

  #current(): LoginRecord | undefined {
    if (!this.#isRead) this.#reread();
    return this.#record;
  }

  #reread(): void {
    this.#isRead = true;
    this.#record = this.#store.read(this.id);
    this.#isSealed = this.#record === undefined && !this.#hasAsked && this.#store.isSealed?.(this.id) === true;
  }

  async #reload(): Promise<void> {
    await this.#store.update?.(this.id);
    this.#reread();
  }

  async #renew(): Promise<void> {
    if (Date.now() - this.#failedAt < PAUSE_MS) return;
    const used = this.#token;
    this.#failure = undefined;
    let isOwn = false;
    try {
      isOwn = await this.#renewStored(used);
    } catch (cause) {
      const { SignInError } = await import('./sign-in-error.js');
      this.#failure = cause instanceof SignInError ? cause.message : undefined;
      this.#options.log.debug(
        `The login to ${new URL(this.#options.url).host} was not renewed: ${cause instanceof Error ? cause.message : 'unknown reason'}`,
      );
    }
    await this.#reload();
    if (this.#token === used) this.#failedAt = Date.now();
    else if (isOwn) this.#renewed = this.#token;
  }

  /** Resolves to false if another process renewed it. */
  async #renewStored(used: string | undefined): Promise<boolean> {
    const { environment, renewElsewhere, settings, subject, url } = this.#options;
    const store = this.#store;
    if (this.isUnattended) {
      const { signInUnattended } = await import('./token-renewal.js');
      const options = { id: this.id, url: new URL(url), settings, store, environment, used, subject: subject?.() };
      await signInUnattended(options, this.#challenge);
      return true;
    }
    const renewHere = async () => (await import('./token-renewal.js')).renewLogin(store, this.id, (token) => token === used);
    const { setTimeout } = await import('node:timers/promises');
    // Another process may be renewing it, or may have begun to and ended.
    for (const end = Date.now() + WAIT_MS; Date.now() < end; await setTimeout(LOOK_MS)) {
      await this.#reload();
      if (this.#token !== used) return false;
      if (await store.isLocked(this.id)) continue;
      if (await store.alone(this.id, () => renewElsewhere?.(this.id, used) ?? renewHere())) return true;
    }
    return false;
  }

  async #begin(): Promise<PendingSignIn> {
    const { environment, settings, url } = this.#options;
    try {
      const begin = this.#options.begin ?? (await import('./interactive.js')).beginSignIn;
      const pending = await begin({
        id: this.id,
        url: new URL(url),
        settings,
        store: this.#store,
        challenge: this.#challenge,
        additionalScope: this.#additionalScope,
        environment,
      });
      pending.done
        .then(() => this.#signedIn())
        .catch(() => {})
        .finally(() => {
          this.#pending = undefined;
        });
      return pending;
    } catch (cause) {
      this.#pending = undefined;
      throw cause;
    }
  }

  /** Somebody may sign in with `footbridge login`, or in another host. */
  #waitForOthers(): void {
    if (this.#stopWatching !== undefined) return;
    this.#stopWatching = this.#store.watch(this.id, () => {
      const before = this.#token;
      this.#reread();
      if (this.#token !== undefined && this.#token !== before) this.#signedIn();
    });
    this.#events?.required();
  }

  #signedIn(): void {
    this.#reread();
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    this.#challenge = undefined;
    this.#additionalScope = undefined;
    this.#failedAt = 0;
    this.#events?.signedIn();
  }
}
