/** Callers who sign in to servers: the link, the browser that opens it, and its return. */
import { createHash, randomBytes } from 'node:crypto';
import type { Caller } from '../../../sources/resource.js';
import type { LoginSettings } from '../../../sources/upstream/index.js';
import type { PendingSignIn } from '../../../sources/upstream/sign-in/interactive.js';
import type { SubjectToken } from '../../../sources/upstream/sign-in/login-options.js';
import type { LoginStorage } from '../../../sources/upstream/sign-in/login-storage.js';
import { loginId } from '../../../sources/upstream/sign-in/login-store.js';
import { SignInError } from '../../../sources/upstream/sign-in/sign-in-error.js';
import {
  completeSignIn,
  discoverFor,
  requestSignIn,
  type SignInOptions,
  type SignInRequest,
} from '../../../sources/upstream/sign-in/sign-in-request.js';
import { isEqualSecret, sealText, unsealText } from '../../../state/encryption.js';
import type { SharedValues } from '../shared/shared-state.js';
import { ClientDocument } from './client-document.js';

const LIFE_MS = 10 * 60_000;

/** A sign-in that waits for a browser. */
interface Waiting {
  readonly request: SignInRequest;
  /** The name of the caller who signs in. */
  readonly caller: string;
  readonly until: number;
  /** The digest of the cookie of the browser that opened the link. */
  readonly browser?: string;
}

export interface CallerSignInsOptions {
  readonly values: SharedValues;
  readonly store: LoginStorage;
  /** Encrypts what waits in `values`. */
  readonly key: Buffer;
  /** The public URL of this server, without a trailing slash. */
  readonly base: string;
  readonly environment: NodeJS.ProcessEnv;
  /** The token of a caller that may be exchanged. */
  subjectOf(caller: Caller): SubjectToken;
}

/** The question to the user who opens the link. */
export interface Invitation {
  readonly caller: string;
  readonly server: string;
  readonly issuer: string;
}

export class CallerSignIns {
  readonly document: ClientDocument;
  readonly #options: CallerSignInsOptions;

  constructor(options: CallerSignInsOptions) {
    this.#options = options;
    this.document = new ClientDocument(options.base, options.values);
  }

  get path(): string {
    return `${new URL(this.#options.base).pathname.replace(/\/$/, '')}/sign-in/`;
  }

  get isEncrypted(): boolean {
    return this.#options.base.startsWith('https:');
  }

  /** The logins of one caller, which no other can use. */
  loginsOf(caller: Caller): LoginSettings {
    const { environment, store, subjectOf } = this.#options;
    return {
      store,
      subject: () => subjectOf(caller),
      environment,
      idOf: (url, settings) => digest(JSON.stringify([caller.id, loginId(url, settings)])).slice(0, 32),
      begin: (options) => this.#begin(caller, options),
    };
  }

  /** Undefined for a link that has expired or was never made. */
  async invitation(ticket: string): Promise<Invitation | undefined> {
    const waiting = await this.#find(stateOf(ticket));
    if (waiting === undefined) return undefined;
    const { issuer, server } = waiting.request;
    return { caller: waiting.caller, server: new URL(server).host, issuer: new URL(issuer).host };
  }

  /** Binds the sign-in to a browser, which has no cookie yet. Undefined where the link cannot be used by it. */
  async accept(ticket: string, cookie: string | undefined): Promise<{ readonly page: string; readonly cookie: string } | undefined> {
    const state = stateOf(ticket);
    const waiting = await this.#find(state);
    if (waiting === undefined) return undefined;
    const given = cookie ?? randomBytes(32).toString('base64url');
    if (waiting.browser !== undefined && !isEqualSecret(waiting.browser, digest(given))) return undefined;
    await this.#keep(state, { ...waiting, browser: digest(given) });
    return { page: waiting.request.page, cookie: given };
  }

  /** Completes a sign-in with the response in the browser's URL. Throws a `SignInError`. */
  async complete(answer: URLSearchParams, cookies: readonly string[]): Promise<Invitation> {
    const state = answer.get('state') ?? '';
    const waiting = await this.#find(state);
    if (waiting === undefined) throw new SignInError('This sign-in has expired, or is complete already. Start again in your assistant.');
    const { browser } = waiting;
    if (browser === undefined || !cookies.some((cookie) => isEqualSecret(digest(cookie), browser)))
      throw new SignInError('This sign-in was started in another browser. Finish it there, or start again in your assistant.');
    // Single use: the second request with the same response is too late.
    if ((await this.#options.values.take(keyOf(state))) === undefined) throw new SignInError('This sign-in is complete already.');
    await completeSignIn(waiting.request, answer, this.#options);
    const { client, issuer, server } = waiting.request;
    await this.document.succeeded(issuer, client.client_id);
    return { caller: waiting.caller, server: new URL(server).host, issuer: new URL(issuer).host };
  }

  async #begin(caller: Caller, options: SignInOptions): Promise<PendingSignIn> {
    const { base, store } = this.#options;
    const { redirectUrl } = this.document;
    const ticket = randomBytes(32).toString('base64url');
    const found = await discoverFor(options);
    const documentUrl = options.settings.clientId === undefined ? await this.document.urlFor(found.server) : undefined;
    const redirect = { url: redirectUrl, port: undefined };
    const request = await requestSignIn(found, { ...options, documentUrl }, redirect, stateOf(ticket));
    await this.#keep(request.state, { request, caller: caller.name, until: Date.now() + LIFE_MS }).catch(() => {
      throw new SignInError('The sign-in could not be started, because Redis is unreachable. Try again in a moment.');
    });
    let end: (error?: SignInError) => void = () => {};
    const done = new Promise<void>((resolve, reject) => {
      end = (error) => (error === undefined ? resolve() : reject(error));
    });
    const before = store.read(options.id)?.signedInAt;
    const stop = store.watch(options.id, () => {
      const { signedInAt, tokens } = store.read(options.id) ?? {};
      // A renewal of the insufficient login is not a sign-in.
      if (tokens !== undefined && signedInAt !== before) end();
    });
    const timer = setTimeout(() => end(new SignInError('The sign-in timed out after 10 minutes. Start again.')), LIFE_MS).unref();
    done
      .catch(() => {})
      .finally(() => {
        stop();
        clearTimeout(timer);
      });
    return {
      url: `${base}/sign-in/${ticket}`,
      host: new URL(request.issuer).host,
      redirectUrl,
      done,
      finish: () => Promise.reject(new SignInError('Open the link in a browser.')),
      cancel: () => end(new SignInError('The sign-in was cancelled.')),
    };
  }

  async #keep(state: string, waiting: Waiting): Promise<void> {
    const { key, values } = this.#options;
    const sealed = sealText(key, waiting, keyOf(state));
    await values.set(keyOf(state), sealed, Math.max(1, waiting.until - Date.now()));
  }

  async #find(state: string): Promise<Waiting | undefined> {
    const { key, values } = this.#options;
    const stored = await values.get(keyOf(state)).catch(() => undefined);
    return stored === undefined ? undefined : (unsealText(key, stored, keyOf(state)) as Waiting | undefined);
  }
}

/** The state is derived from the link, which cannot be derived from the state. */
function stateOf(ticket: string): string {
  return createHash('sha256').update(`state ${ticket}`).digest('base64url');
}

function keyOf(state: string): string {
  return `sign-in:${digest(state)}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
