/**
 * The login to one server: the header of its requests, renewed when it expires. The code for authorization servers is loaded
 * on demand, so that a start only reads one file.
 */
import type { HttpChallenge } from '../transports/http-headers.js';
import type { PendingSignIn } from './interactive.js';
import { LoginCopy } from './login-copy.js';
import type { LoginEvents, LoginOptions, LoginValidity } from './login-options.js';
import { problemOf, REFUSED } from './login-problems.js';
import type { LoginStorage } from './login-storage.js';
import { loginId } from './login-store.js';
import type { MissingScope } from './protected-resource.js';
import { renewalTime } from './renewal-time.js';
import type { SignInError } from './sign-in-error.js';

/** How long after a failed renewal the next attempt is delayed. */
const PAUSE_MS = 5000;
/** How long a login is not renewed after its new token was refused. */
const REFUSED_MS = 60_000;

export class Login {
  readonly id: string;
  /** What `footbridge login` calls the server, if not by its name. */
  readonly name: string | undefined;
  /** Whether a caller of a server over HTTP signs in, on a page of that server. */
  readonly isOfCaller: boolean;
  readonly #options: LoginOptions;
  readonly #store: LoginStorage;
  readonly #copy: LoginCopy;
  #renewing: Promise<void> | undefined;
  #failedAt = 0;
  /** Why the last renewal failed. */
  #failure: SignInError | undefined;
  #challenge: HttpChallenge | undefined;
  /** A token that the server refused and that cannot be renewed, or that is new. */
  #ended: string | undefined;
  /** When a new token was refused. */
  #refusedAt = 0;
  /** The token that this process got last. */
  #renewed: string | undefined;
  /** The scopes to request: those of the login, and those that the server or the user requested in addition. */
  #stepUp: MissingScope | undefined;
  /** Additional scopes that were requested already, and are not requested again. */
  #requested: string | undefined;
  #scopeProblem: string | undefined;
  #pending: Promise<PendingSignIn> | undefined;
  #stopWatching: (() => void) | undefined;
  #events: LoginEvents | undefined;

  constructor(options: LoginOptions) {
    this.#options = options;
    this.#store = options.store;
    this.name = options.name;
    this.isOfCaller = options.begin !== undefined;
    this.id = options.id ?? loginId(options.url, options.settings);
    this.#copy = new LoginCopy(options.store, this.id);
  }

  /** Whether the server requires a login that does not exist: the user has to sign in. */
  get isRequired(): boolean {
    if (this.#stepUp !== undefined && !this.isUnattended) return true;
    return this.#challenge !== undefined && (this.#token === undefined || this.#token === this.#ended);
  }

  /** The header Authorization; undefined before the first sign-in. */
  get header(): string | undefined {
    const token = this.#token;
    return token === undefined ? undefined : `Bearer ${token}`;
  }

  /** Undefined before the first sign-in. */
  get validity(): LoginValidity | undefined {
    const { expiresAt, tokens } = this.#copy.record ?? {};
    return tokens === undefined ? undefined : { expiresAt, isRenewed: this.#canRenew, keyIn: this.#store.placeOf?.(this.id) };
  }

  /** Whether the login requires no user. */
  get isUnattended(): boolean {
    return (this.#options.settings.grant ?? 'authorization_code') !== 'authorization_code';
  }

  /** Why there is no login, if the user could not know; undefined if they only have to sign in. */
  get problem(): string | undefined {
    if (this.isRequired && this.#refusedAt > 0 && this.#ended !== undefined) return REFUSED;
    if (this.isUnattended) return this.#failure?.message;
    return problemOf(this.#copy.record, this.#store.isSealed?.(this.id) === true);
  }

  /** Why the login could not be renewed this time. A later attempt may succeed without a sign-in. */
  get renewalProblem(): string | undefined {
    return this.isRequired ? undefined : this.#failure?.message;
  }

  get scopeProblem(): string | undefined {
    return this.#scopeProblem;
  }

  /** Whether to `prepare` before the next request. */
  get isReady(): boolean {
    this.#copy.follow();
    return !this.#isExpiring && !this.#copy.isSealed;
  }

  /** Reads the login, and renews it if it expires. Never rejects: without a token, the request is refused. */
  async prepare(): Promise<void> {
    if (this.#copy.isSealed) await this.#copy.reload();
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
    if (challenge.status === 403) return this.#lacksScope(challenge, sent);
    this.#challenge = challenge;
    await this.#copy.reload();
    if (this.#isOther(sent)) return true;
    if (this.#canRenew && !this.#isRefused) await this.renew();
    if (this.#isOther(sent)) return true;
    // A renewal that failed may succeed later.
    if (!this.#isRefused) this.#ended = this.#canRenew ? undefined : this.#token;
    this.#waitForOthers();
    return false;
  }

  /** Whether its token was issued to this process. A token from the store may be old. */
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

  /** Requests an additional scope; false if the login has it. */
  async ask(scope: string): Promise<boolean> {
    const { hasScope, scopeUnion } = await import('./protected-resource.js');
    const granted = this.#granted;
    if (this.header !== undefined && hasScope(granted, scope)) return false;
    this.#stepUp = { scope: scopeUnion(granted, scope) };
    return true;
  }

  /** The sign-in that the user has to finish; one at a time. */
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
    return this.#canRenew && Date.now() > renewalTime(this.#copy.record);
  }

  /** Whether the server refuses the tokens of its authorization server. */
  get #isRefused(): boolean {
    return this.#ended !== undefined && this.#ended === this.#token && Date.now() - this.#refusedAt < REFUSED_MS;
  }

  get #token(): string | undefined {
    return this.#copy.record?.tokens?.access_token;
  }

  get #canRenew(): boolean {
    return this.isUnattended || this.#copy.record?.tokens?.refresh_token !== undefined;
  }

  get #granted(): string | undefined {
    return this.#copy.record?.tokens?.scope;
  }

  async #renew(): Promise<void> {
    if (Date.now() - this.#failedAt < PAUSE_MS) return;
    const used = this.#token;
    this.#failure = undefined;
    let isOwn = false;
    try {
      const { renewInTurn } = await import('./renewal-turn.js');
      const { id, isUnattended } = this;
      const turn = { id, isUnattended, used, challenge: this.#challenge, additionalScope: this.#stepUp?.scope };
      isOwn = await renewInTurn(this.#options, { ...turn, token: () => this.#copy.reload().then(() => this.#token) });
    } catch (cause) {
      const { SignInError } = await import('./sign-in-error.js');
      this.#failure = cause instanceof SignInError ? cause : undefined;
      this.#options.log.debug(
        `The login to ${new URL(this.#options.url).host} was not renewed: ${cause instanceof Error ? cause.message : 'unknown reason'}`,
      );
    }
    await this.#copy.reload();
    if (this.#token === used) this.#failedAt = Date.now();
    else if (isOwn) this.#renewed = this.#token;
  }

  /** Whether there is a header that was not refused yet. */
  #isOther(sent: string | undefined): boolean {
    if (this.header === undefined || this.header === sent) return false;
    this.#failure = undefined;
    return true;
  }

  /** A login without a user is obtained again with the scope, once. */
  async #lacksScope(challenge: HttpChallenge, sent: string | undefined): Promise<boolean> {
    const { stepUpFor } = await import('./step-up.js');
    await this.#copy.reload();
    // Another request may have obtained the scope already.
    if (this.#isOther(sent)) return true;
    const requested = this.#requested;
    const stepUp = stepUpFor(challenge, { granted: this.#granted, requested, mayGuess: !this.isUnattended || requested === undefined });
    this.#scopeProblem = stepUp !== undefined && 'problem' in stepUp ? stepUp.problem : undefined;
    if (stepUp === undefined || 'problem' in stepUp) return false;
    this.#challenge = challenge;
    this.#stepUp = stepUp;
    if (!this.isUnattended) {
      this.#waitForOthers();
      return false;
    }
    this.#requested = stepUp.scope ?? '';
    await this.renew();
    if (this.#failure?.retryable === true) [this.#stepUp, this.#requested] = [undefined, requested];
    else [this.#scopeProblem, this.#failure] = [this.#failure?.message, undefined];
    return this.#isOther(sent);
  }

  async #begin(): Promise<PendingSignIn> {
    const { environment, settings, url } = this.#options;
    try {
      const additionalScope = this.#stepUp?.scope;
      const begin = this.#options.begin ?? (await import('./interactive.js')).beginSignIn;
      const pending = await begin({
        id: this.id,
        url: new URL(url),
        settings,
        store: this.#store,
        challenge: this.#challenge,
        additionalScope,
        environment,
      });
      pending.done
        .then(() => {
          this.#requested = additionalScope ?? this.#requested;
          this.#signedIn();
        })
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

  /** A user may sign in with `footbridge login`, or in another host. */
  #waitForOthers(): void {
    if (this.#stopWatching !== undefined) return;
    const before = this.#copy.record;
    this.#stopWatching = this.#store.watch(this.id, () => {
      this.#copy.reread();
      const { signedInAt, tokens } = this.#copy.record ?? {};
      if (tokens === undefined || tokens.access_token === before?.tokens?.access_token) return;
      // A login that is only renewed still lacks the scope.
      if (this.#stepUp === undefined || signedInAt !== before?.signedInAt) this.#signedIn();
    });
    this.#events?.required();
  }

  #signedIn(): void {
    this.#copy.reread();
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    this.#challenge = undefined;
    this.#stepUp = undefined;
    this.#failure = undefined;
    this.#failedAt = 0;
    this.#events?.signedIn();
  }
}
