/** The options and events of a login. */
import type { Log } from '../../../log.js';
import type { OAuthSettings } from '../options.js';
import type { PendingSignIn } from './interactive.js';
import type { KeyPlace, LoginStorage } from './login-storage.js';
import type { SignInOptions } from './sign-in-request.js';

export interface LoginOptions {
  readonly url: string;
  readonly settings: OAuthSettings;
  /** What `footbridge login` calls the server. Default: its name. */
  readonly name?: string | undefined;
  /** Default: that of the server, for a store of one person. */
  readonly id?: string | undefined;
  readonly store: LoginStorage;
  readonly log: Log;
  readonly environment: NodeJS.ProcessEnv;
  /**
   * Renews a stored login in a process of its own, which survives this one: a refresh token is lost if a process ends between
   * its use and the storing of the next. Without it, this process renews.
   */
  readonly renewElsewhere?: ((id: string, used: string | undefined) => Promise<void>) | undefined;
  /** The token that is exchanged for one for the server, where the grant is `token_exchange`. */
  readonly subject?: (() => SubjectToken) | undefined;
  /** Default: the browser returns to a port of this machine. */
  readonly begin?: ((options: SignInOptions) => Promise<PendingSignIn>) | undefined;
}

/** A caller's token for this program. */
export interface SubjectToken {
  /** Undefined where the caller has none that can be exchanged. */
  readonly token: string | undefined;
  /** The authorization server that issued it. It is sent to no other. */
  readonly issuer: string;
}

export interface LoginValidity {
  /** In milliseconds; undefined if the server does not specify it. */
  readonly expiresAt: number | undefined;
  readonly isRenewed: boolean;
  /** Where the key is that encrypts it. */
  readonly keyIn?: KeyPlace | undefined;
}

export interface LoginEvents {
  /** Called when a sign-in becomes necessary. */
  required(): void;
  /** Called after a sign-in, in this process or another. */
  signedIn(): void;
}
