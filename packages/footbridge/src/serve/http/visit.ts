/** One HTTP request on its way through the server. */
import { hash } from 'node:crypto';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Caller } from '../../sources/resource.js';

export interface Visit {
  /** Names the request in the log and in the answer. */
  readonly id: string;
  readonly caller: Caller;
  /** Whom limits and sessions belong to: the same person, whatever roles their tokens have. May be a secret. */
  readonly account: string;
  readonly authInfo: AuthInfo | undefined;
  /** Whether the caller's calls are counted. */
  readonly limited: boolean;
  /** What was asked, for the log. */
  asked?: { readonly method: string; readonly target: string | undefined };
}

/** Somebody who did not sign in, known by their address. */
export function anonymous(address: string): Caller {
  return { id: `address ${address}`, name: 'anonymous', roles: [], admin: false };
}

/** The same caller, apart from themselves with other roles: what one token was given to read is not shared with another. */
export function withRoles(caller: Caller): Caller {
  return { ...caller, id: `${caller.id} ${JSON.stringify(caller.roles)}` };
}

/** Tells accounts apart without saying whose they are. */
export function ownerOf({ account }: Visit): string {
  return hash('sha256', account);
}
