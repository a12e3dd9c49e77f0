/** Who sent a request: the one interface between the ways to sign in and the server. */
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Caller } from '../../../sources/resource.js';

/** Somebody who showed who they are. */
export interface SignedIn {
  readonly ok: true;
  readonly caller: Caller;
  /** As sources and the SDK know it. Its token is never logged. */
  readonly authInfo: AuthInfo;
}

/** Why somebody is not let in: the challenge that goes into `WWW-Authenticate`, and what to do, for the body. */
export interface Refused {
  readonly ok: false;
  readonly status: 401 | 503;
  /** `invalid_token` and its like; absent when nothing was shown at all. */
  readonly error?: string;
  readonly message: string;
}

export interface Authenticator {
  /** From the header `Authorization`. */
  authenticate(authorization: string | undefined): Promise<SignedIn | Refused> | SignedIn | Refused;
  close(): void;
}
